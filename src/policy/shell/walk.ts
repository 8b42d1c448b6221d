/** Walks the tree of a command. Every simple command counts as if it were reached, whatever stands before it. */

import type {
  AndOr,
  Case,
  CommandNode,
  CompoundCommand,
  CompoundList,
  For,
  If,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Redirected,
  Select,
  Statement,
} from 'unbash'
import { UNKNOWN } from '../file/path.js'
import { expandArithmetic } from './arithmetic.js'
import { findGap } from './coverage.js'
import { expandWord, expandWords } from './expand.js'
import type { Field } from './field.js'
import type { Reader } from './interpreter.js'
import { findLooseEnd } from './loose-end.js'
import { walkNested } from './nested.js'
import { judgeHidden, judgeRaw } from './raw.js'
import { deliver, readRedirections } from './redirect.js'
import { walkCommand } from './simple.js'
import type { FunctionBody, State } from './state.js'
import { ANYTHING, join, NOTHING, type Stream } from './stream.js'
import { sweep } from './sweep.js'
import { walkTest } from './test-expression.js'
import { isOrdinaryVariable } from './variable.js'

/** `text` is what the script was parsed from. */
export function walkScript(reader: Reader, script: ParsedScript, text: string | undefined): Stream {
  const loose = text === undefined ? null : findLooseEnd(text, script)
  if (loose !== null) reader.ask('unreadable', 'It cannot be read as a shell command.', reader.span(loose))
  for (const { message, pos } of script.errors ?? []) {
    reader.ask(
      'unreadable',
      `It cannot be read as a shell command: ${message}.`,
      reader.span({ pos, end: pos }),
    )
  }
  const out = walkStatements(reader, script.commands)
  sweep(reader, script)
  const hasErrors = loose !== null || (script.errors?.length ?? 0) > 0
  // What the parser has left out may run all the same.
  if (hasErrors) judgeHidden(reader, text ?? reader.source.slice(script.pos, script.end), reader.span(script))
  if (text !== undefined) judgeGap(reader, text, script)
  return out
}

/** Text that the parser has not accounted for is read as if it ran, beside everything else. */
function judgeGap(reader: Reader, text: string, script: ParsedScript): void {
  const gap = findGap(text, script)
  if (gap === null) return
  const span = reader.span(gap)
  reader.ask('unreadable', 'A part of it cannot be read.', span)
  const { pos, end, sign } = gap
  const read = sign === null ? text.slice(pos, end) : `${text.slice(0, sign)}_${text.slice(sign + 1)}`
  // A text without a tree is the same again.
  if (sign !== null || read.length < text.length) reader.inSubshell(() => reader.runText(read, span))
}

function walkStatements(reader: Reader, statements: readonly Statement[]): Stream {
  let out = NOTHING
  for (const statement of statements) {
    const { folders } = reader.state
    out = join(out, walkStatement(reader, statement))
    // A `cd` may fail, and what stands behind it runs all the same.
    if (statement.command.type !== 'AndOr') reader.state.addFolders(folders)
  }
  return out
}

function walkList(reader: Reader, list: CompoundList): Stream {
  return walkStatements(reader, list.commands)
}

function walkStatement(reader: Reader, { command, background }: Statement): Stream {
  reader.spend()
  if (!background) return walkNode(reader, command)
  return sideBySide(reader, () => reader.inSubshell(() => walkNode(reader, command)))
}

function sideBySide<Result>(reader: Reader, action: () => Result): Result {
  reader.parallel++
  const result = action()
  reader.parallel--
  return result
}

function walkNode(reader: Reader, node: PipelineNode | AndOr): Stream {
  switch (node.type) {
    case 'Pipeline':
      return walkPipeline(reader, node)
    case 'AndOr':
      return walkAndOr(reader, node)
    case 'Command':
      return walkCommand(reader, node)
    case 'Redirected':
      return walkRedirected(reader, node)
    case 'Function':
      reader.ask('code', 'It defines a function.', reader.span(node))
      return defineFunction(reader, node.name.value, node.body)
    case 'Coproc':
      reader.ask('environment', 'It starts a coprocess, which sets variables.', reader.span(node))
      return sideBySide(reader, () => reader.inSubshell(() => walkBody(reader, node.body)))
    default:
      return walkCompound(reader, node)
  }
}

function walkPipeline(reader: Reader, { commands, prefixes }: Pipeline): Stream {
  for (const prefix of prefixes)
    if (prefix.type !== 'Time' && prefix.type !== 'Negation') walkUnknown(reader, prefix)
  const [only, ...others] = commands
  if (only === undefined) return NOTHING
  if (others.length === 0) return walkNode(reader, only)
  return sideBySide(reader, () => {
    let flow = reader.stdin
    for (const command of commands) {
      const input = flow
      flow = reader.inSubshell(() => {
        reader.stdin = input
        return walkNode(reader, command)
      })
    }
    return flow ?? NOTHING
  })
}

/** `succeeded` and `failed` are what is left behind if the list up to here did; either may be what comes next. */
function walkAndOr(reader: Reader, { commands, operators }: AndOr): Stream {
  let out = NOTHING
  let succeeded = reader.state
  let failed: State | null = null
  commands.forEach((command, index) => {
    const isAfterFailure = operators[index - 1] === '||' && failed !== null
    const before: State = isAfterFailure && failed !== null ? failed : succeeded
    reader.state = before.fork()
    out = join(out, walkNode(reader, command))
    const after = reader.state
    let broken = (failed ?? before).fork()
    if (!after.hasEnded) {
      broken.merge(before)
      broken.merge(after)
    } else if (isAfterFailure) broken = after
    if (isAfterFailure) {
      succeeded = succeeded.fork()
      succeeded.merge(after)
    } else succeeded = after
    failed = broken
  })
  reader.state = succeeded.fork()
  if (failed !== null) reader.state.merge(failed)
  return out
}

function walkRedirected(reader: Reader, { command, redirects }: Redirected): Stream {
  const { stdin, outputs } = readRedirections(reader, redirects)
  const out = reader.withStdin(stdin ?? reader.stdin, () => walkCompound(reader, command))
  return deliver(reader, out, outputs)
}

export function walkBody(reader: Reader, body: FunctionBody | CommandNode): Stream {
  if (body.type === 'CompoundList') return walkList(reader, body)
  return walkNode(reader, body)
}

/** A function is read where it is defined, as if it were called, and again with its arguments where it is called. */
function defineFunction(reader: Reader, name: string, body: FunctionBody): Stream {
  reader.state.functions.set(name, body)
  const { functions, parallel } = reader
  reader.functions = [...functions, name]
  reader.parallel = 0
  reader.inSubshell(() => {
    reader.state.positional = null
    walkBody(reader, body)
  })
  reader.functions = functions
  reader.parallel = parallel
  return NOTHING
}

function walkCompound(reader: Reader, node: CompoundCommand): Stream {
  switch (node.type) {
    case 'If':
      return walkIf(reader, node)
    case 'For':
    case 'Select':
      return walkFor(reader, node)
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) walkNested(reader, part)
      reader.ask('unknown-value', 'It counts in a loop.', reader.span(node))
      return walkLoop(reader, () => walkList(reader, node.body))
    case 'While':
      return walkLoop(reader, () => {
        const clause = walkList(reader, node.clause)
        return join(clause, walkList(reader, node.body))
      })
    case 'Subshell':
      return reader.inSubshell(() => walkList(reader, node.body))
    case 'BraceGroup':
      return walkList(reader, node.body)
    case 'Case':
      return walkCase(reader, node)
    case 'TestCommand':
      walkTest(reader, node.expression)
      return NOTHING
    case 'ArithmeticCommand':
      expandArithmetic(reader, node.expression, reader.span(node))
      return NOTHING
    default:
      return walkUnknown(reader, node)
  }
}

/** A kind of node that is not known here. */
function walkUnknown(reader: Reader, node: never): Stream {
  const { pos, end } = node as { pos: number; end: number }
  judgeRaw(reader, reader.source.slice(pos, end), reader.span({ pos, end }))
  return ANYTHING
}

/** Perhaps not once, perhaps again and again: each time it begins with what the time before has left behind. */
function walkLoop(reader: Reader, walk: () => Stream): Stream {
  const before = reader.state.fork()
  let out = walk()
  const hasMoved = reader.state.folders.some((folder) => !before.folders.includes(folder))
  const hasChanged = hasMoved || reader.state.differsFrom(before)
  reader.state.merge(before)
  if (hasMoved) reader.state.addFolders([UNKNOWN])
  if (hasChanged) {
    const between = reader.state.fork()
    out = join(out, walk())
    reader.state.merge(between)
  }
  return { ...out, text: null }
}

function walkIf(reader: Reader, node: If): Stream {
  const out = walkList(reader, node.clause)
  const branches: (() => Stream)[] = [() => walkList(reader, node.then)]
  for (const { clause, then } of node.elif) {
    branches.push(() => join(walkList(reader, clause), walkList(reader, then)))
  }
  const otherwise = node.else
  branches.push(() => (otherwise === undefined ? NOTHING : walkList(reader, otherwise)))
  return join(out, walkBranches(reader, branches))
}

function walkBranches(reader: Reader, branches: readonly (() => Stream)[]): Stream {
  const before = reader.state
  const ends: State[] = []
  let out = NOTHING
  for (const branch of branches) {
    reader.state = before.fork()
    out = join(out, branch())
    ends.push(reader.state)
  }
  const [first = before, ...others] = ends
  for (const other of others) first.merge(other)
  reader.state = first
  return { ...out, text: null }
}

function walkFor(reader: Reader, { name, wordlist, body, type }: For | Select): Stream {
  const fields: readonly Field[] =
    wordlist === undefined ? (reader.state.positional ?? []) : expandWords(reader, wordlist)
  const what = `It sets the variable ${name.value}.`
  if (type === 'Select' || !isOrdinaryVariable(name.value)) reader.ask('environment', what, reader.span(name))
  else if (!/^[a-z]\w*$/.test(name.value)) reader.askContained('environment', what, reader.span(name))
  reader.state.set(name.value, fields)
  return walkLoop(reader, () => walkList(reader, body))
}

function walkCase(reader: Reader, { word, items }: Case): Stream {
  expandWord(reader, word, 'whole')
  const branches = items.map((item) => () => {
    for (const pattern of item.pattern) walkNested(reader, pattern)
    return walkList(reader, item.body)
  })
  const isTotal = items.some(({ pattern }) => pattern.some(({ text }) => text === '*'))
  const fallsThrough = items.some(({ terminator }) => terminator === ';&' || terminator === ';;&')
  // From one branch into the next: each may begin where another has ended.
  if (fallsThrough) {
    const run = () => branches.reduce((out, branch) => join(out, branch()), NOTHING)
    return walkLoop(reader, run)
  }
  return walkBranches(reader, isTotal ? branches : [...branches, () => NOTHING])
}
