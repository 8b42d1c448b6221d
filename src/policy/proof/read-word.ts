/**
 * Reads one word of a command: bare characters, quotes, listed escapes and the few expansions that the proof can
 * follow.
 */

import { reason } from '../../protocol/reason/reason.js'
import type { Node, Piece, Word } from './syntax.js'
import { refuse } from './unproven.js'

/** The text, a position in it, and a callback to the grammar for `$(…)`. */
export interface Cursor {
  readonly text: string
  at: number
  /** Reads a list up to and including its closing parenthesis. */
  substitution(): Node
}

const BARE = /[A-Za-z0-9_./\-+:,=@%^\p{L}\p{N}]/u
/** Printable, and not a character that changes how the surrounding text looks. */
const TEXT = /[\t\n -~]|[\p{L}\p{M}\p{N}\p{P}\p{S}]/u
const PUNCTUATION = /[ !-/:-@[-`{-~]/
/** Characters that end a word. */
const DELIMITERS = ' \t\n;&|<>()'
/** Behind one of these a tilde is literal. */
const BEFORE_TILDE = /[A-Za-z0-9_^~/.@}-]/

export function isDelimiter(character: string | undefined): boolean {
  return character === undefined || DELIMITERS.includes(character)
}

/** The characters of quoted text, of comments and of here-documents. */
export function checkText(text: string, start: number): string {
  let at = start
  for (const character of text) {
    if (!TEXT.test(character)) refuse(reason('proof.character'), at)
    at += character.length
  }
  return text
}

/** A word, up to a blank or an operator. An assigned value has neither globs nor braces. */
export function readWord(cursor: Cursor, { isAssigned = false } = {}): Word {
  const start = cursor.at
  const pieces: Piece[] = []
  let isBare = true
  for (;;) {
    const character = characterAt(cursor)
    if (isDelimiter(character)) break
    if (!BARE.test(character)) isBare &&= '[]{}!'.includes(character)
    pieces.push(...readPiece(cursor, character, { start, isAssigned }))
  }
  // A name before a redirection may be a descriptor: {x}> and 12>.
  if ('<>'.includes(cursor.text[cursor.at] ?? ' ')) refuse(reason('proof.syntax'), cursor.at)
  // Brace expansion comes first: $x{a,b} is $xa and $xb, and {,a}~ is a home.
  const hasChoice = pieces.some(({ kind }) => kind === 'choice')
  const isStill =
    pieces.every(({ kind }) => STILL.has(kind)) && !cursor.text.slice(start, cursor.at).includes('~')
  if (hasChoice && !isStill) refuse(reason('proof.syntax'), start)
  const bare = isBare ? cursor.text.slice(start, cursor.at) : null
  return { pieces: joined(pieces), bare, start, end: cursor.at }
}

const STILL: ReadonlySet<Piece['kind']> = new Set(['text', 'glob', 'choice'])

function characterAt({ text, at }: Cursor): string {
  return String.fromCodePoint(text.codePointAt(at) ?? 0).slice(0, at < text.length ? undefined : 0)
}

function joined(pieces: readonly Piece[]): Piece[] {
  const whole: Piece[] = []
  for (const piece of pieces) {
    const last = whole.at(-1)
    if (piece.kind === 'text' && last?.kind === 'text')
      whole[whole.length - 1] = literal(last.text + piece.text)
    else whole.push(piece)
  }
  return whole
}

function literal(value: string): Piece {
  return { kind: 'text', text: value }
}

interface WordStart {
  start: number
  isAssigned: boolean
}

function readPiece(cursor: Cursor, character: string, place: WordStart): Piece[] {
  const { at } = cursor
  if (BARE.test(character)) return [literal(advance(cursor, character.length))]
  switch (character) {
    case "'":
      return [literal(readSingle(cursor))]
    case '"':
      return readDouble(cursor)
    case '\\': {
      const escaped = cursor.text[at + 1] ?? ''
      if (!PUNCTUATION.test(escaped)) refuse(reason('proof.syntax'), at)
      cursor.at += 2
      return [literal(escaped)]
    }
    case '$':
      return [readDollar(cursor, false)]
    case '~':
      if (at === place.start && (cursor.text[at + 1] === '/' || isDelimiter(cursor.text[at + 1]))) {
        cursor.at++
        return [{ kind: 'variable', name: 'HOME', isQuoted: true }]
      }
      if (at === place.start || !BEFORE_TILDE.test(cursor.text[at - 1] ?? ''))
        return refuse(reason('proof.syntax'), at)
      return [literal(advance(cursor, 1))]
    case '!':
      if (at === place.start && (cursor.text[at + 1] === '=' || isDelimiter(cursor.text[at + 1])))
        return [literal(advance(cursor, 1))]
      return refuse(reason('proof.syntax'), at)
    case '*':
    case '?':
      if (place.isAssigned) return refuse(reason('proof.pattern'), at)
      return [{ kind: 'glob', text: advance(cursor, 1) }]
    case '[':
      return [readBracket(cursor, place)]
    case ']':
      if (at === place.start) return [literal(advance(cursor, 1))]
      return refuse(reason('proof.syntax'), at)
    case '{':
      return [readBrace(cursor, place)]
    default:
      return refuse(reason('proof.syntax'), at)
  }
}

function advance(cursor: Cursor, length: number): string {
  const read = cursor.text.slice(cursor.at, cursor.at + length)
  cursor.at += length
  return read
}

function readSingle(cursor: Cursor): string {
  const start = cursor.at + 1
  const end = cursor.text.indexOf("'", start)
  if (end < 0) refuse(reason('proof.quote'), cursor.at)
  cursor.at = end + 1
  return checkText(cursor.text.slice(start, end), start)
}

function readDouble(cursor: Cursor): Piece[] {
  const start = cursor.at
  cursor.at++
  const pieces: Piece[] = [literal('')]
  for (;;) {
    const { at } = cursor
    const character = characterAt(cursor)
    if (character === '') refuse(reason('proof.quote'), start)
    if (character === '"') {
      cursor.at++
      return pieces
    }
    if (character === '$') pieces.push(readDollar(cursor, true))
    else if (character === '\\') pieces.push(literal(readEscape(cursor)))
    else if (character === '`') refuse(reason('proof.syntax'), at)
    else if (character === '!' && !/[ ="]/.test(cursor.text[at + 1] ?? '')) refuse(reason('proof.syntax'), at)
    else pieces.push(literal(checkText(advance(cursor, character.length), at)))
  }
}

/** Inside double quotes a backslash is literal, except before the four characters that it quotes. */
function readEscape(cursor: Cursor): string {
  const next = cursor.text[cursor.at + 1] ?? ''
  if (next === '!' || !/[ -~]/.test(next)) refuse(reason('proof.syntax'), cursor.at)
  const both = advance(cursor, 2)
  return '$`"\\'.includes(next) ? next : both
}

const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
/** The length of a value, a part of it, or its letters in another case: `${#x}`, `${x%.ts}`, `${x^^}`. */
const CHANGED =
  /\$\{(?:#[A-Za-z_][A-Za-z0-9_]*|[A-Za-z_][A-Za-z0-9_]*(?:(?:##?|%%?)[A-Za-z0-9_.*?/-]*|\^\^?|,,?))\}/y
const SUM = /\$\(\([0-9 +*%()/-]*\)\)/y
const ANSI = /\$'(?:[ -&(-[\]-~]|\\[tn\\'])*'/y

function readDollar(cursor: Cursor, isQuoted: boolean): Piece {
  const { at } = cursor
  const next = cursor.text[at + 1] ?? ''
  if (next === '?') {
    cursor.at += 2
    return { kind: 'number' }
  }
  if (isQuoted && next !== '' && '" |)/'.includes(next)) return literal(advance(cursor, 1))
  if (next === '(') return readSubstitution(cursor, isQuoted)
  if (next === "'" && !isQuoted) return literal(readAnsi(cursor))
  const changed = match(CHANGED, cursor.text, at)
  if (changed !== null) {
    cursor.at += changed.length
    const isLength = changed.startsWith('${#')
    return {
      kind: 'variable',
      name: /\w+/.exec(changed)?.[0] ?? '',
      isQuoted: isQuoted || isLength,
      isChanged: true,
    }
  }
  const isBraced = next === '{'
  const name = match(NAME, cursor.text, at + (isBraced ? 2 : 1))
  if (name === null) return refuse(reason('proof.syntax'), at)
  cursor.at = at + (isBraced ? 2 : 1) + name.length
  const after = cursor.text[cursor.at]
  if (isBraced && after !== '}') return refuse(reason('proof.syntax'), at)
  if (isBraced) cursor.at++
  else if (after === '[') return refuse(reason('proof.syntax'), at)
  return { kind: 'variable', name, isQuoted }
}

function readSubstitution(cursor: Cursor, isQuoted: boolean): Piece {
  if (cursor.text[cursor.at + 2] === '(') {
    const sum = match(SUM, cursor.text, cursor.at)
    if (sum === null) return refuse(reason('proof.arithmetic'), cursor.at)
    checkBalance(sum, cursor.at)
    cursor.at += sum.length
    return { kind: 'number' }
  }
  cursor.at += 2
  return { kind: 'output', body: cursor.substitution(), isQuoted }
}

/** Without this, `$((1) )) …` could end at another position than in bash. */
function checkBalance(sum: string, at: number): void {
  let depth = 0
  for (const character of sum.slice(1)) {
    if (character === '(') depth++
    if (character === ')') depth--
    if (depth < 0) refuse(reason('proof.arithmetic'), at)
  }
  if (depth !== 0 || sum.slice(3, -2).includes('))')) refuse(reason('proof.arithmetic'), at)
}

function readAnsi(cursor: Cursor): string {
  const whole = match(ANSI, cursor.text, cursor.at)
  if (whole === null) return refuse(reason('proof.syntax'), cursor.at)
  cursor.at += whole.length
  return whole
    .slice(2, -1)
    .replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 't' ? '\t' : escaped === 'n' ? '\n' : escaped))
}

const BRACKET = /\[[!^]?[A-Za-z0-9_.-]+\]/y

function readBracket(cursor: Cursor, { start, isAssigned }: WordStart): Piece {
  const { at } = cursor
  if (at === start && isDelimiter(cursor.text[at + 1])) return literal(advance(cursor, 1))
  if (at === start && cursor.text[at + 1] === '[' && isDelimiter(cursor.text[at + 2]))
    return literal(advance(cursor, 2))
  const set = match(BRACKET, cursor.text, at)
  if (set === null || isAssigned) return refuse(reason('proof.pattern'), at)
  return { kind: 'glob', text: advance(cursor, set.length) }
}

const BRACE = /\{[A-Za-z0-9_./*?@%+:=,-]*\}/y
const MAX_CHOICES = 100

function readBrace(cursor: Cursor, { isAssigned }: WordStart): Piece {
  const { at } = cursor
  const whole = match(BRACE, cursor.text, at)
  if (whole === null || (isAssigned && whole !== '{}')) return refuse(reason('proof.syntax'), at)
  const inside = whole.slice(1, -1)
  cursor.at += whole.length
  const range = /^(-?\d{1,6})\.\.(-?\d{1,6})$/.exec(inside)
  if (range !== null) return rangeOf(range[1] ?? '', range[2] ?? '', at)
  if (inside.includes(',')) {
    return {
      kind: 'choice',
      items: inside.split(',').map((item) => item.split('').map((character) => choicePiece(character))),
    }
  }
  // A single name in braces is literal in the shell: stash@{0}, HEAD^{commit}.
  if (!/^[A-Za-z0-9_-]*$/.test(inside)) return refuse(reason('proof.syntax'), at)
  return literal(whole)
}

function choicePiece(character: string): Piece {
  return character === '*' || character === '?' ? { kind: 'glob', text: character } : literal(character)
}

function rangeOf(first: string, last: string, at: number): Piece {
  const isPadded = [first, last].some((number) => /^-?0\d/.test(number))
  const [from, to] = [Number(first), Number(last)]
  if (isPadded || Math.abs(to - from) >= MAX_CHOICES) return refuse(reason('proof.syntax'), at)
  const count = Math.abs(to - from) + 1
  const step = to < from ? -1 : 1
  return {
    kind: 'choice',
    items: Array.from({ length: count }, (_, index) => [literal(String(from + index * step))]),
  }
}

/** A sticky expression of character classes: linear in what it takes. */
export function match(expression: RegExp, subject: string, at: number): string | null {
  expression.lastIndex = at
  return expression.exec(subject)?.[0] ?? null
}
