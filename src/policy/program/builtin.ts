/** Shell builtins: changing the folder, setting variables, renaming commands, running text later. */

import { fits } from '../../lib/glob/shell-pattern.js'
import { reason, reasonOf } from '../../protocol/reason/reason.js'
import type { ReasonCode } from '../../protocol/reason/template.js'
import { absolute, follow, UNKNOWN } from '../file/path.js'
import { type Field, isLiteral, literal, Taint, tail, taintOf } from '../shell/field.js'
import { judgeEnvironment } from '../shell/simple.js'
import { ANYTHING, NOTHING } from '../shell/stream.js'
import { judgeUnary } from '../shell/test-expression.js'
import { isOrdinaryVariable } from '../shell/variable.js'
import { judgeHidden } from '../shell/word/raw.js'
import { applyRole, type Call, type Handler } from './handler.js'
import { runScript } from './language/run-script.js'

export const BUILTINS: Readonly<Record<string, Handler>> = {
  cd: goTo,
  chdir: goTo,
  pushd: goTo,
  popd: ({ context }) => {
    context.state.folders = [UNKNOWN]
    return ANYTHING
  },
  pwd: ({ context, args }) => {
    const known = context.state.folders.length === 1 && args.every(({ text }) => /^-[LP]+$/.test(text))
    return known ? { text: `${context.state.folders[0]}\n`, taint: 0, names: null } : ANYTHING
  },
  dirs: asking('environment', 'builtin.folders'),
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  unset: (call) => {
    for (const field of call.args) judgeHidden(call.context, field.text, field.span)
    return asking('environment', 'builtin.unset')(call)
  },
  set: (call) => {
    setPositional(call)
    if (isStricter(call.args)) {
      call.context.askUnfollowed('environment', reason('builtin.options', { name: 'set' }), call.span)
      return NOTHING
    }
    if (isTraced(call.args)) {
      call.context.askContained('environment', reason('builtin.options', { name: 'set' }), call.span)
      return NOTHING
    }
    return asking('environment', 'builtin.settings')(call)
  },
  shopt: (call) => {
    if (!isAboutPatterns(call.args)) return asking('environment', 'builtin.options')(call)
    call.context.askContained('environment', reason('builtin.options', { name: 'shopt' }), call.span)
    return NOTHING
  },
  setopt: asking('environment', 'builtin.options'),
  umask: (call) =>
    call.args.every(({ text }) => text === '-S') ? NOTHING : asking('environment', 'builtin.umask')(call),
  ulimit: (call) =>
    call.args.every(({ text }) => /^-[aHScdefilmnpqrstuvx]+$/.test(text))
      ? NOTHING
      : asking('environment', 'builtin.limits')(call),
  enable: asking('environment', 'builtin.names'),
  hash: (call) => {
    rename(call)
    return asking('environment', 'builtin.names')(call)
  },
  alias: (call) => {
    for (const field of call.args) judgeAlias(call, field)
    return asking('environment', 'builtin.names')(call)
  },
  unalias: asking('environment', 'builtin.names'),
  trap: (call) => {
    const [first] = call.args.filter(({ text }) => !/^-[lp]$|^--$/.test(text))
    if (first !== undefined && first.text !== '-' && call.args.length > 1) applyRole(call, 'shell', first)
    return asking('code', 'builtin.later')(call)
  },
  complete: completion,
  compgen: completion,
  bind: asking('code', 'builtin.keys'),
  read: (call) => {
    const { context, args, span } = call
    const { taint = 0, shape } = context.stdin ?? {}
    const text = context.stdin?.text?.split('\n', 1)[0] ?? UNKNOWN
    const names = readNames(args)
    for (const field of names) {
      // The index of an element is arithmetic.
      judgeHidden(context, field.text, field.span)
      context.state.set(field.text, [
        { ...literal(text, field.span, taint), ...(text === UNKNOWN && shape !== undefined && { shape }) },
      ])
    }
    const isContained = isPlainRead(args) && names.every(({ text: name }) => isOrdinaryVariable(name))
    const what = reason('builtin.reads')
    if (isContained) context.askUnfollowed('environment', what, span)
    else context.ask('environment', what, span)
    return NOTHING
  },
  mapfile: readLines,
  readarray: readLines,
  getopts: asking('environment', 'builtin.sets'),
  let: (call) => {
    for (const field of call.args) judgeHidden(call.context, field.text, field.span)
    return asking('unknown-value', 'builtin.expression')(call)
  },
  eval: (call) => {
    const text = call.args.map((field) => field.text).join(' ')
    if (taintOf(call.args) & Taint.unseen)
      call.context.deny('unseen-code', reason('shell.unseen-code'), call.span)
    call.context.ask('code', reason('builtin.eval'), call.span)
    return call.context.runText(text, call.span)
  },
  source: (call) => source(call),
  '.': (call) => source(call),
  exec: (call) => {
    let at = 0
    while (/^-[acl]+$/.test(call.args[at]?.text ?? '')) at += call.args[at]?.text.includes('a') ? 2 : 1
    const words = call.args.slice(at)
    if (words.length === 0) call.context.ask('environment', reason('builtin.exec-streams'), call.span)
    else call.context.ask('code', reason('builtin.exec'), call.span)
    return call.context.runWords(words, call.span)
  },
  command: (call) => {
    const first = call.args.findIndex(({ text }) => !/^-[pvV]+$/.test(text))
    const words = first < 0 ? [] : call.args.slice(call.args[first]?.text === '--' ? first + 1 : first)
    if (/^-p?[vV]/.test(call.args[0]?.text ?? '')) return { text: null, taint: 0, names: null }
    return call.context.runWords(words, call.span)
  },
  builtin: (call) =>
    call.context.runWords(call.args[0]?.text === '--' ? call.args.slice(1) : call.args, call.span),
  test: (call) => test(call, call.args),
  '[': (call) => test(call, call.args.slice(0, -1)),
  exit: ({ context, args }) => {
    if (args.length <= 1 && args.every(({ text }) => /^\d+$/.test(text))) context.state.hasEnded = true
    return NOTHING
  },
  return: NONE,
  break: NONE,
  continue: NONE,
  shift: NONE,
  wait: (call) =>
    call.args.every(({ text }) => /^(?:-[nf]+|%?\d+|%[%+-])$/.test(text)) ? NOTHING : waitFor(call),
  jobs: (call) =>
    call.args.every(({ text }) => /^-[lnprs]+$/.test(text))
      ? NOTHING
      : asking('code', 'builtin.may-run')(call),
  times: NONE,
  fg: asking('program', 'builtin.continues'),
  bg: asking('program', 'builtin.continues'),
  disown: asking('program', 'builtin.disowns'),
  suspend: asking('program', 'builtin.suspends'),
  history: asking('protected-read', 'builtin.history'),
  fc: (call) => asking('code', 'builtin.again')(call),
}

/** `-p NAME` sets a variable; the index of an element is arithmetic. */
function waitFor(call: Call) {
  for (const field of call.args) judgeHidden(call.context, field.text, field.span)
  return asking('unknown-value', 'builtin.sets-index')(call)
}

function NONE() {
  return NOTHING
}

function asking(
  rule: 'environment' | 'code' | 'program' | 'unknown-value' | 'protected-read',
  code: Extract<ReasonCode, `builtin.${string}`>,
): Handler {
  return ({ context, name, span }) => {
    context.ask(rule, reasonOf(code, { name }), span)
    return ANYTHING
  }
}

const MAX_FOLDERS = 8

/** The previous folder stays possible: the following commands may run although `cd` failed. */
function goTo(call: Call) {
  const { context, name, args, span } = call
  const { state } = context
  const flags = args.filter(({ text }) => /^-[LPe@n]+$/.test(text))
  const operands = args.filter(({ text }) => !/^-[LPe@n]+$|^--$/.test(text))
  if (operands.length === 0 && name === 'pushd') {
    state.folders = [UNKNOWN]
    return NOTHING
  }
  const home = literal(state.variables.get('HOME')?.values[0]?.text ?? context.environment.home, span)
  const targets = operands.length > 0 ? operands : [home]
  const isNamed = (field: Field) => !/^[-+]\d*$/.test(field.text) && isLiteral(field)
  if (!targets.every(isNamed) || state.variables.has('CDPATH')) {
    context.askContained('unknown-value', reason('builtin.unknown-folder'), span)
    state.folders = [...state.folders.slice(0, 1), UNKNOWN]
    return NOTHING
  }
  for (const target of targets) context.access('look', target)
  if (name === 'pushd' && flags.some(({ text }) => text.includes('n'))) return NOTHING
  const isPhysical = flags.some(({ text }) => text.includes('P'))
  const reached = state.folders.flatMap((folder) =>
    targets.flatMap(({ text }) => {
      const logical = absolute(folder, text)
      if (!isPhysical) return [logical]
      return [logical, follow(context.environment.fs, `${folder}/${text}`, { last: true }) ?? UNKNOWN]
    }),
  )
  // Several operands are an error, or the possible results of one word.
  const possible = new Set(targets.length > 1 ? [...state.folders, ...reached] : reached)
  state.folders = possible.size <= MAX_FOLDERS ? [...possible] : [...state.folders.slice(0, 1), UNKNOWN]
  state.set(
    'PWD',
    state.folders.map((folder) => literal(folder, span)),
  )
  return NOTHING
}

function declare({ context, name, args, span }: Call) {
  const isComputed = args.some(({ text }) => /^-\w*[aAin]/.test(text))
  for (const field of args) {
    const match = /^([A-Za-z_]\w*)\+?=/.exec(field.text)
    if (match === null) {
      judgeHidden(context, field.text, field.span)
      continue
    }
    // With `-i`, or as the element of a list, a value is arithmetic.
    if (isComputed) judgeHidden(context, field.text, field.span)
    const value = tail(field, match[0].length)
    judgeEnvironment(context, match[1] ?? '', [value])
    context.state.set(match[1] ?? '', [value])
  }
  context.ask('environment', reason('builtin.variables', { name }), span)
  return ANYTHING
}

/** `set -euo pipefail`: the shell exits sooner, without any other effect. */
function isStricter(args: readonly Field[]): boolean {
  const text = args.map((field) => field.text).join(' ')
  return /^(?:[-+](?:[eu]+|[eu]*o (?:pipefail|errexit|nounset)) ?)+$/.test(text)
}

/** `set -ex`: the shell also prints its commands. In the jail no variable decides what else it would run for that. */
function isTraced(args: readonly Field[]): boolean {
  const plain = args.map((field) => ({ ...field, text: field.text.replace(/^([-+][eu]*)x/, '$1') }))
  const rest = plain.filter(({ text }) => text !== '-' && text !== '+')
  return args.every(isLiteral) && (rest.length === 0 ? args.length > 0 : isStricter(rest))
}

/** Settings that decide which names a pattern fits, and nothing else. */
const PATTERN_SETTINGS = new Set(['globstar', 'nullglob', 'failglob', 'dotglob', 'nocaseglob'])

function isAboutPatterns([flag, ...names]: readonly Field[]): boolean {
  const isFlag = flag?.text === '-s' || flag?.text === '-u'
  return isFlag && names.length > 0 && names.every(({ text }) => PATTERN_SETTINGS.has(text))
}

/** `set -- a b`, `set a b`. */
function setPositional({ context, args }: Call): void {
  const first = args.findIndex(({ text }) => text === '--' || !/^[-+]/.test(text))
  if (first === -1) return
  const words = args[first]?.text === '--' ? args.slice(first + 1) : args.slice(first)
  const name = context.state.positional?.[0] ?? literal('bash', words[0]?.span ?? [0, 0])
  context.state.positional = [name, ...words]
}

/** `hash -p /bin/rm ls`: from now on `ls` runs `rm`. */
function rename({ context, args }: Call): void {
  const [flag, path, ...names] = args
  if (flag?.text !== '-p' || path === undefined) return
  for (const { text } of names) context.state.files.set(`hash:${text}`, { kind: 'copy', of: path.text })
}

function judgeAlias(call: Call, field: Field): void {
  const name = /^[^=]+=/.exec(field.text)?.[0]
  if (name !== undefined) applyRole(call, 'shell', tail(field, name.length))
}

function completion(call: Call) {
  const at = call.args.findIndex(({ text }) => text === '-C')
  const command = at === -1 ? undefined : call.args[at + 1]
  if (command !== undefined) applyRole(call, 'shell', command)
  // Lists of words are expanded like the words of a command.
  for (const field of call.args) judgeHidden(call.context, field.text, field.span)
  return asking('code', 'builtin.completion')(call)
}

function readLines(call: Call) {
  const at = call.args.findIndex(({ text }) => text === '-C')
  const callback = at === -1 ? undefined : call.args[at + 1]
  if (callback !== undefined) applyRole(call, 'shell', callback)
  const name = call.args.at(-1)
  const taint = call.context.stdin?.taint ?? 0
  if (name !== undefined) call.context.state.setList(name.text, [literal(UNKNOWN, name.span, taint)])
  const [flag, only] = call.args.length === 2 ? call.args : [undefined, call.args[0]]
  const isPlain = call.args.length < 3 && (flag === undefined || flag.text === '-t')
  if (isPlain && only !== undefined && isOrdinaryVariable(only.text)) {
    call.context.askContained('environment', reason('builtin.sets', { name: call.name }), call.span)
    return ANYTHING
  }
  return asking('environment', 'builtin.sets')(call)
}

function readNames(args: readonly Field[]): Field[] {
  const names: Field[] = []
  for (let at = 0; at < args.length; at++) {
    const field = args[at] as Field
    if (/^-[a-z]*[adinNptu]$/.test(field.text)) at++
    else if (!field.text.startsWith('-')) names.push(field)
  }
  return names
}

/** `read` without options that name a variable, a prompt or another stream. */
function isPlainRead(args: readonly Field[]): boolean {
  return args.every(({ text }) => !text.startsWith('-') || /^-[rs]+$|^-d$/.test(text))
}

function source(call: Call) {
  const { context, args, span } = call
  const [file] = args
  context.ask('code', reason('builtin.source'), span)
  if (file === undefined) return ANYTHING
  context.access('read', file)
  return runScript(call, context.contentOf(file), { isHere: true })
}

/**
 * Which word is an operator is only known at run time, and `-v NAME` evaluates the index in a name, which may run
 * commands. An unknown word must be exactly one word, and the word behind it must be harmless even behind `-v`.
 */
function judgeUnknownWords({ context }: Call, args: readonly Field[]): void {
  args.forEach((field, index) => {
    if (isLiteral(field) || field.shape === 'number') return
    const next = args[index + 1]
    const mayTakeNext = next !== undefined && (!isLiteral(next) || next.text.includes('['))
    const isOpen =
      field.isSplit === true || (mayNameVariable(field) && (field.isMany === true || mayTakeNext))
    if (isOpen) context.ask('unknown-value', reason('builtin.test-operator'), field.span)
  })
}

function mayNameVariable({ text, pattern }: Field): boolean {
  if (pattern !== null) return ['-v', '-R'].some((operator) => fits(pattern, operator))
  return ['-v', '-R'].some((operator) => operator.startsWith(text.split(UNKNOWN)[0] ?? ''))
}

function test(call: Call, args: readonly Field[]) {
  const { context, span } = call
  judgeUnknownWords(call, args)
  args.forEach((field, index) => {
    const next = args[index + 1]
    if (next !== undefined && /^-[a-zA-Z]$/.test(field.text)) judgeUnary(context, field.text, [next])
    if (/^-(?:nt|ot|ef)$/.test(field.text)) {
      for (const side of [args[index - 1], next]) if (side !== undefined) context.access('look', side)
    }
  })
  const shown = args.find(({ taint }) => taint & Taint.variable)
  if (shown !== undefined && !isSilentTest(args))
    context.askContained('secret-variable', reason('builtin.test-secret'), shown.span ?? span)
  return NOTHING
}

/** `-n VALUE`, `VALUE = VALUE`, quoted: any other form may print the value in an error message. */
function isSilentTest(args: readonly Field[]): boolean {
  if (args.some(({ isSplit }) => isSplit === true)) return false
  const [first, second] = args
  if (args.length === 1) return true
  if (args.length === 2) return /^-[nz]$|^!$/.test(first?.text ?? '')
  return args.length === 3 && /^(?:=|==|!=)$/.test(second?.text ?? '')
}
