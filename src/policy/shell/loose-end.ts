/** What the parser passes over in silence though a shell would not: a parenthesis behind a program's name, an expansion without an end. */

import { type Command, forEachChild, type SyntaxNode } from 'unbash'
import { MAX_DEPTH } from './limit.js'

/** Where in the text it is; null if there is nothing. What is nested deeper than is read is not looked at. */
export function findLooseEnd(text: string, node: SyntaxNode, depth = 0): { pos: number; end: number } | null {
  if (node.type === 'Command' && hasStrayParenthesis(text, node)) return { pos: node.pos, end: node.end }
  if (node.type === 'CommandExpansion' && /^\$\{[^]*[^}]$|^\$\{$/.test(node.text)) return node
  if (node.type === 'ParameterExpansion' && node.parameter === '') return node
  if (node.type === 'Word' && node.parts === undefined && hasOldArithmetic(node.text)) return node
  // What has a text of its own is looked at when that is read.
  if ('script' in node && (node.script?.source !== undefined || depth > MAX_DEPTH)) return null
  const below = 'script' in node ? depth + 1 : depth
  let found: { pos: number; end: number } | null = null
  forEachChild(node, (child) => {
    found ??= findLooseEnd(text, child, below)
  })
  return found
}

/** `$[`, which is not escaped. */
function hasOldArithmetic(text: string): boolean {
  if (!text.includes('$[')) return false
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '$' && text[at + 1] === '[') return true
  }
  return false
}

/** Behind a name there is space, and then a word or the end of the command. */
function hasStrayParenthesis(text: string, { name }: Command): boolean {
  return name !== undefined && /^(?:[ \t]|\\\n)*\(/.test(text.slice(name.end, name.end + 1000))
}
