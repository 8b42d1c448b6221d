/** A plan of the jail, and the arguments of bubblewrap by which it is built from nothing. */

import type { Alias } from './jail-place.js'
import { isInSystem, OWN_FOLDERS, systemArguments } from './view/system-folder.js'

/** Files of our own that every jail uses; agents cannot write them. */
export interface JailFiles {
  /** The folder `/etc`: names of users of our own, and copies of the listed files of the system. */
  etc: string
  /** An empty file without any rights: what a hidden file looks like. */
  hidden: string
  /** The system call filter. */
  filter: string
}

/** Arguments common to all commands. */
export interface JailBase {
  files: JailFiles
  /** Folders of the system, read-only. */
  system: readonly string[]
  /** Files in them, and of `/proc`, that are hidden. */
  hiddenInSystem: readonly string[]
  /** Single files of the host that commands need: the CLI's own program, which is its `find` and `grep`. */
  programs: readonly string[]
  /** As whom the command runs inside. */
  uid: number
}

export interface JailPlan extends JailBase {
  env: Readonly<Record<string, string>>
  /** Read-only, besides the system's folders: the workspace first. */
  folders: readonly string[]
  /** Links into the workspace that lead there in the jail as well. */
  aliases: readonly Alias[]
  hidden: { files: readonly string[]; folders: readonly string[]; closed: readonly string[] }
  cwd: string
}

const TMP_BYTES = 256 * 1024 * 1024

/** `filter` is the descriptor of the system call filter. */
export function jailArguments(plan: JailPlan, filter: number): string[] {
  const { files, system, hiddenInSystem, programs, env, folders, aliases, hidden, cwd, uid } = plan
  const cover = (file: string) => ['--ro-bind', files.hidden, file]
  return [
    '--unshare-all',
    '--unshare-user',
    '--die-with-parent',
    '--new-session',
    '--clearenv',
    '--uid',
    `${uid}`,
    '--gid',
    `${uid}`,
    '--cap-drop',
    'ALL',
    '--seccomp',
    `${filter}`,
    '--proc',
    '/proc',
    '--size',
    `${TMP_BYTES}`,
    '--tmpfs',
    '/tmp',
    ...systemArguments(system),
    ...hiddenInSystem.flatMap(cover),
    // One folder with copies: every bind of a file costs time.
    '--ro-bind',
    files.etc,
    '/etc',
    ...homeArguments(env['HOME']),
    ...folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...programs.flatMap((program) => ['--ro-bind', program, program]),
    ...aliases.flatMap(({ path, target }) => ['--symlink', target, path]),
    ...hidden.folders.flatMap((folder) => ['--tmpfs', folder, '--remount-ro', folder]),
    ...hidden.closed.flatMap((folder) => ['--perms', '0000', '--tmpfs', folder, '--remount-ro', folder]),
    ...hidden.files.flatMap(cover),
    '--remount-ro',
    '/proc',
    '--remount-ro',
    '/dev',
    '--remount-ro',
    '/',
    ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value]),
    '--chdir',
    cwd,
  ]
}

/** An empty folder, so that `cd` finds it. In a folder that is mounted read-only none can be made. */
function homeArguments(home: string | undefined): string[] {
  if (!home?.startsWith('/') || home === '/' || isInSystem(home)) return []
  const isOurs = OWN_FOLDERS.some((folder) => folder !== '/tmp' && `${home}/`.startsWith(`${folder}/`))
  return isOurs ? [] : ['--dir', home]
}
