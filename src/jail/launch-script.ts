/**
 * The scripts around a command in the jail. The text of the agent is in none of them: it lies in the folder of its run, so
 * that nothing that reads the CLI's command (its own checks, other hooks, a shell that quotes it once more) ever sees it.
 */

import { shellWord } from './shell-word.js'

export interface LaunchPlaces {
  /** The path of bubblewrap. */
  program: string
  /** Where the runs have their folders. */
  runs: string
  /** The FIFO by which runs report to the daemon. */
  reports: string
  /** The system call filter. */
  filter: string
  /** The script that starts bubblewrap. */
  launcher: string
  /** The variable by which processes of this home are found. */
  mark: string | null
}

/** Exit code of a run whose output was withheld: EX_TEMPFAIL, as it is worth another try. */
export const WITHHELD_STATUS = 75
/** The shell of the command holds the way out for its final folder here, where no command looks for a descriptor. */
const FOLDER_DESCRIPTOR = 200

/**
 * Sourced by the shell of the CLI with the id of a run. A shell that a user has configured must not change it: hence the
 * backslashes (aliases), and a process of its own with an empty environment for everything else. The functions that the
 * CLI brings for `find`, `grep` and `rg` go along in a file.
 */
export function enterScript({ launcher, runs, mark }: LaunchPlaces): string {
  const marked = mark === null ? "''" : `"\${${mark}-}"`
  return [
    `\\builtin declare -f find grep rg >|${word(runs)}/"$1"/functions`,
    `{ __signalbox_folder=$(\\builtin exec -c /bin/bash -p ${word(launcher)} "$1" ${marked} 3>&1 >&4 4>&-); } 4>&1 && \\builtin cd -P -- "$__signalbox_folder"`,
    '',
  ].join('\n')
}

/**
 * Runs with an empty environment and `bash -p`: no start-up file, no exported function. Output is held back in a file
 * until the daemon has looked whether everything that must be hidden still is. It answers `release BYTES`, with a signal,
 * for a part; `ok FOLDER` for all (`copy FOLDER` where it is not a short text); `again` after it has made a new plan; or
 * `withhold REASON`.
 */
export function launchScript({ program, runs, reports, filter, mark }: LaunchPlaces): string {
  return `PATH=/usr/bin:/bin
run=${word(runs)}/$1
${mark === null ? '' : `export ${mark}="$2"`}
# Whatever the shell of the CLI has open would be passed on. 255 is this script.
for fd in /proc/self/fd/*; do fd=\${fd##*/}; case $fd in [0-3] | 255) ;; *) eval "exec $fd>&-" ;; esac; done
exec 5<>${word(reports)} 6<>"$run/answers" || exit 1
IFS= read -r -d '' inside <"$run/command"
IFS= read -r -d '' functions <"$run/functions"
answers() {
  while read -r "$@" -u 6 verb rest; do
    case $verb in
      release) head -c "$rest" <&8 ;;
      ok) IFS= read -r -d '' text <&8; printf %s "$text"; printf %b "$rest" >&3; exit $status ;;
      copy) cat <&8; printf %b "$rest" >&3; exit $status ;;
      again) return ;;
      withhold) printf '%s\\n' "$rest"; exit ${WITHHELD_STATUS} ;;
    esac
  done
}
trap : USR1
while :; do
  : >"$run/output"
  exec 8<"$run/output"
  echo "$1 begin $$" >&5
  (
    trap - INT QUIT USR1
    exec ${word(program)} --args 8 --info-fd 10 -- /bin/bash --norc --noprofile -c "$inside" /bin/bash "$functions" \\
      3>&- 4>"$run/folder" 5>&- 6>&- 8<"$run/args" 9<${word(filter)} 10>"$run/info" <<<x >>"$run/output" 2>&1
  ) &
  while wait $!; status=$?; [ $status -gt 128 ] && kill -0 $! 2>/dev/null; do answers -t 1; done
  echo "$1 end $status" >&5
  answers
done
`
}

/** Per process. Each on its own: where the host allows less, that stays in force and the others are set all the same. */
const LIMITS = ['-c 0', '-t 600', '-d 4194304', '-v 4194304', '-f 1048576', '-u 2048']

/**
 * The script that bash runs inside. The part behind `eval` is as the CLI (2.1.325) has it, on one line, so that messages of bash
 * name the same lines and `set -x` shows the same. Null for text that no shell can carry.
 */
export function insideScript(command: string): string | null {
  if (shellWord(command) === null) return null
  const limits = LIMITS.map((limit) => `ulimit ${limit} 2>/dev/null`)
  const prologue = [
    ...limits,
    String.raw`printf '+\n' >&4`,
    'eval "$1"; shift',
    `exec ${FOLDER_DESCRIPTOR}>&4 4>&- </dev/null`,
  ]
  const quoted = command.replaceAll("'", `'"'"'`)
  const text = `${prologue.join('; ')}; eval '${quoted}' && pwd -P >&${FOLDER_DESCRIPTOR}`
  return Buffer.byteLength(text) > MAX_BYTES ? null : text
}

/** One argument of a program may have 128 KiB; the CLI has the same limit without the jail. */
const MAX_BYTES = 128 * 1024 - 1

function word(text: string): string {
  const quoted = shellWord(text)
  if (quoted === null) throw new Error('A path of the jail cannot be written for a shell.')
  return quoted
}
