/** The variables of a command in the jail: a closed list, none of which holds a secret. */

import { realpathSync } from 'node:fs'
import { SYSTEM_FOLDERS } from './system-folder.js'

type Environment = Readonly<Record<string, string | undefined>>

const KEPT = [
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLUMNS',
  'LINES',
]
const KEPT_PREFIX = 'LC_'
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export function jailEnvironment(env: Environment): Record<string, string> {
  const kept = Object.entries(env).filter(
    ([name, value]) => value !== undefined && (KEPT.includes(name) || name.startsWith(KEPT_PREFIX)),
  )
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    PATH: jailPath(env['PATH']),
    SHELL: '/bin/bash',
    TMPDIR: '/tmp',
    // What the CLI (2.1.325) sets for every command, as far as programs look at it.
    CLAUDECODE: '1',
    GIT_EDITOR: 'true',
    // Looking at a repository refreshes its index, which cannot be written here.
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
    // The workspace is a mount of its own there.
    GIT_DISCOVERY_ACROSS_FILESYSTEM: '1',
    // A folder with a `HEAD` is a repository only when it is named: its settings run programs (git 2.38 and later).
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'safe.bareRepository',
    GIT_CONFIG_VALUE_0: 'explicit',
  }
}

/** Only folders that the jail has: never one of the workspace, whose programs an agent may have written. */
function jailPath(path: string | undefined): string {
  const folders = (path ?? '').split(':').filter((folder) => folder.startsWith('/') && isSystem(folder))
  return folders.length > 0 ? [...new Set(folders)].join(':') : PATH
}

function isSystem(folder: string): boolean {
  try {
    const real = realpathSync(folder)
    return SYSTEM_FOLDERS.some((system) => real === system || real.startsWith(`${system}/`))
  } catch {
    return false
  }
}
