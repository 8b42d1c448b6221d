/** Walks the syntax tree of a command. Every simple command counts as reachable, whatever precedes it. */

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
import { reason } from '../../protocol/reason/reason.js'
import { UNKNOWN } from '../file/path.js'
import { findGap } from './coverage.js'
import type { Field, Stream } from './field.js'
import { findLooseEnd } from './loose-end.js'
import { deliver, readRedirections } from './redirect.js'
import type { ShellContext } from './shell-context.js'
import { walkCommand } from './simple.js'
import type { FunctionBody, State } from './state.js'
import { ANYTHING, join, NOTHING } from './stream.js'
import { sweep } from './sweep.js'
import { walkTest } from './test-expression.js'
import { isOrdinaryVariable } from './variable.js'
import { expandArithmetic } from './word/arithmetic.js'
import { expandWord, expandWords } from './word/expand.js'
import { walkNested } from './word/nested.js'
import { judgeHidden, judgeRaw } from './word/raw.js'

/** `text` is the source of the script. */
export function walkScript(context: ShellContext, script: ParsedScript, text: string | undefined): Stream {
  const loose = text === undefined ? null : findLooseEnd(text, script)
  if (loose !== null) context.ask('unreadable', reason('shell.unreadable'), context.span(loose))
  for (const { message, pos } of script.errors ?? []) {
    context.ask('unreadable', reason('shell.syntax', { problem: message }), context.span({ pos, end: pos }))
  }
  const out = walkStatements(context, script.commands)
  sweep(context, script)
  const hasErrors = loose !== null || (script.errors?.length ?? 0) > 0
  // Text that the parser has left out may run all the same.
  if (hasErrors)
    judgeHidden(context, text ?? context.source.slice(script.pos, script.end), context.span(script))
  if (text !== undefined) judgeGap(context, text, script)
  return out
}

/** Text that the parser has not covered is read as if it ran, in addition to everything else. */
function judgeGap(context: ShellContext, text: string, script: ParsedScript): void {
  const gap = findGap(text, script)
  if (gap === null) return
  const span = context.span(gap)
  context.ask('unreadable', reason('shell.unreadable-part'), span)
  const { pos, end, sign } = gap
  const read = sign === null ? text.slice(pos, end) : `${text.slice(0, sign)}_${text.slice(sign + 1)}`
  // Prevents endless recursion: a gap as long as the text would be read again.
  if (sign !== null || read.length < text.length) context.inSubshell(() => context.runText(read, span))
}

function walkStatements(context: ShellContext, statements: readonly Statement[]): Stream {
  let out = NOTHING
  for (const statement of statements) {
    const { folders } = context.state
    out = join(out, walkStatement(context, statement))
    // A `cd` may fail, and the following commands run all the same.
    if (statement.command.type !== 'AndOr') context.state.addFolders(folders)
  }
  return out
}

function walkList(context: ShellContext, list: CompoundList): Stream {
  return walkStatements(context, list.commands)
}

function walkStatement(context: ShellContext, { command, background }: Statement): Stream {
  context.spend()
  if (!background) return walkNode(context, command)
  return sideBySide(context, () => context.inSubshell(() => walkNode(context, command)))
}

function sideBySide<Result>(context: ShellContext, action: () => Result): Result {
  context.parallel++
  const result = action()
  context.parallel--
  return result
}

function walkNode(context: ShellContext, node: PipelineNode | AndOr): Stream {
  switch (node.type) {
    case 'Pipeline':
      return walkPipeline(context, node)
    case 'AndOr':
      return walkAndOr(context, node)
    case 'Command':
      return walkCommand(context, node)
    case 'Redirected':
      return walkRedirected(context, node)
    case 'Function':
      context.ask('code', reason('shell.function'), context.span(node))
      return defineFunction(context, node.name.value, node.body)
    case 'Coproc':
      context.ask('environment', reason('shell.coprocess'), context.span(node))
      return sideBySide(context, () => context.inSubshell(() => walkBody(context, node.body)))
    default:
      return walkCompound(context, node)
  }
}

function walkPipeline(context: ShellContext, { commands, prefixes }: Pipeline): Stream {
  for (const prefix of prefixes)
    if (prefix.type !== 'Time' && prefix.type !== 'Negation') walkUnknown(context, prefix)
  const [only, ...others] = commands
  if (only === undefined) return NOTHING
  if (others.length === 0) return walkNode(context, only)
  return sideBySide(context, () => {
    let flow = context.stdin
    for (const command of commands) {
      const input = flow
      flow = context.inSubshell(() => {
        context.stdin = input
        return walkNode(context, command)
      })
    }
    return flow ?? NOTHING
  })
}

/** `succeeded` and `failed` are the states after the list so far; either may be the one that continues. */
function walkAndOr(context: ShellContext, { commands, operators }: AndOr): Stream {
  let out = NOTHING
  let succeeded = context.state
  let failed: State | null = null
  commands.forEach((command, index) => {
    const isAfterFailure = operators[index - 1] === '||' && failed !== null
    const before: State = isAfterFailure && failed !== null ? failed : succeeded
    context.state = before.fork()
    out = join(out, walkNode(context, command))
    const after = context.state
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
  context.state = succeeded.fork()
  if (failed !== null) context.state.merge(failed)
  return out
}

function walkRedirected(context: ShellContext, { command, redirects }: Redirected): Stream {
  const { stdin, outputs } = readRedirections(context, redirects)
  const out = context.withStdin(stdin ?? context.stdin, () => walkCompound(context, command))
  return deliver(context, out, outputs)
}

export function walkBody(context: ShellContext, body: FunctionBody | CommandNode): Stream {
  if (body.type === 'CompoundList') return walkList(context, body)
  return walkNode(context, body)
}

/** A function is read at its definition, as if it were called, and again with its arguments at each call. */
function defineFunction(context: ShellContext, name: string, body: FunctionBody): Stream {
  context.state.functions.set(name, body)
  const { functions, parallel } = context
  context.functions = [...functions, name]
  context.parallel = 0
  context.inSubshell(() => {
    context.state.positional = null
    walkBody(context, body)
  })
  context.functions = functions
  context.parallel = parallel
  return NOTHING
}

function walkCompound(context: ShellContext, node: CompoundCommand): Stream {
  switch (node.type) {
    case 'If':
      return walkIf(context, node)
    case 'For':
    case 'Select':
      return walkFor(context, node)
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) walkNested(context, part)
      context.ask('unknown-value', reason('shell.counting-loop'), context.span(node))
      return walkLoop(context, () => walkList(context, node.body))
    case 'While':
      return walkLoop(context, () => {
        const clause = walkList(context, node.clause)
        return join(clause, walkList(context, node.body))
      })
    case 'Subshell':
      return context.inSubshell(() => walkList(context, node.body))
    case 'BraceGroup':
      return walkList(context, node.body)
    case 'Case':
      return walkCase(context, node)
    case 'TestCommand':
      walkTest(context, node.expression)
      return NOTHING
    case 'ArithmeticCommand':
      expandArithmetic(context, node.expression, context.span(node))
      return NOTHING
    default:
      return walkUnknown(context, node)
  }
}

/** Fails closed on a kind of node that is not known here. */
function walkUnknown(context: ShellContext, node: never): Stream {
  const { pos, end } = node as { pos: number; end: number }
  judgeRaw(context, context.source.slice(pos, end), context.span({ pos, end }))
  return ANYTHING
}

/** A loop runs any number of times: each round starts with the state that the previous one left. */
function walkLoop(context: ShellContext, walk: () => Stream): Stream {
  const before = context.state.fork()
  let out = walk()
  const hasMoved = context.state.folders.some((folder) => !before.folders.includes(folder))
  const hasChanged = hasMoved || context.state.differsFrom(before)
  context.state.merge(before)
  if (hasMoved) context.state.addFolders([UNKNOWN])
  if (hasChanged) {
    const between = context.state.fork()
    out = join(out, walk())
    context.state.merge(between)
  }
  return { ...out, text: null }
}

function walkIf(context: ShellContext, node: If): Stream {
  const out = walkList(context, node.clause)
  const branches: (() => Stream)[] = [() => walkList(context, node.then)]
  for (const { clause, then } of node.elif) {
    branches.push(() => join(walkList(context, clause), walkList(context, then)))
  }
  const otherwise = node.else
  branches.push(() => (otherwise === undefined ? NOTHING : walkList(context, otherwise)))
  return join(out, walkBranches(context, branches))
}

function walkBranches(context: ShellContext, branches: readonly (() => Stream)[]): Stream {
  const before = context.state
  const ends: State[] = []
  let out = NOTHING
  for (const branch of branches) {
    context.state = before.fork()
    out = join(out, branch())
    ends.push(context.state)
  }
  const [first = before, ...others] = ends
  for (const other of others) first.merge(other)
  context.state = first
  return { ...out, text: null }
}

function walkFor(context: ShellContext, { name, wordlist, body, type }: For | Select): Stream {
  const fields: readonly Field[] =
    wordlist === undefined ? (context.state.positional ?? []) : expandWords(context, wordlist)
  const what = reason('shell.sets', { name: name.value })
  if (type === 'Select' || !isOrdinaryVariable(name.value))
    context.ask('environment', what, context.span(name))
  else if (!/^[a-z]\w*$/.test(name.value)) context.askContained('environment', what, context.span(name))
  context.state.set(name.value, fields)
  return walkLoop(context, () => walkList(context, body))
}

function walkCase(context: ShellContext, { word, items }: Case): Stream {
  expandWord(context, word, 'whole')
  const branches = items.map((item) => () => {
    for (const pattern of item.pattern) walkNested(context, pattern)
    return walkList(context, item.body)
  })
  const isTotal = items.some(({ pattern }) => pattern.some(({ text }) => text === '*'))
  const fallsThrough = items.some(({ terminator }) => terminator === ';&' || terminator === ';;&')
  // Fall-through from one branch into the next: each may start where another has ended.
  if (fallsThrough) {
    const run = () => branches.reduce((out, branch) => join(out, branch()), NOTHING)
    return walkLoop(context, run)
  }
  return walkBranches(context, isTotal ? branches : [...branches, () => NOTHING])
}
