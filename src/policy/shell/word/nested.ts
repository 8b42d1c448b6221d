/** Finds the commands in parts whose value is irrelevant: indexes, patterns, arithmetic. */

import { forEachChild, type SyntaxNode } from 'unbash'
import type { ShellContext } from '../shell-context.js'

export function walkNested(context: ShellContext, node: SyntaxNode): void {
  context.spend()
  switch (node.type) {
    case 'CommandExpansion':
    case 'ProcessSubstitution':
    case 'ArithmeticCommandExpansion':
      context.substitute(node.script, context.span(node))
      return
    default:
      forEachChild(node, (child) => walkNested(context, child))
  }
}
