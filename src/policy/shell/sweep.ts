/** The last look at a command: whatever the walk has passed by, and every text that the parser has handed on unread. */

import { forEachChild, type SyntaxNode } from 'unbash'
import type { Reader } from './interpreter.js'
import { isLive, judgeHidden, judgeRaw, type RawKind } from './raw.js'

/** Looks at everything below `node` but the scripts of substitutions, which are swept when they are read. */
export function sweep(reader: Reader, node: SyntaxNode, kind: RawKind = 'bare'): void {
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      if (node.script !== undefined && reader.hasRead(node.script)) return
      if (node.script === undefined) judgeRaw(reader, node.text, reader.span(node))
      else {
        reader.ask('unreadable', 'A command stands where none is expected.', reader.span(node))
        reader.substitute(node.script, reader.span(node))
      }
      return
    case 'SingleQuoted':
    case 'AnsiCQuoted':
    case 'HereDocDelimiter':
      return
    case 'HereDoc':
      if (node.body.parts !== undefined) sweep(reader, node.body, 'quoted')
      else if (node.delimiter?.quoted !== true) look(reader, node.body.text, node.body, 'quoted')
      return
    case 'Literal':
      look(reader, node.text, node, kind)
      return
    case 'SimpleExpansion':
      if (!SIMPLE.test(node.text)) judgeRaw(reader, node.text, reader.span(node))
      return
    case 'ParameterExpansion':
      if (node.operation?.type === 'Unknown') judgeRaw(reader, node.text, reader.span(node))
      break
    case 'FileDescriptorVariable':
      if (!/^\w+$/.test(node.name)) judgeRaw(reader, node.name, reader.span(node))
      return
    case 'ArithmeticExpansion':
    case 'ArithmeticCommand':
      sweepArithmetic(reader, node)
      return
    case 'ArithmeticWord':
      if (node.parts === undefined) look(reader, node.value, node, 'quoted')
      break
    case 'Word':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      if (node.parts === undefined) look(reader, node.text, node, kind)
      break
    default:
  }
  const below = QUOTING.has(node.type) ? 'quoted' : kind
  forEachChild(node, (child) => sweep(reader, child, below))
}

const SIMPLE = /^\$(?:\\\n)*(?:\w(?:\w|\\\n)*|[@*#?$!-])$/

/** What is below is read as if in double quotes. */
const QUOTING: ReadonlySet<string> = new Set(['DoubleQuoted', 'LocaleString', 'ArithmeticFor'])

function sweepArithmetic(
  reader: Reader,
  node: Extract<SyntaxNode, { type: 'ArithmeticExpansion' | 'ArithmeticCommand' }>,
): void {
  const text = node.type === 'ArithmeticCommand' ? node.body : node.text
  if (node.expression !== undefined) sweep(reader, node.expression, 'quoted')
  else if (/[^\s$()[\]]/.test(text)) judgeRaw(reader, text, reader.span(node))
}

function look(reader: Reader, text: string, node: { pos: number; end: number }, kind: RawKind): void {
  if (!isLive(text, kind)) return
  reader.ask('unreadable', 'A part of it cannot be read.', reader.span(node))
  judgeHidden(reader, text, reader.span(node))
}
