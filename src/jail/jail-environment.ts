/** The variables of a command in the jail: a whitelist without secrets. */

import { realpathSync } from 'node:fs'
import { LOCALE_VARIABLES } from '../lib/locale-variable.js'
import { isInSystem } from './view/system-folder.js'

type Environment = Readonly<Record<string, string | undefined>>

const KEPT = [
  'HOME',
  'USER',
  'LOGNAME',
  'TZ',
  'TERM',
  'COLORTERM',
  'NO_COLOR',
  'FORCE_COLOR',
  'COLUMNS',
  'LINES',
  ...LOCALE_VARIABLES,
]
/** Values of such variables: a name, a number, a path. Fails closed: a value in any other form may be a secret. */
const ORDINARY = /^[\w.@:+/, -]{0,256}$/
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

export function jailEnvironment(env: Environment): Record<string, string> {
  const kept = KEPT.flatMap((name) => {
    const value = env[name]
    return value !== undefined && (name === 'HOME' || ORDINARY.test(value)) ? [[name, value] as const] : []
  })
  return {
    ...Object.fromEntries(kept),
    PATH: jailPath(env['PATH']),
    SHELL: '/bin/bash',
    // Variables that the CLI (2.1.325) sets for every command, as far as programs look at them.
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
    return isInSystem(realpathSync(folder))
  } catch {
    return false
  }
}
