/** The final pass over a command: nodes that the walk has skipped, and every text that the parser left unparsed. */

import { forEachChild, type SyntaxNode } from 'unbash'
import { reason } from '../../protocol/reason/reason.js'
import type { ShellContext } from './shell-context.js'
import { isLive, judgeHidden, judgeRaw, type RawKind } from './word/raw.js'

/** Visits everything below `node` except the scripts of substitutions, which are swept when they are read. */
export function sweep(context: ShellContext, node: SyntaxNode, kind: RawKind = 'bare'): void {
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      if (node.script !== undefined && context.hasRead(node.script)) return
      if (node.script === undefined) judgeRaw(context, node.text, context.span(node))
      else {
        context.ask('unreadable', reason('shell.unexpected-command'), context.span(node))
        context.substitute(node.script, context.span(node))
      }
      return
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'HereDocDelimiter':
      return
    case 'HereDoc':
      if (node.body.parts !== undefined) sweep(context, node.body, 'quoted')
      else if (node.delimiter?.quoted !== true) look(context, node.body.text, node.body, 'quoted')
      return
    case 'Literal':
      look(context, node.text, node, kind)
      return
    case 'SimpleExpansion':
      if (!SIMPLE.test(node.text)) judgeRaw(context, node.text, context.span(node))
      return
    case 'ParameterExpansion':
      if (node.operation?.type === 'Unknown') judgeRaw(context, node.text, context.span(node))
      break
    case 'FileDescriptorVariable':
      if (!/^\w+$/.test(node.name)) judgeRaw(context, node.name, context.span(node))
      return
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      sweepArithmetic(context, node)
      return
    case 'ArithmeticWord':
      if (node.parts === undefined) look(context, node.value, node, 'quoted')
      break
    case 'Word':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      if (node.parts === undefined) look(context, node.text, node, kind)
      break
    default:
  }
  const below = QUOTING.has(node.type) ? 'quoted' : kind
  forEachChild(node, (child) => sweep(context, child, below))
}

const SIMPLE = /^\$(?:\\\n)*(?:\w(?:\w|\\\n)*|[@*#?$!-])$/

/** Nodes whose children are read as if in double quotes. */
const QUOTING: ReadonlySet<string> = new Set(['DoubleQuoted', 'LocaleString', 'ArithmeticFor'])

function sweepArithmetic(
  context: ShellContext,
  node: Extract<SyntaxNode, { type: 'ArithmeticExpansion' | 'ArithmeticCommand' }>,
): void {
  const text = node.type === 'ArithmeticCommand' ? node.body : node.text
  if (node.expression !== undefined) sweep(context, node.expression, 'quoted')
  else if (/[^\s$()[\]]/.test(text)) judgeRaw(context, text, context.span(node))
}

function look(context: ShellContext, text: string, node: { pos: number; end: number }, kind: RawKind): void {
  if (!isLive(text, kind)) return
  context.ask('unreadable', reason('shell.unreadable-part'), context.span(node))
  judgeHidden(context, text, context.span(node))
}
