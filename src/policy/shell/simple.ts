/** One simple command: its assignments, its redirections, and the program that it names. */

import type { Assignment, Command, Word } from 'unbash'
import { isLocaleVariable, isUniformLocale } from '../../lib/locale-variable.js'
import { reason } from '../../protocol/reason/reason.js'
import { isKnown, UNKNOWN } from '../file/path.js'
import type { JudgeContext } from '../program/judge-context.js'
import { type Field, literal, type Stream, Taint } from './field.js'
import { deliver, readRedirections } from './redirect.js'
import type { ShellContext } from './shell-context.js'
import { join, NOTHING } from './stream.js'
import { isOrdinaryVariable } from './variable.js'
import { judgeNumber } from './word/arithmetic.js'
import { expandWays, expandWord, expandWords } from './word/expand.js'
import { judgeIndex } from './word/parameter.js'
import { judgeRaw } from './word/raw.js'

export function walkCommand(context: ShellContext, node: Command): Stream {
  context.spend()
  const span = context.span(node)
  judgeDescriptors(context, node)
  const { stdin, outputs } = readRedirections(context, node.redirects)
  const assignments = node.prefix.filter((item) => item.type === 'Assignment')
  const heads = node.name === undefined ? [] : expandWays(context, node.name, 'split')
  const args = node.args.flatMap((item) =>
    item.type === 'Word' ? expandWords(context, [item]) : [assignmentField(context, item)],
  )
  if (node.name === undefined) {
    for (const assignment of assignments) assign(context, assignment)
    // `$(<FILE)` is the content of the file, and zsh prints it without the substitution as well.
    return deliver(context, stdin ?? NOTHING, outputs)
  }
  if (node.name.parts?.some(({ type }) => PUT_TOGETHER.has(type))) {
    context.ask('unknown-value', reason('shell.built-program'), context.span(node.name))
  }
  const restore = exportFor(context, assignments)
  let out = NOTHING
  for (const head of heads) {
    const words = [...head, ...args]
    noteCall(context, words)
    const run = () => context.withStdin(stdin ?? context.stdin, () => context.runWords(words, span))
    out = join(
      out,
      context.inCommand(words, span, () => deliver(context, run(), outputs)),
    )
    context.state.lastArgument = words.at(-1) ?? null
  }
  restore()
  return out
}

/** `{NAME}>FILE` where the name is an element of a list: bash does not treat it as a word. */
function judgeDescriptors(context: ShellContext, { name, suffix, redirects }: Command): void {
  for (const word of [name, ...suffix]) {
    if (word?.type !== 'Word' || !/^\{[^]*\}$/.test(word.text)) continue
    if (redirects.some(({ pos }) => pos === word.end)) judgeRaw(context, word.text, context.span(word))
  }
}

const PUT_TOGETHER: ReadonlySet<string> = new Set([
  'SimpleExpansion',
  'ParameterExpansion',
  'CommandExpansion',
  'ArithmeticExpansion',
  'BraceExpansion',
  'ProcessSubstitution',
])

/** An argument such as `X=1` of `export` and similar builtins. */
function assignmentField(context: ShellContext, assignment: Assignment): Field {
  const value = valueOf(context, assignment)
  const text = value.length === 1 ? (value[0]?.text ?? '') : UNKNOWN
  const taint = value.reduce((sum, field) => sum | field.taint, 0)
  return literal(`${assignment.name}=${text}`, context.span(assignment), taint)
}

function valueOf(context: ShellContext, { value, index }: Assignment): Field[] {
  if (index !== undefined) judgeIndex(context, index)
  if (value.type !== 'ArrayValue') return expandWord(context, value, 'whole')
  for (const element of value.elements) judgeElement(context, element)
  return expandWords(context, value.elements)
}

/** `[INDEX]=VALUE` in a list: the index is arithmetic. */
function judgeElement(context: ShellContext, element: Word): void {
  if (!element.text.startsWith('[')) return
  for (const field of expandWord(context, element, 'whole')) {
    const index = /^\[([^]*?)\]\+?=/.exec(field.text)?.[1]
    if (index !== undefined) judgeNumber(context, { ...field, text: index })
    else if (!isKnown(field.text)) judgeNumber(context, field)
  }
}

/** An assignment without a program persists: later words and programs see it. */
function assign(context: ShellContext, assignment: Assignment): void {
  context.spend(4)
  const { name, append, index, value } = assignment
  const span = context.span(assignment)
  const fields = valueOf(context, assignment)
  const what = reason('shell.sets', { name })
  if (isOrdinaryVariable(name)) context.askUnfollowed('environment', what, span)
  else if (name === 'IFS') context.askContained('environment', what, span)
  else context.ask('environment', what, span)
  judgeProgramVariable(context, name, fields)
  const before = context.state.variables.get(name)
  if (value.type === 'ArrayValue') {
    context.state.setList(name, append ? [...(before?.list ?? []), ...fields] : fields)
  } else if (index !== undefined) {
    context.state.setList(name, [...(before?.list ?? []), ...fields])
  } else if (append) {
    const old = before?.values ?? [literal(UNKNOWN, span)]
    context.state.set(
      name,
      old.flatMap((first) =>
        fields.map((last) => ({ ...last, text: first.text + last.text, taint: first.taint | last.taint })),
      ),
    )
  } else {
    context.state.set(name, fields)
  }
}

/** Assignments before a program apply to that program only. */
function exportFor(context: ShellContext, assignments: readonly Assignment[]): () => void {
  if (assignments.length === 0) return () => {}
  const before = assignments.map(({ name }) => [name, context.state.variables.get(name)] as const)
  for (const assignment of assignments) {
    const fields = valueOf(context, assignment)
    judgeEnvironment(context, assignment.name, fields)
    if (assignment.index !== undefined || assignment.value.type === 'ArrayValue')
      context.ask(
        'environment',
        reason('shell.sets-element', { name: assignment.name }),
        context.span(assignment),
      )
    if (assignment.value.type !== 'ArrayValue') context.state.set(assignment.name, fields)
  }
  return () => {
    for (const [name, variable] of before) {
      if (variable === undefined) context.state.variables.delete(name)
      else context.state.variables.set(name, variable)
    }
  }
}

const HARMLESS_PREFIX = /^(?:LC_[A-Z]+|LANG|TZ|NO_COLOR)$/

export function judgeEnvironment(context: JudgeContext, name: string, values: readonly Field[]): void {
  const span = values[0]?.span ?? [0, 0]
  const what = reason('shell.runs-with', { name })
  // No program inherits the way a shell splits words.
  if (name === 'IFS') context.askUnfollowed('environment', what, span)
  else if (!HARMLESS_PREFIX.test(name) || !values.every(({ text }) => mayRead(name, text)))
    context.ask('environment', what, span)
  // A shell prints an unknown locale in a warning.
  const shown = values.find(({ taint }) => taint & Taint.variable)
  if (shown !== undefined) context.askContained('secret-variable', reason('shell.secret'), shown.span)
  judgeProgramVariable(context, name, values)
}

/** In some locales programs read their scripts in another way than we do. */
function mayRead(name: string, value: string): boolean {
  return !isLocaleVariable(name) || (isKnown(value) && isUniformLocale(name, value))
}

/** Variables whose value is a command that some program runs. */
const PROGRAM_VARIABLES =
  /^(?:\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|PS[0-4]|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w*ASKPASS|\w+_COMMAND|\w+_CMD|RSYNC_RSH|CVS_RSH|SSH_ASKPASS|FCEDIT|SHELL)$/

function judgeProgramVariable(context: JudgeContext, name: string, values: readonly Field[]): void {
  if (!PROGRAM_VARIABLES.test(name)) return
  for (const { text, span } of values)
    if (isKnown(text)) context.inSubshell(() => context.runText(text, span))
}

function noteCall(context: ShellContext, [name]: readonly Field[]): void {
  const from = context.functions.at(-1)
  if (from !== undefined && name !== undefined) {
    context.calls.push({ from, to: name.text, isParallel: context.parallel > 0 })
  }
}
