/** One simple command: its assignments, its redirections, and the program that it names. */

import type { Assignment, Command, Word } from 'unbash'
import { isKnown, UNKNOWN } from '../file/path.js'
import { judgeNumber } from './arithmetic.js'
import { expandWays, expandWord, expandWords } from './expand.js'
import { type Field, literal, Taint } from './field.js'
import type { Reader } from './interpreter.js'
import { judgeIndex } from './parameter.js'
import { judgeRaw } from './raw.js'
import { deliver, readRedirections } from './redirect.js'
import { join, NOTHING, type Stream } from './stream.js'
import { isOrdinaryVariable } from './variable.js'

export function walkCommand(reader: Reader, node: Command): Stream {
  reader.spend()
  const span = reader.span(node)
  judgeDescriptors(reader, node)
  const { stdin, outputs } = readRedirections(reader, node.redirects)
  const assignments = node.prefix.filter((item) => item.type === 'Assignment')
  const heads = node.name === undefined ? [] : expandWays(reader, node.name, 'split')
  const args = node.args.flatMap((item) =>
    item.type === 'Word' ? expandWords(reader, [item]) : [assignmentField(reader, item)],
  )
  if (node.name === undefined) {
    for (const assignment of assignments) assign(reader, assignment)
    // `$(<FILE)` is what is in the file, and zsh prints it without the substitution as well.
    return deliver(reader, stdin ?? NOTHING, outputs)
  }
  if (node.name.parts?.some(({ type }) => PUT_TOGETHER.has(type))) {
    reader.ask('unknown-value', 'Which program runs is put together when it runs.', reader.span(node.name))
  }
  const restore = exportFor(reader, assignments)
  let out = NOTHING
  for (const head of heads) {
    const words = [...head, ...args]
    noteCall(reader, words)
    const run = () => reader.withStdin(stdin ?? reader.stdin, () => reader.runWords(words, span))
    out = join(
      out,
      reader.inCommand(words, span, () => deliver(reader, run(), outputs)),
    )
    reader.state.lastArgument = words.at(-1) ?? null
  }
  restore()
  return out
}

/** `{NAME}>FILE`, where the name is an element of a list: to bash it is no word. */
function judgeDescriptors(reader: Reader, { name, suffix, redirects }: Command): void {
  for (const word of [name, ...suffix]) {
    if (word?.type !== 'Word' || !/^\{[^]*\}$/.test(word.text)) continue
    if (redirects.some(({ pos }) => pos === word.end)) judgeRaw(reader, word.text, reader.span(word))
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

/** An argument like `X=1` of `export` and its kin. */
function assignmentField(reader: Reader, assignment: Assignment): Field {
  const value = valueOf(reader, assignment)
  const text = value.length === 1 ? (value[0]?.text ?? '') : UNKNOWN
  const taint = value.reduce((sum, field) => sum | field.taint, 0)
  return literal(`${assignment.name}=${text}`, reader.span(assignment), taint)
}

function valueOf(reader: Reader, { value, index }: Assignment): Field[] {
  if (index !== undefined) judgeIndex(reader, index)
  if (value.type !== 'ArrayValue') return expandWord(reader, value, 'whole')
  for (const element of value.elements) judgeElement(reader, element)
  return expandWords(reader, value.elements)
}

/** `[INDEX]=VALUE` in a list: the index is arithmetic. */
function judgeElement(reader: Reader, element: Word): void {
  if (!element.text.startsWith('[')) return
  for (const field of expandWord(reader, element, 'whole')) {
    const index = /^\[([^]*?)\]\+?=/.exec(field.text)?.[1]
    if (index !== undefined) judgeNumber(reader, { ...field, text: index })
    else if (!isKnown(field.text)) judgeNumber(reader, field)
  }
}

/** An assignment by itself lasts: it changes what later words and programs see. */
function assign(reader: Reader, assignment: Assignment): void {
  reader.spend(4)
  const { name, append, index, value } = assignment
  const span = reader.span(assignment)
  const fields = valueOf(reader, assignment)
  const what = `It sets the variable ${name}.`
  if (isOrdinaryVariable(name)) reader.askUnfollowed('environment', what, span)
  else if (name === 'IFS') reader.askContained('environment', what, span)
  else reader.ask('environment', what, span)
  judgeProgramVariable(reader, name, fields)
  const before = reader.state.variables.get(name)
  if (value.type === 'ArrayValue') {
    reader.state.setList(name, append ? [...(before?.list ?? []), ...fields] : fields)
  } else if (index !== undefined) {
    reader.state.setList(name, [...(before?.list ?? []), ...fields])
  } else if (append) {
    const old = before?.values ?? [literal(UNKNOWN, span)]
    reader.state.set(
      name,
      old.flatMap((first) =>
        fields.map((last) => ({ ...last, text: first.text + last.text, taint: first.taint | last.taint })),
      ),
    )
  } else {
    reader.state.set(name, fields)
  }
}

/** Assignments before a program hold for it alone. */
function exportFor(reader: Reader, assignments: readonly Assignment[]): () => void {
  if (assignments.length === 0) return () => {}
  const before = assignments.map(({ name }) => [name, reader.state.variables.get(name)] as const)
  for (const assignment of assignments) {
    const fields = valueOf(reader, assignment)
    judgeEnvironment(reader, assignment.name, fields)
    if (assignment.index !== undefined || assignment.value.type === 'ArrayValue')
      reader.ask('environment', `It sets an element of ${assignment.name}.`, reader.span(assignment))
    if (assignment.value.type !== 'ArrayValue') reader.state.set(assignment.name, fields)
  }
  return () => {
    for (const [name, variable] of before) {
      if (variable === undefined) reader.state.variables.delete(name)
      else reader.state.variables.set(name, variable)
    }
  }
}

const HARMLESS_PREFIX = /^(?:LC_[A-Z]+|LANG|TZ|NO_COLOR)$/

export function judgeEnvironment(reader: Reader, name: string, values: readonly Field[]): void {
  const span = values[0]?.span ?? [0, 0]
  const what = `It runs with another value of ${name}.`
  // No program takes over how a shell splits words.
  if (name === 'IFS') reader.askUnfollowed('environment', what, span)
  else if (!HARMLESS_PREFIX.test(name)) reader.ask('environment', what, span)
  // A shell complains about a language that it does not know.
  const shown = values.find(({ taint }) => taint & Taint.variable)
  if (shown !== undefined)
    reader.askContained('secret-variable', 'It shows a variable whose value may be a secret.', shown.span)
  judgeProgramVariable(reader, name, values)
}

/** Variables whose value is a command that some program runs. */
const PROGRAM_VARIABLES =
  /^(?:\w*PAGER|\w*EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|PS[0-4]|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|\w*ASKPASS|\w+_COMMAND|\w+_CMD|RSYNC_RSH|CVS_RSH|SSH_ASKPASS|FCEDIT|SHELL)$/

function judgeProgramVariable(reader: Reader, name: string, values: readonly Field[]): void {
  if (!PROGRAM_VARIABLES.test(name)) return
  for (const { text, span } of values) if (isKnown(text)) reader.inSubshell(() => reader.runText(text, span))
}

function noteCall(reader: Reader, [name]: readonly Field[]): void {
  const from = reader.functions.at(-1)
  if (from !== undefined && name !== undefined) {
    reader.calls.push({ from, to: name.text, isParallel: reader.parallel > 0 })
  }
}
