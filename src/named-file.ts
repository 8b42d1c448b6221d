/** Files that the configuration names. They control the daemon, so no other user may be able to change them. */

import { statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import type { Config } from './config.js'
import { findForeignFile } from './lib/file/file-owner.js'
import { HubError } from './protocol/error.js'
import type { McpServer } from './protocol/option/option.js'

export interface NamedFile {
  setting: string
  path: string
}

/** Relative ones are seen from the home. Programs that are looked for in PATH are not named by the configuration. */
export function filesNamed(config: Config, home: string): NamedFile[] {
  const { policy, claudePath, tlsCert, tlsKey, tools, hooks, mcpServers, defaults } = config
  const one = (setting: string, path: string | undefined): NamedFile[] =>
    path === undefined ? [] : [{ setting, path: resolve(home, path) }]
  const isPreset = policy === 'careful' || policy === 'classic'
  const servers = { ...defaults.mcpServers, ...mcpServers }
  return [
    ...one('policy', isPreset ? undefined : policy),
    ...one('claudePath', claudePath),
    ...one('tlsCert', tlsCert),
    ...one('tlsKey', tlsKey),
    ...tools.flatMap((path) => one('tools', path)),
    ...(defaults.plugins ?? []).flatMap(({ path }) => one('defaults.plugins', path)),
    ...Object.entries(hooks).flatMap(([event, groups]) =>
      groups.flatMap((group) =>
        group.hooks.flatMap(({ command, args }) =>
          inCommand(`hooks.${event}`, args ? [command, ...args] : words(command)),
        ),
      ),
    ),
    ...Object.entries(servers).flatMap(([name, server]) => inCommand(`mcpServers.${name}`, wordsOf(server))),
  ]
}

function wordsOf(server: McpServer): string[] {
  return 'command' in server ? [server.command, ...(server.args ?? [])] : []
}

/** A shell command, without what is special to the shell: words that name a file are enough. */
function words(command: string): string[] {
  return command.split(/[\s"'`;|&<>()=]+/).filter((word) => word !== '')
}

/** Files that a command names by their absolute paths: the program, and scripts that it is given. */
function inCommand(setting: string, parts: readonly string[]): NamedFile[] {
  return parts.filter((part) => isAbsolute(part) && isFile(part)).map((path) => ({ setting, path }))
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export interface ForeignSetting extends NamedFile {
  found: string
  fix: string
}

/** The first that another user could change. */
export function findForeignSetting(config: Config, home: string): ForeignSetting | null {
  for (const named of filesNamed(config, home)) {
    const foreign = findForeignFile(named.path)
    if (foreign) return { ...named, ...foreign }
  }
  return null
}

export function refuseForeignSetting(config: Config, home: string): void {
  const foreign = findForeignSetting(config, home)
  if (!foreign) return
  const { setting, path, found, fix } = foreign
  throw new HubError(
    'config_invalid',
    `The setting ${setting} names a file that is not safe. ${found} Fix: ${fix}`,
    {
      setting,
      path,
    },
  )
}
