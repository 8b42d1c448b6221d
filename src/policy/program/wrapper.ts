/** Programs that run another program. The verdict depends on the program that they run. */

import { ownEntry } from '../../lib/own-entry.js'
import { reason } from '../../protocol/reason/reason.js'
import { isKnown, UNKNOWN } from '../file/path.js'
import { type Field, type Stream, tail } from '../shell/field.js'
import { judgeEnvironment } from '../shell/simple.js'
import { ANYTHING } from '../shell/stream.js'
import { applyRole, type Call, type Handler } from './handler.js'
import { type Arguments, type OptionTable, optionTable, readArguments } from './option.js'

interface Wrapper {
  options?: string
  /** The number of operands before the program. */
  skip?: number
  /** `NAME=value` may come before the program. */
  assigns?: boolean
  /** Its operands are one shell command, as in `watch`. */
  isShellText?: boolean
  /** Harmless alone: allowed if the program that it runs is allowed. */
  isTransparent?: boolean
  /** The rule of the finding when the policy asks. */
  rule?: 'privilege' | 'code' | 'network'
}

const TABLE: Readonly<Record<string, Wrapper>> = {
  env: {
    options:
      '-i0v -u: -C:look -S:shell --ignore-environment --null --unset: --chdir:look --split-string:shell --debug --block-signal? --default-signal? --ignore-signal? --list-signal-handling -P:ask',
    assigns: true,
    isTransparent: true,
  },
  nice: { options: '+number -n: --adjustment:', isTransparent: true },
  ionice: { options: '-t -c: -n: -p:ask -P:ask -u:ask --class: --classdata: --ignore', isTransparent: true },
  timeout: {
    options: '-v -k: -s: --kill-after: --signal: --preserve-status --foreground --verbose',
    skip: 1,
    isTransparent: true,
  },
  gtimeout: {
    options: '-v -k: -s: --kill-after: --signal: --preserve-status --foreground',
    skip: 1,
    isTransparent: true,
  },
  stdbuf: { options: '-i: -o: -e: --input: --output: --error:', isTransparent: true },
  time: {
    options: '-apqvlh -f: -o:write --format: --output:write --append --portability --verbose --quiet',
    isTransparent: true,
  },
  nohup: {},
  setsid: { options: '-cfw --ctty --fork --wait' },
  sudo: {
    options: `-AbBEeHiKklnPSsVv -C: -D:look -g: -h: -p: -R: -r: -T: -t: -U: -u: --user: --group: --host: --prompt:
      --chroot: --chdir:look --role: --type: --other-user: --close-from: --command-timeout: --preserve-env?
      --non-interactive --login --shell --background --stdin --set-home --askpass --edit --list --validate`,
    assigns: true,
    rule: 'privilege',
  },
  doas: { options: '-Lns -C:read -u: -a:', rule: 'privilege' },
  pkexec: { options: '--user: --disable-internal-agent --keep-cwd', rule: 'privilege' },
  gosu: { skip: 1, rule: 'privilege' },
  'su-exec': { skip: 1, rule: 'privilege' },
  setpriv: {
    options:
      '--reuid: --regid: --clear-groups --keep-groups --groups: --inh-caps: --bounding-set: --no-new-privs --reset-env --init-groups',
    rule: 'privilege',
  },
  chrt: { options: '-abdfiormRv -p! -T: -P: -D:', skip: 1 },
  taskset: { options: '-ac -p!', skip: 1 },
  numactl: {
    options:
      '-N: -C: -m: -i: -p: -l -a --cpunodebind: --physcpubind: --membind: --interleave: --preferred: --localalloc',
  },
  cpulimit: { options: '-l: -p: -P: -e: -c: -bfikmqrsvz --limit:' },
  prlimit: {
    options:
      '--pid:ask -p:ask --nofile: --nproc: --as: --cpu: --core: --data: --fsize: --memlock: --rss: --stack:',
  },
  unshare: {
    options:
      '-mupiUCTnrcf -R: -w:look -S: -G: --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --fork --map-root-user --map-current-user --mount-proc? --root: --wd: --propagation:',
    rule: 'privilege',
  },
  nsenter: {
    options:
      '-amuipnUCTrwFZ -t: -S: -G: --target: --all --mount? --uts? --ipc? --net? --pid? --user? --root? --wd?',
    rule: 'privilege',
  },
  setarch: { options: '-RF3BLXZvh --addr-no-randomize --uname-2.6', skip: 1 },
  linux32: { options: '-R' },
  linux64: { options: '-R' },
  fakeroot: { options: '-u -l: -s: -i: -b: --lib: --faked: --unknown-is-real' },
  firejail: { options: '' },
  strace: {
    options:
      '-cCdfFhiknqrtTvVxXyYZz -a: -b: -e: -E: -I: -o:write -O: -p: -P: -s: -S: -u: -U: --output:write --trace: --string-limit: --follow-forks',
  },
  ltrace: { options: '-cCfhiLrStTV -a: -A: -D: -e: -F: -l: -n: -o:write -p: -s: -u: -w: -x: --output:write' },
  valgrind: { options: '-v -q -h' },
  gdbserver: { options: '', skip: 1 },
  perf: { options: '', skip: 1 },
  hyperfine: {
    options:
      '-w: -r: -m: -M: -s: -p: -S: -i -N --warmup: --runs: --prepare:shell --setup:shell --cleanup:shell --shell: --export-json:write --export-csv:write --export-markdown:write',
    isShellText: true,
  },
  'xvfb-run': { options: '-alh -e: -f: -n: -p: -s: -w: --auto-servernum --server-args: --server-num:' },
  'dbus-run-session': { options: '--config-file: --dbus-daemon:' },
  'dbus-launch': { options: '--exit-with-session' },
  'ssh-agent': { options: '-cDdksx -a: -E: -O: -P: -t:' },
  watch: {
    options:
      '-bcdegptxwr -n: -q: --interval: --beep --color --differences? --errexit --chgexit --exec --precise --no-title --no-wrap',
    isShellText: true,
  },
  entr: { options: '-acdnprxz -s' },
  nodemon: { options: '-x:shell --exec:shell -w: --watch: -e: --ext: -i: --ignore: -q --delay:' },
  'systemd-run': {
    options:
      '-dGPqrSt -u: -p: -H: -M: --user --scope --unit: --property: --description: --slice: --uid: --gid: --nice: --working-directory: --setenv: -E: --on-active: --on-calendar: --collect --wait --pty --pipe --quiet --remain-after-exit --no-block',
    rule: 'privilege',
  },
  'systemd-inhibit': { options: '--what: --who: --why: --mode: --list' },
  'start-stop-daemon': {
    options:
      '-SKTHbmoqtv -x: -a: -p: -u: -c: -n: -s: -g: -r: -d: -N: -P: -I: -k: --start --stop --exec: --startas: --pidfile: --background --make-pidfile --user: --chuid: --chdir: --quiet',
  },
  caffeinate: { options: '-disum -t: -w:' },
  rlwrap: { options: '' },
  unbuffer: { options: '-p' },
  chronic: { options: '-ve' },
  ts: {},
  proxychains: { options: '-q -f:' },
  proxychains4: { options: '-q -f:' },
  torify: {},
  torsocks: {},
  tini: { options: '-svwg -p: -e:' },
  'dumb-init': { options: '-cv -r:' },
  catchsegv: {},
  softlimit: { options: '-a: -c: -d: -f: -l: -m: -o: -p: -r: -s: -t:' },
  chpst: { options: '-u: -U: -b: -/: -C: -n: -l: -L: -m: -d: -o: -p: -f: -c: -t: -e: -vP012' },
  winpty: {},
  npx: {
    options: '-yq -p: -c:shell --yes --no --package: --call:shell --quiet --no-install --ignore-existing',
  },
  bunx: { options: '--bun' },
  pnpx: {},
  dotenv: { options: '-e: -f: -c? -o -p: --quiet' },
  'with-contenv': {},
  'env-cmd': { options: '-f: -e:' },
  'cross-env': { assigns: true },
  'cross-env-shell': { assigns: true, isShellText: true },
  sem: { options: '-j: --id: --fg', isShellText: true },
}

export function wrapper(name: string): Handler | null {
  const spec = ownEntry(TABLE, name)
  if (spec === undefined) return null
  let table: OptionTable | null = null
  return (call) => {
    table ??= optionTable(`+stop ${spec.options ?? ''}`)
    return look(call, spec, readArguments(table, call.args))
  }
}

function look(call: Call, spec: Wrapper, given: Arguments): Stream {
  const { context, name, span } = call
  if (!spec.isTransparent)
    context.ask(
      spec.rule ?? 'code',
      reason(spec.rule === 'privilege' ? 'program.privilege' : 'program.runs-program', { name }),
      span,
    )
  for (const { role, value, field } of given.options) {
    if (value !== null) applyRole(call, role, value)
    else if (role === 'ask') applyRole(call, role, field)
  }
  if (spec.isTransparent) {
    for (const field of given.unknown) applyRole(call, 'ask', field)
  }
  return context.inSubshell(() => runRest(call, spec, given))
}

function runRest(call: Call, spec: Wrapper, given: Arguments): Stream {
  const { context, name, span } = call
  let words: readonly Field[] = given.operands.slice(spec.skip ?? 0)
  if (name === 'env' && words[0]?.text === '-') words = words.slice(1)
  if (spec.assigns) words = takeAssignments(call, words)
  if (words.length === 0) {
    const hasText = given.options.some(({ role }) => role === 'shell')
    if (!hasText)
      context.ask(
        name === 'env' ? 'secret-variable' : 'program',
        name === 'env' ? reason('program.shows-environment', { name }) : reason('program.nothing', { name }),
        span,
      )
    return ANYTHING
  }
  if (name === 'sudo' && given.has('e', 'edit')) {
    for (const file of words) context.access('write', file)
    return ANYTHING
  }
  const folder = given.valueOf(name === 'env' ? 'C' : 'D', 'chdir', 'wd')
  const isText =
    (spec.isShellText === true && !(name === 'watch' && given.has('x', 'exec'))) ||
    (name === 'entr' && given.has('s'))
  const asText = isText || (name === 'sudo' && given.has('s', 'i', 'shell', 'login'))
  if (folder !== null) context.state.folders = isKnown(folder.text) ? [folderAt(call, folder)] : [UNKNOWN]
  return asText
    ? context.runText(words.map((word) => word.text).join(' '), span)
    : context.runWords(words, span)
}

function folderAt({ context }: Call, folder: Field): string {
  return context.targets(folder)[0]?.path ?? UNKNOWN
}

/** `NAME=value` before the program, and `--` wherever it stands. */
function takeAssignments({ context }: Call, words: readonly Field[]): readonly Field[] {
  let at = 0
  for (; at < words.length; at++) {
    const word = words[at] as Field
    const match = /^([A-Za-z_]\w*)=/.exec(word.text)
    if (match !== null) {
      const value = [tail(word, match[0].length)]
      judgeEnvironment(context, match[1] ?? '', value)
      context.state.set(match[1] ?? '', value)
    } else if (word.text !== '--') break
  }
  return words.slice(at)
}
