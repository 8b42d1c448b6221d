/** Brace expansion, as bash does it first of all: on the text of a word, leaving quotes and expansions as they stand. */

import { spend } from '../step-budget.js'

const MAX_WORDS = 256
const MAX_DEPTH = 100

/** The words that a word becomes; null when they are too many, or nested too deeply. */
export function expandBraces(text: string): string[] | null {
  if (!text.includes('{')) return [text]
  return expandBetween(text, bracesIn(text), 0, text.length, 0)
}

interface Brace {
  start: number
  close: number
  commas: number[]
  /** The words of a sequence such as `{1..3}`; null for a list. */
  sequence: string[] | null
}

/** The words that a part of the text becomes. `braces` are all of the text, in their order. */
function expandBetween(
  text: string,
  braces: readonly Brace[],
  from: number,
  to: number,
  depth: number,
): string[] | null {
  if (depth > MAX_DEPTH) return null
  let words = ['']
  let at = from
  for (let index = firstFrom(braces, from); index < braces.length; index = firstFrom(braces, at)) {
    const brace = braces[index] as Brace
    if (brace.start >= to) break
    const inner = brace.sequence ?? expandItems(text, braces, brace, depth)
    if (inner === null || words.length * inner.length > MAX_WORDS) return null
    const before = text.slice(at, brace.start)
    words = words.flatMap((start) => inner.map((piece) => start + before + piece))
    spend(1 + words.length)
    at = brace.close + 1
  }
  return words.map((start) => start + text.slice(at, to))
}

function expandItems(text: string, braces: readonly Brace[], brace: Brace, depth: number): string[] | null {
  const { start, close, commas } = brace
  const edges = [start, ...commas, close]
  const words: string[] = []
  for (let index = 1; index < edges.length; index++) {
    const item = expandBetween(
      text,
      braces,
      (edges[index - 1] as number) + 1,
      edges[index] as number,
      depth + 1,
    )
    if (item === null || words.length + item.length > MAX_WORDS) return null
    words.push(...item)
  }
  return words
}

/** The first brace that does not begin before a place. */
function firstFrom(braces: readonly Brace[], place: number): number {
  let low = 0
  let high = braces.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((braces[middle] as Brace).start < place) low = middle + 1
    else high = middle
  }
  return low
}

/** All braces with a choice in them, in one pass. A brace without an end, or without a choice, is text. */
function bracesIn(text: string): Brace[] {
  const open: { start: number; commas: number[] }[] = []
  const found: Brace[] = []
  for (let at = 0; at < text.length; at = skip(text, at)) {
    spend(1)
    const character = text[at]
    if (character === '{') open.push({ start: at, commas: [] })
    else if (character === ',') open.at(-1)?.commas.push(at)
    else if (character === '}') {
      const brace = open.pop()
      if (brace === undefined) continue
      const list = brace.commas.length > 0 ? null : sequence(text.slice(brace.start + 1, at))
      if (brace.commas.length > 0 || list !== null) found.push({ ...brace, close: at, sequence: list })
    }
  }
  return found.toSorted((one, other) => one.start - other.start)
}

/** The place after the character at `at`, or after the quoted text or expansion that begins there. */
function skip(text: string, at: number): number {
  const character = text[at]
  if (character === '\\') return at + 2
  if (character === "'") return after(text, "'", at + 1)
  if (character === '`') return after(text, '`', at + 1)
  if (character === '"') return afterDoubleQuote(text, at + 1)
  if (character === '$' && text[at + 1] === "'") return afterAnsi(text, at + 2)
  if (character === '$' && text[at + 1] === '{') return afterNested(text, at + 1, '{', '}')
  if ((character === '$' || character === '<' || character === '>') && text[at + 1] === '(') {
    return afterNested(text, at + 1, '(', ')')
  }
  return at + 1
}

function after(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found + 1
}

function afterDoubleQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function afterAnsi(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== "'") at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** The place after the closing mark that belongs to the opening one at `from`. */
export function afterNested(text: string, from: number, open: string, close: string): number {
  let depth = 0
  for (
    let at = from;
    at < text.length;
    at = text[at] === open || text[at] === close ? at + 1 : skip(text, at)
  ) {
    if (text[at] === open) depth++
    else if (text[at] === close && --depth === 0) return at + 1
  }
  return text.length
}

function sequence(text: string): string[] | null {
  const match = /^(-?\d+|[A-Za-z])\.\.(-?\d+|[A-Za-z])(?:\.\.(-?\d+))?$/.exec(text)
  if (match === null) return null
  const [, first = '', last = '', by] = match
  const isLetters = !/\d/.test(first)
  if (isLetters !== !/\d/.test(last)) return null
  const from = isLetters ? first.charCodeAt(0) : Number(first)
  const to = isLetters ? last.charCodeAt(0) : Number(last)
  const step = Math.max(1, Math.abs(Number(by ?? 1)))
  const count = Math.floor(Math.abs(to - from) / step) + 1
  const width = /^-?0\d|^-?0\d/.test(first) || /^-?0\d/.test(last) ? Math.max(first.length, last.length) : 0
  return Array.from({ length: Math.min(count, MAX_WORDS) }, (_, index) => {
    const value = from + (to < from ? -1 : 1) * step * index
    return isLetters ? String.fromCharCode(value) : padded(value, width)
  })
}

function padded(value: number, width: number): string {
  const digits = String(Math.abs(value)).padStart(value < 0 ? width - 1 : width, '0')
  return value < 0 ? `-${digits}` : digits
}
