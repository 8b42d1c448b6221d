/**
 * Programs that run another one in a special way: as another user, on another machine, later, or with words from a
 * pipe.
 */

import { spend } from '../../lib/step-budget.js'
import { reason } from '../../protocol/reason/reason.js'
import { absolute, isKnown, UNKNOWN } from '../file/path.js'
import { type Field, literal, type Stream, Taint } from '../shell/field.js'
import { ANYTHING } from '../shell/stream.js'
import { applyRole, type Call, type Handler } from './handler.js'
import type { Mount } from './judge-context.js'
import { pagerAsReader } from './language/pager.js'
import { runScript } from './language/run-script.js'
import { crontab, makeFrom, npm } from './line-script.js'
import { type Arguments, optionTable, readArguments } from './option.js'
import { judgeSshOption } from './system/copy.js'

function textOf(words: readonly Field[]): string {
  return words.map(({ text }) => text).join(' ')
}

function applyOptions(call: Call, given: Arguments): void {
  for (const { role, value, field } of given.options) {
    if (value !== null) applyRole(call, role, value)
    else if (role === 'ask') applyRole(call, role, field)
  }
}

const SU = optionTable(
  '-flmpP -c:shell -g: -G: -s: -u: -w: --command:shell --session-command:shell --login --shell: --user: --group: --preserve-environment --pty',
)

/** `su -c '…' user`, `runuser -u user -- program`. */
const su: Handler = (call) => {
  const { context, name, args, span } = call
  const given = readArguments(SU, args)
  context.ask('privilege', reason('program.other-user', { name }), span)
  applyOptions(call, given)
  if (given.has('c', 'command', 'session-command')) return ANYTHING
  const [, ...rest] = given.operands
  if (name === 'runuser' && given.has('u', 'user'))
    return context.inSubshell(() => context.runWords(given.operands, span))
  // `su user -- -c '…'`: the rest is for the shell.
  const code = rest[0]?.text === '-c' ? rest[1] : undefined
  if (code !== undefined) applyRole(call, 'shell', code)
  else if (given.operands.length <= 1 && context.stdin !== null) return runScript(call, context.stdin)
  return ANYTHING
}

const SSH = optionTable(
  `+stop -46AaCfGgKkMNnqsTtVvXxYy -B: -b: -c: -D: -E:write -e: -F:read -I:ask -i: -J: -L: -l: -m: -O: -o: -p: -Q: -R:
  -S: -W: -w:`,
)

/** Another machine has the same top-level trees, but not the same files. */
const ssh: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(SSH, args)
  context.ask('network', reason('network.remote-shell', { name: 'ssh' }), span)
  applyOptions(call, given)
  for (const { name, value } of given.options) if (name === 'o' && value !== null) judgeSshOption(call, value)
  const [, ...command] = given.operands
  if ((context.stdin?.taint ?? 0) & Taint.secret) {
    context.deny('protected-copy', reason('network.leaks', { name: 'ssh' }), span)
  }
  if (given.operands.some(({ taint }) => taint & Taint.secret)) {
    context.deny('protected-copy', reason('network.leaks', { name: 'ssh' }), span)
  }
  const text = textOf(command)
  context.elsewhere(
    (path) => path,
    UNKNOWN,
    () =>
      command.length === 0 && context.stdin !== null
        ? runScript(call, context.stdin)
        : context.runText(text, span),
  )
  return { text: null, taint: Taint.unseen | Taint.network, names: null }
}

const CHROOT = optionTable('+stop --groups: --userspec: --skip-chdir')

const chroot: Handler = (call) => {
  const { context, args, span } = call
  const [root, ...words] = readArguments(CHROOT, args).operands
  context.ask('privilege', reason('program.other-root', { name: 'chroot' }), span)
  const place = root === undefined ? undefined : context.targets(root)[0]
  if (place === undefined || words.length === 0) return ANYTHING
  const mount: Mount = (path) => absolute('/', `${place.path}/${absolute('/', path)}`)
  return context.elsewhere(mount, '/', () => context.runWords(words, span))
}

const busybox: Handler = ({ context, name, args, span }) => {
  context.ask('code', reason('program.many', { name }), span)
  const words = args.filter(({ text }, index) => !(index === 0 && text.startsWith('-')))
  return words.length === 0 ? ANYTHING : context.runWords(words, span)
}

const SCRIPT = optionTable(
  '-aefqT -c:shell -B:write -E: -I:write -m: -O:write -o: -t? --command:shell --append --flush --quiet --return --timing? --log-out:write --log-in:write --log-io:write --output-limit:',
)

const script: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(SCRIPT, args)
  context.ask('code', reason('program.records', { name: 'script' }), span)
  applyOptions(call, given)
  const [file, ...words] = given.operands
  if (file !== undefined) context.access('write', file)
  return words.length === 0 ? ANYTHING : context.inSubshell(() => context.runWords(words, span))
}

const FLOCK = optionTable(
  '+stop -enosuxF -c:shell -w: -E: --exclusive --shared --nonblock --unlock --close --no-fork --timeout: --wait: --conflict-exit-code: --command:shell --verbose',
)

const flock: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(FLOCK, args)
  context.ask('code', reason('program.runs-program', { name: 'flock' }), span)
  applyOptions(call, given)
  const [lock, ...words] = given.operands
  if (lock !== undefined) context.access('write', lock)
  const [first, code] = words
  if (first?.text === '-c' && code !== undefined) {
    applyRole(call, 'shell', code)
    return ANYTHING
  }
  return words.length === 0 ? ANYTHING : context.inSubshell(() => context.runWords(words, span))
}

/** `at`, `batch`: the input runs later. */
const later: Handler = (call) => {
  call.context.ask('code', reason('program.runs-later', { name: call.name }), call.span)
  if (call.context.stdin !== null) runScript(call, call.context.stdin)
  return ANYTHING
}

const XARGS = optionTable(
  `+stop -0optrx -a:read -d: -E: -e? -i? -I: -L: -l? -n: -P: -s: --null --arg-file:read --delimiter: --eof?
  --replace? --max-lines? --max-args: --interactive --max-procs: --no-run-if-empty --max-chars: --verbose --exit
  --open-tty --process-slot-var: --show-limits`,
)

const COUNTS: ReadonlySet<string> = new Set(['n', 'L', 'l', 'max-args', 'max-lines'])

const xargs: Handler = (call) => {
  const { context, args, span } = call
  const given = readArguments(XARGS, args)
  for (const { role, value } of given.options)
    if (role === 'read' && value !== null) context.access('read', value)
  for (const field of given.unknown) applyRole(call, 'ask', field)
  // The variable is set before the program is searched: `PATH` makes it one of the workspace.
  const slot = given.valueOf('process-slot-var')
  if (slot !== null)
    context.ask('code', reason('argument.unlisted', { name: 'xargs', argument: slot.text }), slot.span)
  const file = given.valueOf('a', 'arg-file')
  const input = file === null ? context.stdin : context.contentOf(file)
  const items = itemsOf(input, given, call)
  const words = given.operands.length === 0 ? [literal('echo', span)] : given.operands
  // The last of these options wins: names may be appended although there is a placeholder for them.
  const counted = given.options.find(({ name }) => COUNTS.has(name))
  if (given.has('I', 'i', 'replace') && counted !== undefined) applyRole(call, 'ask', counted.field)
  const mark = given.has('I', 'i', 'replace') ? (given.valueOf('I', 'i', 'replace')?.text ?? '{}') : null
  const filled = mark === null ? [...words, ...items] : fill(words, mark, items)
  return context.inSubshell(() => {
    context.stdin = null
    return context.runWords(filled, span)
  })
}

/** The words from the pipe: known ones, known names, or one unknown word for all. */
function itemsOf(input: Stream | null, given: Arguments, { span }: Call): readonly Field[] {
  if (input === null) return [literal(UNKNOWN, span)]
  if (input.names !== null) return input.names
  if (input.text === null || input.text.length > 4096) return [literal(UNKNOWN, span, input.taint)]
  const isLines = given.has('I', 'i', 'replace', 'd', 'delimiter', 'L', 'l')
  const separator = given.has('0', 'null') ? '\0' : isLines ? /\n/ : /\s+/
  const delimiter = given.valueOf('d', 'delimiter')?.text
  const parts = input.text.split(delimiter !== undefined && delimiter.length === 1 ? delimiter : separator)
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => literal(unquote(part), span, input.taint))
}

function unquote(text: string): string {
  return text.replaceAll(
    /\\(.)|'([^']*)'|"([^"]*)"/gs,
    (_, one?: string, single?: string, double?: string) => one ?? single ?? double ?? '',
  )
}

function fill(words: readonly Field[], mark: string, items: readonly Field[]): Field[] {
  return words.flatMap((word) => {
    if (!word.text.includes(mark)) return [word]
    return items.map((item) => ({
      ...item,
      text: word.text.replaceAll(mark, () => item.text),
      pattern: word.text === mark ? item.pattern : null,
      taint: word.taint | item.taint,
      span: word.span,
    }))
  })
}

/** `parallel COMMAND ::: WORDS`. */
const parallel: Handler = (call) => {
  const { context, args, span } = call
  context.ask('code', reason('program.runs-each', { name: 'parallel' }), span)
  const first = args.findIndex(({ text }) => /^::::?\+?$/.test(text))
  const head = first === -1 ? args : args.slice(0, first)
  const items = first === -1 ? [literal(UNKNOWN, span, context.stdin?.taint ?? 0)] : args.slice(first + 1)
  const given = readArguments(PARALLEL, head)
  const known =
    first === -1 ? itemsOf(context.stdin, given, call) : items.filter(({ text }) => !text.startsWith(':::'))
  const words = given.operands
  const isReplaced = words.some(({ text }) => text.includes('{}'))
  const text = textOf(isReplaced ? fill(words, '{}', known) : [...words, ...known])
  return context.inSubshell(() => {
    context.stdin = null
    return words.length === 0
      ? runScript(call, { text, taint: known.reduce((sum, { taint }) => sum | taint, 0), names: null })
      : context.runText(text, span)
  })
}

const PARALLEL = optionTable(
  '+stop -0kqtuvX -j: -n: -N: -I: -P: -a:read -C: -d: --jobs: --dry-run --keep-order --bar --eta --halt: --joblog: --colsep: --arg-file:read --delay: --timeout: --retries: --tag --line-buffer --will-cite --no-notice --results: --sshlogin: -S: --pipe --xargs',
)

const MAX_STARTS = 4

/** `screen -dm program`, `tmux new -d 'command'`, `tmux send-keys 'text' Enter`. */
const multiplexer: Handler = (call) => {
  const { context, name, args, span } = call
  context.ask('code', reason('program.runs-terminal', { name }), span)
  for (const field of args) {
    if (/\s/.test(field.text) && isKnown(field.text))
      context.inSubshell(() => context.runText(field.text, field.span))
  }
  // The values of options are not distinguished: each word may be the program.
  const starts = name === 'screen' ? args.flatMap(({ text }, at) => (text.startsWith('-') ? [] : [at])) : []
  for (const start of starts.slice(0, MAX_STARTS))
    context.inSubshell(() => context.runWords(args.slice(start), span))
  return ANYTHING
}

/** Debuggers, databases and the like: some of their commands are shell commands. */
function shellEscapes(pattern: RegExp): Handler {
  return (call) => {
    const { context, name, args, span } = call
    context.ask('code', reason('program.may-run', { name }), span)
    const texts = [...args.map(({ text }) => text), context.stdin?.text ?? '']
    for (const text of texts) {
      spend(text.length)
      for (const match of escapesIn(text, pattern)) {
        const command = match[1] ?? ''
        context.inSubshell(() => context.runText(command, span))
      }
    }
    return ANYTHING
  }
}

/** A pattern that is not global is compared with each line. */
function escapesIn(text: string, pattern: RegExp): Iterable<RegExpMatchArray> {
  if (pattern.global) return text.matchAll(pattern)
  return text.split('\n').flatMap((line) => {
    const match = pattern.exec(line)
    return match === null ? [] : [match]
  })
}

const gdb: Handler = (call) => {
  const at = call.args.findIndex(({ text }) => text === '--args')
  if (at !== -1) call.context.inSubshell(() => call.context.runWords(call.args.slice(at + 1), call.span))
  return shellEscapes(/^\s*(?:shell|make|!|pi(?:pe)?\s+\S+\s*\|)\s*(.+)/)(call)
}

const shellOfPager = shellEscapes(/^\+!(.+)/g)

function pager(call: Call): Stream {
  return pagerAsReader(call) ?? shellOfPager(call)
}

export const SPECIAL_WRAPPERS: Readonly<Record<string, Handler>> = {
  su,
  runuser: su,
  ssh,
  autossh: ssh,
  mosh: ssh,
  chroot,
  busybox,
  toybox: busybox,
  script,
  flock,
  at: later,
  batch: later,
  xargs,
  parallel,
  screen: multiplexer,
  tmux: multiplexer,
  xterm: multiplexer,
  'gnome-terminal': multiplexer,
  gdb,
  lldb: shellEscapes(/^\s*(?:platform shell|shell|!)\s+(.+)/),
  sqlite3: shellEscapes(/^\s*\.(?:shell|system)\s+(.+)/),
  psql: shellEscapes(/\\!\s*(.+)/g),
  mysql: shellEscapes(/(?:\\!|system)\s+(.+)/g),
  less: pager,
  more: pager,
  man: shellEscapes(/^(?:--pager=|-P)(.+)/g),
  ftp: shellEscapes(/^\s*!\s*(.+)/),
  dc: shellEscapes(/!([^<>=].*)/g),
  m4: shellEscapes(/(?:sys|e)syscmd\(`?([^')]*)/g),
  make: makeFrom(shellEscapes(/\$\(shell\s+([^)]*)/g)),
  crontab,
  npm,
  osascript: shellEscapes(/do shell script\s+"((?:[^"\\]|\\.)*)"/g),
  expect: shellEscapes(/(?:spawn|exec|system)\s+([^;}\n]+)/g),
  tclsh: shellEscapes(/exec\s+([^;}\n\]]+)/g),
}
