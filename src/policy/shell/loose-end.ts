/**
 * Errors that the parser ignores silently although a shell would not: a parenthesis behind the name of a program, an
 * unterminated expansion.
 */

import { type Command, forEachChild, type SyntaxNode } from 'unbash'
import { MAX_DEPTH } from './limit.js'

/** The position of the first one; null if there is none. Nodes nested deeper than the reader goes are skipped. */
export function findLooseEnd(text: string, node: SyntaxNode, depth = 0): { pos: number; end: number } | null {
  if (node.type === 'Command' && hasStrayParenthesis(text, node)) return { pos: node.pos, end: node.end }
  if (node.type === 'CommandExpansion' && /^\$\{[^]*[^}]$|^\$\{$/.test(node.text)) return node
  if (node.type === 'ParameterExpansion' && node.parameter === '') return node
  if (node.type === 'Word' && node.parts === undefined && hasOldArithmetic(node.text)) return node
  // A node with its own source text is checked when that text is read.
  if ('script' in node && (node.script?.source !== undefined || depth > MAX_DEPTH)) return null
  const below = 'script' in node ? depth + 1 : depth
  let found: { pos: number; end: number } | null = null
  forEachChild(node, (child) => {
    found ??= findLooseEnd(text, child, below)
  })
  return found
}

/** An unescaped `$[`. */
function hasOldArithmetic(text: string): boolean {
  if (!text.includes('$[')) return false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '$' && text[at + 1] === '[') return true
  }
  return false
}

/** A parenthesis behind the name of a program, where only a word or the end of the command may follow. */
function hasStrayParenthesis(text: string, { name }: Command): boolean {
  return name !== undefined && /^(?:[ \t]|\\\n)*\(/.test(text.slice(name.end, name.end + 1000))
}
