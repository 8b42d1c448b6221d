/**
 * Files of Signalbox that Claude Code itself must not read. The gate denies every tool call that names them, but the CLI
 * (2.1.325) also reads files without a tool call: `@path` in a message, a skill or CLAUDE.md. It honours its own deny
 * rules there.
 */

const OWN_FILES = [
  'token*',
  'config.jsonc*',
  'policy.jsonc*',
  'signalbox.db*',
  'daemon.json*',
  'lock*',
  'audit-seal.json*',
  'logs/**',
  'hooks/**',
  'jail/**',
  'run/**',
  'tmp/servers-*',
  'open.html',
  'replaced-*/**',
  'restoring-*/**',
]

/** Permission rules of Claude Code. An absolute path in them begins with two slashes. */
export function deniedReads(homes: readonly string[]): string[] {
  return homes.flatMap((home) => {
    const folder = home.replaceAll(/[\\*?[\]()!#]/g, '\\$&')
    return OWN_FILES.map((name) => `Read(/${folder}/${name})`)
  })
}
