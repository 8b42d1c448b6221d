/** Computes the output of a few programs for known input: enough to decode disguised commands. */

import { spend } from '../../../lib/step-budget.js'
import { isKnown } from '../../file/path.js'
import type { Arguments } from '../option.js'

export function reverseLines(input: string | null): string | null {
  return input === null
    ? null
    : input
        .split('\n')
        .map((line) => Array.from(line).toReversed().join(''))
        .join('\n')
}

export function decodeBase64(input: string | null): string | null {
  return input === null ? null : printable(Buffer.from(input, 'base64').toString('utf8'))
}

export function decodeHex(input: string | null): string | null {
  if (input === null) return null
  const digits = input.replaceAll(/\s+/g, '')
  return /^(?:[0-9a-f]{2})+$/i.test(digits) ? printable(Buffer.from(digits, 'hex').toString('utf8')) : null
}

function printable(text: string): string | null {
  return isKnown(text) ? text : null
}

/** `tr`: sets with ranges and simple escapes. */
export function changeLetters(args: Arguments, input: string | null): string | null {
  const [from, to] = args.operands.map(({ text }) => letterSet(text))
  if (
    input === null ||
    from === undefined ||
    from === null ||
    to === null ||
    args.has('c', 'C', 'complement', 's')
  )
    return null
  spend(input.length + from.length)
  const places = new Map(from.map((letter, at) => [letter, at]))
  if (args.has('d', 'delete'))
    return Array.from(input)
      .filter((letter) => !places.has(letter))
      .join('')
  if (to === undefined || to.length === 0) return null
  return Array.from(input)
    .map((letter) => {
      const at = places.get(letter)
      return at === undefined ? letter : (to[Math.min(at, to.length - 1)] ?? letter)
    })
    .join('')
}

function letterSet(text: string): string[] | null {
  if (!isKnown(text) || text.includes('[:')) return null
  const plain = unescapeText(text)
  return plain
    .replaceAll(/(.)-(.)/gs, (_, first: string, last: string) => {
      spend(600)
      const start = first.charCodeAt(0)
      const count = Math.min(512, Math.max(0, last.charCodeAt(0) - start + 1))
      return Array.from({ length: count }, (__, index) => String.fromCharCode(start + index)).join('')
    })
    .split('')
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  e: '\x1b',
  '\\': '\\',
  '"': '"',
  "'": "'",
}

/** Backslash escapes of `printf` and `echo -e`. */
export function unescapeText(text: string): string {
  return text.replaceAll(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|0?([0-7]{1,3})|(.))/gis,
    (whole, hex?: string, unicode?: string, octal?: string, letter?: string) => {
      const code = hex ?? unicode
      if (code !== undefined) return character(Number.parseInt(code, 16))
      if (octal !== undefined) return character(Number.parseInt(octal, 8))
      return ESCAPES[letter ?? ''] ?? whole
    },
  )
}

function character(code: number): string {
  return code === 0 ? '' : String.fromCodePoint(code)
}

/** `printf FORMAT ARG…`, for the common formats; null for the rest. */
export function formatText(format: string, args: readonly string[]): string | null {
  if (!isKnown(format) || args.some((arg) => !isKnown(arg))) return null
  const text = unescapeText(format)
  const slots = text.match(/%[^%]/g)?.length ?? 0
  if (slots === 0) return text.replaceAll('%%', '%')
  if (!(text.match(/%./g) ?? []).every((slot) => /%[%sbcdq]/.test(slot))) return null
  let out = ''
  for (let at = 0; at < Math.max(args.length, 1) && out.length < 10_000; at += slots) {
    spend(10 + text.length)
    let used = at
    out += text.replaceAll(/%(.)/g, (_, kind: string) => {
      if (kind === '%') return '%'
      const arg = args[used++] ?? ''
      return kind === 'b' ? unescapeText(arg) : kind === 'c' ? arg.slice(0, 1) : arg
    })
  }
  return out
}
