/** A command as it runs in the jail: text for the shell of the CLI, in which nothing is left to look up. */

import { shellWord } from './shell-word.js'
import { systemArguments } from './system-folder.js'

/** Files of our own that every jail uses; agents cannot write them. */
export interface JailFiles {
  /** The folder `/etc`: names of users of our own, and copies of the listed files of the system. */
  etc: string
  /** An empty file without any rights: what a hidden file looks like. */
  hidden: string
  /** The system call filter. */
  filter: string
}

export interface JailPlan {
  /** The path of bubblewrap. */
  program: string
  files: JailFiles
  env: Readonly<Record<string, string>>
  /** Read-only, besides the system's folders: the workspace first. */
  folders: readonly string[]
  /** Single files of the host that commands need: the CLI's own program, which is its `find` and `grep`. */
  programs: readonly string[]
  hidden: { files: readonly string[]; folders: readonly string[] }
  cwd: string
  /** As whom the command runs inside. */
  uid: number
  /** The variable by which processes of this home are found. */
  mark: string | null
}

/** One argument of a program may have 128 KiB, and the CLI passes the whole command as one. */
const MAX_BYTES = 100_000
const TMP_BYTES = 256 * 1024 * 1024
/** Per process: CPU seconds, KiB of data, KiB of a file; and how many processes. */
const LIMITS = 'ulimit -c 0 -t 600 -d 4194304 -f 1048576 -u 2048'

/**
 * Runs inside. On one line and with `eval`, as the CLI does it, so that messages of bash name the same lines; with `&&`,
 * behind which `set -e` does nothing. The final folder goes out through descriptor 3, which the command does not have.
 */
const DRIVER = `${LIMITS}; eval "$2"; __signalbox_command=$1; shift 2; eval "$__signalbox_command" 3>&- && :; __signalbox_status=$?; { \\builtin pwd -P; \\builtin printf .; } >&3; \\builtin exit $__signalbox_status`

/** Null if the command cannot be carried by a shell, or is too long for it. */
export function wrapCommand(command: string, plan: JailPlan): string | null {
  const words = [
    plan.program,
    ...jailArguments(plan),
    '--',
    '/bin/bash',
    '--norc',
    '--noprofile',
    '-c',
    DRIVER,
  ]
  const quoted = [...words, '/bin/bash', command].map(shellWord)
  const [filter, root] = [plan.files.filter, plan.folders[0] ?? '/'].map(shellWord)
  if (quoted.includes(null) || !filter || !root) return null
  const mark = plan.mark === null ? '' : ` ${plan.mark}="$${plan.mark}"`
  const text = [
    '{ __signalbox_folder=$(',
    // Everything but what is handed over on purpose: bubblewrap would pass it on. No redirection here: bash keeps the
    // replaced descriptor under another number, which would be closed as well.
    `for f in /proc/self/fd/*; do case $f in */[0-4]) ;; *) eval "exec \${f##*/}>&-" ;; esac; done; `,
    `f=$(declare -f find grep rg); `,
    `exec 3>&1 >&4 4>&- </dev/null 9<${filter} && `,
    // The first process in the jail is a copy of bubblewrap: its environment can be read there.
    `exec /usr/bin/env -i${mark} ${quoted.join(' ')} "$f"`,
    '); } 4>&1; __signalbox_status=$?; ',
    `__signalbox_folder=\${__signalbox_folder%$'\\n'.}; `,
    `if [ $__signalbox_status = 0 ] && \\builtin cd -P -- "$__signalbox_folder" 2>/dev/null; then `,
    `case $PWD/ in ${root}/*) ;; *) \\builtin cd -- "$OLDPWD" ;; esac; fi; `,
    `(exit $__signalbox_status)`,
  ].join('')
  return Buffer.byteLength(text) > MAX_BYTES ? null : text
}

function jailArguments({ files, env, folders, programs, hidden, cwd, uid }: JailPlan): string[] {
  const home = env['HOME']
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
    '9',
    '--proc',
    '/proc',
    '--size',
    `${TMP_BYTES}`,
    '--tmpfs',
    '/tmp',
    ...systemArguments(),
    // One folder with copies: every bind of a file would cost about a millisecond.
    '--ro-bind',
    files.etc,
    '/etc',
    ...(home?.startsWith('/') ? ['--dir', home] : []),
    ...folders.flatMap((folder) => ['--ro-bind', folder, folder]),
    ...programs.flatMap((program) => ['--ro-bind', program, program]),
    ...hidden.folders.flatMap((folder) => ['--tmpfs', folder, '--remount-ro', folder]),
    ...hidden.files.flatMap((file) => ['--ro-bind', files.hidden, file]),
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
