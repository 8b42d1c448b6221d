/**
 * Checks the parser: every byte of a text must be part of a word, or be white space, an operator, a keyword or a
 * comment. If the parser takes a part of a word for a comment, commands in it would run unseen.
 */

import { forEachChild, type ParsedScript, type SyntaxNode } from 'unbash'

export interface Gap {
  pos: number
  end: number
  /** The position of a `#` that may be part of a word; null if other text is not covered. */
  sign: number | null
}

/** The first part of a script that its syntax tree does not cover; null if there is none. */
export function findGap(text: string, script: ParsedScript, from = 0, to = text.length): Gap | null {
  const found: Found = { spans: [], scripts: [] }
  forEachChild(script, (child) => collect(child, found))
  found.spans.sort(([one], [other]) => one - other)
  let at = from
  for (const [start, end] of [...found.spans, [to, to] as const]) {
    const gap = start > at ? checkBetween(text, at, start, from) : null
    if (gap !== null) return gap
    at = Math.max(at, end)
  }
  for (const inner of found.scripts) {
    const gap = findGap(text, inner, inner.pos, inner.end)
    if (gap !== null) return gap
  }
  return null
}

interface Found {
  spans: [number, number][]
  /** Scripts inside words. A script with its own source text is checked when that text is read. */
  scripts: ParsedScript[]
}

/** Inside these nodes a `#` is not a comment, or the comment hides nothing. */
const WHOLE: ReadonlySet<string> = new Set(
  'Word Assignment Redirect HereString Time Negation TestCommand ArithmeticCommand'.split(' '),
)

function collect(node: SyntaxNode, found: Found): void {
  if (WHOLE.has(node.type)) {
    found.spans.push([node.pos, node.end])
    return collectScripts(node, found)
  }
  if (node.type === 'HereDoc') {
    found.spans.push([node.pos, node.end], [node.body.pos, node.body.end])
    if (node.closing !== undefined) found.spans.push([node.closing.pos, node.closing.end])
    return collectScripts(node, found)
  }
  if (node.type === 'ArithmeticFor') found.spans.push([node.pos, node.body.pos])
  forEachChild(node, (child) => collect(child, found))
}

function collectScripts(node: SyntaxNode, found: Found): void {
  if ('script' in node) {
    if (node.script !== undefined && node.script.source === undefined) found.scripts.push(node.script)
    return
  }
  forEachChild(node, (child) => collectScripts(child, found))
}

const BETWEEN =
  /[ \t\r\n]+|\\\n|[;&|(){}<>!]+|(?:if|then|elif|else|fi|for|select|in|while|until|do|done|case|esac|function|coproc|time)(?=[\s;&|()<>]|$)/y

function checkBetween(text: string, from: number, to: number, start: number): Gap | null {
  for (let at = from; at < to; ) {
    if (text[at] === '#') {
      if (!beginsWord(text, at, start)) return { pos: at, end: to, sign: at }
      const end = text.indexOf('\n', at)
      at = end < 0 ? to : end
      continue
    }
    BETWEEN.lastIndex = at
    const known = BETWEEN.exec(text)?.[0] ?? ''
    if (known === '') return { pos: at, end: to, sign: null }
    at += known.length
  }
  return null
}

/** Behind a blank or an operator, but not behind a parenthesis that may close a substitution. */
function beginsWord(text: string, at: number, start: number): boolean {
  let before = at
  while (before - 2 >= start && text.startsWith('\\\n', before - 2)) before -= 2
  return before === start || /[ \t\r\n;&|(]/.test(text[before - 1] ?? ' ')
}
