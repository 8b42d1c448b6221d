/** What "allow all of these" means: this tool and, for a shell, this family of commands. Never wider. */

import { asRecord, asText } from '../lib/loose.js'
import type { Grant } from '../protocol/request-event.js'
import type { PolicyCall } from './call.js'
import { SHELLS } from './command/shell.js'
import { emptyFileSystem } from './file-system.js'
import { type Finding, ORDINARY_RULES } from './finding.js'
import { type Judged, SHELL_TOOLS } from './judge-tool.js'
import { nameOf } from './path.js'
import { readShell } from './shell/read-shell.js'
import type { ReadCommand } from './shell/reader.js'
import { createWorld } from './world.js'

/** For a shell, `command` is the family, or the very command where it has none. */
export function grantFor(tool: string, input: unknown): Grant {
  const command = asText(asRecord(input)['command'])
  if (!SHELL_TOOLS.has(tool)) return { tool }
  if (command === null) return { tool, command: '' }
  return { tool, command: familyOfText(command) ?? command }
}

/** The one family of a command line whose other parts only read. */
function familyOfText(text: string): string | null {
  const world = createWorld({ cwd: '/workspace', home: '/home/person', fs: emptyFileSystem })
  const { findings, commands } = readShell(text, world)
  if (findings.some(({ verdict, rule }) => verdict === 'deny' || !ORDINARY_RULES.has(rule))) return null
  const asked = new Set(findings.map(({ command }) => command))
  const families = [...asked].map((index) => (index === null ? null : familyOf(commands[index])))
  const [first = null, ...others] = new Set(families)
  return others.length === 0 ? first : null
}

/** Whether a grant covers everything that would be asked about a call. */
export function covers(grant: Grant, call: PolicyCall, { findings, shell }: Judged): boolean {
  if (grant.tool !== call.tool || hasEnded(grant, call)) return false
  if (!SHELL_TOOLS.has(call.tool)) return findings.every(({ rule }) => ORDINARY_RULES.has(rule))
  const text = asText(asRecord(call.input)['command'])
  if (text === null) return false
  if (isForWholeText(grant, call)) return true
  return findings.every((finding) => isCovered(finding, grant.command, shell?.commands ?? []))
}

/** Whether a grant is about any call of the tool, or about this very text. */
export function isForWholeText(grant: Grant, { tool, input }: PolicyCall): boolean {
  if (grant.tool !== tool) return false
  return grant.command === undefined || grant.command === asText(asRecord(input)['command'])
}

/** Whether a grant in force is for a family of commands, and these words are one of it. */
export function coversWords(grant: Grant, call: PolicyCall, words: readonly string[]): boolean {
  if (grant.tool !== call.tool || hasEnded(grant, call)) return false
  return grant.command !== undefined && familyOfWords(words) === grant.command
}

function isCovered(
  { rule, command }: Finding,
  family: string | undefined,
  commands: readonly ReadCommand[],
): boolean {
  if (command === null) return rule === 'tool'
  return ORDINARY_RULES.has(rule) && family !== undefined && familyOf(commands[command]) === family
}

function hasEnded({ until }: Grant, { now }: PolicyCall): boolean {
  return until !== undefined && (now === undefined || until <= now)
}

/** Programs whose first word says what they do. */
const WITH_VERBS = new Set(
  `git npm pnpm yarn bun deno cargo go docker podman kubectl helm terraform tofu pip pip3 pipx poetry uv gem bundle mix
  dotnet gh glab aws gcloud az systemctl apt apt-get brew dnf yum pacman snap flatpak make rake gradle mvn nx turbo lerna
  composer rails php-artisan flutter dart swift firebase vercel netlify fly heroku conda nix rustup pre-commit`.split(
    /\s+/,
  ),
)
/** Verbs that take another one. */
const SECOND_VERBS = new Set(
  'run exec compose stash remote submodule worktree config x dlx s3 ec2 iam tool pr issue repo'.split(' '),
)
/** Programs that run something else: what they run is their family, and it is not known from their name. */
const NO_FAMILY = new Set(
  `sudo doas su runuser env xargs find parallel ssh nohup setsid timeout nice watch time exec eval command builtin chroot
  busybox toybox script flock npx bunx pnpx systemd-run source . tmux screen at batch strace docker-compose`.split(
    /\s+/,
  ),
)
const RUNS_FILES =
  /^(?:python|pypy|node|nodejs|ruby|perl|php|lua|deno|bun|ts-node|tsx|Rscript|julia|java)[\d.]*$/

export function familyOf(command: ReadCommand | undefined): string | null {
  return familyOfWords(command?.words ?? [])
}

function familyOfWords([first, ...words]: readonly string[]): string | null {
  if (first === undefined || first.includes('…')) return null
  const program = first.includes('/') ? first : nameOf(first)
  if (NO_FAMILY.has(program)) return null
  const isRunner = SHELLS.has(program) || RUNS_FILES.test(program)
  const count = isRunner ? 1 : !WITH_VERBS.has(program) ? 0 : SECOND_VERBS.has(words[0] ?? '') ? 2 : 1
  const verbs = words.slice(0, count)
  const isPlain = verbs.length === count && verbs.every((word) => /^[\w][\w:./@-]*$/.test(word))
  return isPlain ? [program, ...verbs].join(' ') : null
}
