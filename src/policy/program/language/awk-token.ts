/** The tokens of an `awk` program. Where awks may tokenise it differently, there are several readings. */

import { spend } from '../../../lib/step-budget.js'
import { UNKNOWN } from '../../file/path.js'

export interface AwkToken {
  kind: 'word' | 'string' | 'pattern' | 'mark'
  text: string
}

interface Reading {
  tokens: AwkToken[]
  at: number
}

const MAX_TOKENS = 5000
const MAX_READINGS = 16

/** Every complete reading; null if there are too many. */
export function tokenise(program: string): AwkToken[][] | null {
  const waiting: Reading[] = [{ tokens: [], at: 0 }]
  const finished: AwkToken[][] = []
  let opened = 1
  for (let reading = waiting.pop(); reading !== undefined; reading = waiting.pop()) {
    const { isWhole, others } = advance(program, reading)
    opened += others.length
    if (opened > MAX_READINGS) return null
    waiting.push(...others)
    if (isWhole) finished.push(reading.tokens)
  }
  return finished
}

const PIECE =
  /[ \t]+|\\\n|#[^\n]*|"(?:[^"\\\n]|\\[^])*"|[A-Za-z_]\w*|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|0[xX][\da-fA-F]+|\*\*=?|\|\||&&|\|&|>>|[<>=!+\-*%^]=|!~|\+\+|--|[\n{}()[\];,+\-*%^!<>|?:~$=@]/y

/** Reads until the end or until nothing matches; queues alternative readings. */
function advance(program: string, reading: Reading): { isWhole: boolean; others: Reading[] } {
  const { tokens } = reading
  const others: Reading[] = []
  const fork = (at: number, token: AwkToken) => {
    spend(tokens.length / 8)
    others.push({ tokens: [...tokens, token], at })
  }
  while (reading.at < program.length) {
    if (tokens.length > MAX_TOKENS || others.length > MAX_READINGS) return { isWhole: false, others }
    spend(5)
    if (program[reading.at] === '/') {
      const ends = endsOfPattern(program, reading.at + 1)
      const [first, ...rest] = ends
      for (const end of rest) fork(end, PATTERN)
      const division = program[reading.at + 1] === '=' ? '/=' : '/'
      if (maySplitValue(tokens.at(-1))) {
        if (first !== undefined) fork(first, PATTERN)
        tokens.push({ kind: 'mark', text: division })
        reading.at += division.length
      } else {
        if (first === undefined) return { isWhole: false, others }
        tokens.push(PATTERN)
        reading.at = first
      }
      continue
    }
    PIECE.lastIndex = reading.at
    const text = PIECE.exec(program)?.[0]
    if (text === undefined) return { isWhole: false, others }
    reading.at += text.length
    const token = tokenOf(text)
    if (token !== null) tokens.push(token)
  }
  return { isWhole: true, others }
}

const PATTERN: AwkToken = { kind: 'pattern', text: '' }

function tokenOf(text: string): AwkToken | null {
  if (/^[ \t]|^\\\n|^#/.test(text)) return null
  if (text.startsWith('"')) return { kind: 'string', text: unescapeString(text.slice(1, -1)) }
  if (/^[A-Za-z_]/.test(text)) return { kind: 'word', text }
  if (/^[\d.]/.test(text)) return { kind: 'word', text: '0' }
  return { kind: 'mark', text }
}

/** A slash may divide behind a value, or behind a parenthesis or keyword that may end a value. */
function maySplitValue(before: AwkToken | undefined): boolean {
  if (before === undefined) return false
  return before.kind !== 'mark' || /^(?:[)\]$]|\+\+|--)$/.test(before.text)
}

/** The next slash, and the one behind it if a bracket may hide the first. Newlines do not end a pattern. */
function endsOfPattern(program: string, start: number): number[] {
  const ends: number[] = []
  let hasBracket = false
  // More ends than the limit of readings would only cost time.
  for (let at = start; at < program.length && program[at] !== '\n' && ends.length <= MAX_READINGS; at++) {
    spend(0.2)
    const character = program[at]
    if (character === '\\') at++
    else if (character === '[') hasBracket = true
    else if (character === '/') {
      ends.push(at + 1)
      if (!hasBracket) break
    }
  }
  return ends
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** Undoes the escapes that all awks read alike; any other escape makes the text unknown. */
function unescapeString(text: string): string {
  if (!text.includes('\\')) return text
  return text.replaceAll(/\\([0-7]{1,3}|[^])/g, (_, code: string) => {
    if (/^[0-7]/.test(code)) return String.fromCharCode(Number.parseInt(code, 8) & 0xff)
    return ESCAPES[code] ?? UNKNOWN
  })
}
