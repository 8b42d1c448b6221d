/** Brace expansion, as bash does it first of all: on the text of a word, leaving quotes and expansions as they stand. */

const MAX_WORDS = 256

/** The words that a word becomes; null when they are too many. */
export function expandBraces(text: string): string[] | null {
  const brace = findBrace(text)
  if (brace === null) return [text]
  const before = text.slice(0, brace.start)
  const rest = expandBraces(text.slice(brace.end))
  if (rest === null) return null
  const words: string[] = []
  for (const item of brace.items) {
    const inner = brace.isSequence ? [item] : expandBraces(item)
    if (inner === null || words.length + inner.length * rest.length > MAX_WORDS) return null
    for (const piece of inner) for (const end of rest) words.push(before + piece + end)
  }
  return words
}

interface Brace {
  start: number
  end: number
  items: string[]
  isSequence: boolean
}

function findBrace(text: string): Brace | null {
  for (let start = 0; start < text.length; start = skip(text, start)) {
    if (text[start] !== '{') continue
    const brace = readBrace(text, start)
    if (brace !== null) return brace
  }
  return null
}

function readBrace(text: string, start: number): Brace | null {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at = skip(text, at)) {
    const character = text[at]
    if (character === '{') depth++
    else if (character === ',' && depth === 1) commas.push(at)
    else if (character === '}' && --depth === 0) return finish(text, start, at, commas)
  }
  return null
}

function finish(text: string, start: number, close: number, commas: readonly number[]): Brace | null {
  const end = close + 1
  if (commas.length > 0) {
    const edges = [start, ...commas, close]
    const items = edges.slice(1).map((edge, index) => text.slice((edges[index] ?? 0) + 1, edge))
    return { start, end, items, isSequence: false }
  }
  const items = sequence(text.slice(start + 1, close))
  return items === null ? null : { start, end, items, isSequence: true }
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
