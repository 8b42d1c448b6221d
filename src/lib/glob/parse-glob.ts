/** Glob patterns as a list of tokens: `*`, `?`, `[…]`, extended patterns as bash has them, and `**` and `{a,b}` for rules. */

import { spend } from '../step-budget.js'

export type Token =
  | { kind: 'text'; text: string }
  /** One character. */
  | { kind: 'any' }
  | { kind: 'class'; isNegated: boolean; ranges: readonly (readonly [first: number, last: number])[] }
  /** Any number of characters. */
  | { kind: 'star' }
  /** `**` alone: anything. */
  | { kind: 'all' }
  /** A name and a slash, any number of times. */
  | { kind: 'folders' }
  /** Nothing, or a slash and anything. */
  | { kind: 'below' }
  | { kind: 'group'; operator: GroupOperator; ways: readonly (readonly Token[])[] }

/** How often one of the ways comes: `@` once, `?` at most once, `+` and `*` again and again, `!` anything but one of them. */
export type GroupOperator = '@' | '?' | '+' | '*' | '!'

export interface GlobSyntax {
  /** `{a,b}` and `{1..3}`. */
  braces: boolean
  /** Whether `*`, `?` and `[…]` stop at a slash, and `**` does not. */
  paths: boolean
  /** As ignore files have it: no extended patterns, and a `[` or a `\` that is left open breaks the pattern. */
  isPlain?: boolean
}

export const MAX_LENGTH = 4096
const MAX_DEPTH = 16
const MAX_SEQUENCE = 256
/** A brace without a choice is read twice, those inside of it four times, and so on. */
const MAX_STEPS = 20_000

/** Null for a pattern that is too long, nested too deeply, or whose groups do not end; for a plain one also if it is broken. */
export function parseGlob(pattern: string, syntax: GlobSyntax): readonly Token[] | null {
  if (pattern.length > MAX_LENGTH) return null
  const parser: Parser = { pattern, syntax, at: 0, lastBrackets: findLastOf(pattern), steps: 0 }
  const tokens = parseTokens(parser, '', 0)
  return tokens === null || parser.at < pattern.length ? null : tokens
}

interface Parser {
  pattern: string
  syntax: GlobSyntax
  at: number
  /** Where the last `]` and the last `}` are: behind them there is no use in looking for one. */
  lastBrackets: { square: number; curly: number }
  steps: number
}

function findLastOf(pattern: string): Parser['lastBrackets'] {
  return { square: pattern.lastIndexOf(']'), curly: pattern.lastIndexOf('}') }
}

/** Up to one of `ends`, or to the end of the pattern. */
function parseTokens(parser: Parser, ends: string, depth: number): Token[] | null {
  const tokens: Token[] = []
  const { pattern } = parser
  while (parser.at < pattern.length && !ends.includes(pattern[parser.at] as string)) {
    spend(4)
    if (++parser.steps > MAX_STEPS) return null
    const token = parseToken(parser, tokens, depth)
    if (token === null) return null
    append(tokens, token)
  }
  return tokens
}

function append(tokens: Token[], token: Token): void {
  const last = tokens.at(-1)
  if (token.kind === 'text' && last?.kind === 'text') {
    tokens[tokens.length - 1] = { kind: 'text', text: last.text + token.text }
  } else if (token.kind !== 'star' || last?.kind !== 'star') tokens.push(token)
}

function parseToken(parser: Parser, before: Token[], depth: number): Token | null {
  const { pattern, syntax, at } = parser
  const character = pattern[at] as string
  if (character === '\\') {
    parser.at += 2
    if (syntax.isPlain === true && at + 1 === pattern.length) return null
    return { kind: 'text', text: pattern[at + 1] ?? '\\' }
  }
  if ('?*+@!'.includes(character) && pattern[at + 1] === '(' && syntax.isPlain !== true)
    return parseGroup(parser, depth)
  if (character === '*') return parseStars(parser, before)
  if (character === '{' && syntax.braces) return parseBraces(parser, depth)
  if (character === '[') return parseClass(parser)
  parser.at++
  return character === '?' ? { kind: 'any' } : { kind: 'text', text: character }
}

function parseStars(parser: Parser, before: Token[]): Token {
  const { pattern, syntax, at } = parser
  let end = at
  // The last star may open an extended pattern.
  while (pattern[end] === '*' && (end === at || syntax.isPlain === true || pattern[end + 1] !== '(')) end++
  parser.at = end
  if (!syntax.paths || end - at < 2) return { kind: 'star' }
  const startsName = at === 0 || '/{,(|'.includes(pattern[at - 1] as string)
  if (!startsName) return { kind: 'star' }
  if (pattern[end] === '/') {
    parser.at = end + 1
    return { kind: 'folders' }
  }
  if (end < pattern.length && !',}|)'.includes(pattern[end] as string)) return { kind: 'star' }
  return dropSlash(before) ? { kind: 'below' } : { kind: 'all' }
}

/** `a/**` fits `a` as well: the slash goes with the stars. */
function dropSlash(tokens: Token[]): boolean {
  const last = tokens.at(-1)
  if (last?.kind !== 'text' || !last.text.endsWith('/')) return false
  if (last.text === '/') tokens.pop()
  else tokens[tokens.length - 1] = { kind: 'text', text: last.text.slice(0, -1) }
  return true
}

function parseGroup(parser: Parser, depth: number): Token | null {
  const operator = parser.pattern[parser.at] as GroupOperator
  parser.at += 2
  const ways = parseWays(parser, '|', ')', depth)
  return ways === null ? null : { kind: 'group', operator, ways }
}

function parseWays(parser: Parser, separator: string, close: string, depth: number): Token[][] | null {
  if (depth >= MAX_DEPTH) return null
  const ways: Token[][] = []
  for (;;) {
    const way = parseTokens(parser, separator + close, depth + 1)
    if (way === null || parser.at >= parser.pattern.length) return null
    ways.push(way)
    parser.at++
    if (parser.pattern[parser.at - 1] === close) return ways
  }
}

function parseBraces(parser: Parser, depth: number): Token | null {
  const { pattern, at, lastBrackets } = parser
  if (at < lastBrackets.curly) {
    const texts = sequenceAt(pattern, at)
    if (texts !== null) {
      parser.at = pattern.indexOf('}', at) + 1
      return { kind: 'group', operator: '@', ways: texts.map((text) => [{ kind: 'text', text }]) }
    }
    parser.at++
    const ways = parseWays(parser, ',', '}', depth)
    if (ways !== null && ways.length > 1) return { kind: 'group', operator: '@', ways }
    // Without an end, or without a choice, a brace is a character. From here on there is no end for others either.
    if (ways === null) lastBrackets.curly = at
  }
  parser.at = at + 1
  return { kind: 'text', text: '{' }
}

function sequenceAt(pattern: string, at: number): string[] | null {
  spend(8)
  const match = /^\{(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])\}/.exec(pattern.slice(at, at + 32))
  if (match === null) return null
  const [, first = '', last = ''] = match
  const isNumber = /\d/.test(first)
  if (isNumber !== /\d/.test(last)) return null
  const from = isNumber ? Number(first) : first.charCodeAt(0)
  const to = isNumber ? Number(last) : last.charCodeAt(0)
  const count = Math.abs(to - from) + 1
  if (count > MAX_SEQUENCE) return null
  spend(count * 4)
  return Array.from({ length: count }, (_, index) => {
    const value = from + (to < from ? -index : index)
    return isNumber ? String(value) : String.fromCharCode(value)
  })
}

const CLASSES: Readonly<Record<string, string>> = {
  alpha: 'AZaz',
  digit: '09',
  alnum: 'AZaz09',
  upper: 'AZ',
  lower: 'az',
  space: '\t\r  ',
  blank: '  \t\t',
  punct: '!/:@[`{~',
  xdigit: '09AFaf',
  word: 'AZaz09__',
  cntrl: '\u0000\u001f\u007f\u007f',
  graph: '!~',
  print: ' ~',
}

function parseClass(parser: Parser): Token | null {
  const { pattern, syntax, at, lastBrackets } = parser
  const found = at < lastBrackets.square ? readClass(pattern, at) : null
  if (found === null) {
    if (syntax.isPlain === true) return null
    // From here on there is no end for others either.
    lastBrackets.square = at
    parser.at = at + 1
    return { kind: 'text', text: '[' }
  }
  parser.at = found.end
  return found.token
}

function readClass(pattern: string, start: number): { token: Token; end: number } | null {
  let at = start + 1
  const isNegated = pattern[at] === '!' || pattern[at] === '^'
  if (isNegated) at++
  const ranges: [number, number][] = []
  for (let isFirst = true; at < pattern.length; isFirst = false) {
    spend(2)
    const character = pattern[at] as string
    if (character === ']' && !isFirst) return { token: { kind: 'class', isNegated, ranges }, end: at + 1 }
    const named = character === '[' ? /^\[:(\w{1,9}):\]/.exec(pattern.slice(at, at + 14)) : null
    if (named !== null) {
      ranges.push(...namedRanges(named[1] ?? ''))
      at += named[0].length
      continue
    }
    const first = memberAt(pattern, at)
    at = first.end
    if (pattern[at] === '-' && pattern[at + 1] !== undefined && pattern[at + 1] !== ']') {
      const last = memberAt(pattern, at + 1)
      at = last.end
      ranges.push([first.code, last.code])
    } else ranges.push([first.code, first.code])
  }
  return null
}

function memberAt(pattern: string, at: number): { code: number; end: number } {
  const from = pattern[at] === '\\' && at + 1 < pattern.length ? at + 1 : at
  const code = pattern.codePointAt(from) ?? 0
  return { code, end: from + (code > 0xffff ? 2 : 1) }
}

function namedRanges(name: string): [number, number][] {
  const edges = CLASSES[name] ?? ''
  return Array.from({ length: edges.length / 2 }, (_, index) => [
    edges.charCodeAt(index * 2),
    edges.charCodeAt(index * 2 + 1),
  ])
}
