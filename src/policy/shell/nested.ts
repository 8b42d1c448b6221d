/** Finds the commands in parts of a command whose value does not matter: indexes, patterns, arithmetic. */

import { forEachChild, type SyntaxNode } from 'unbash'
import type { Reader } from './interpreter.js'

export function walkNested(reader: Reader, node: SyntaxNode): void {
  reader.spend()
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      reader.substitute(node.script, reader.span(node))
      return
    default:
      forEachChild(node, (child) => walkNested(reader, child))
  }
}
