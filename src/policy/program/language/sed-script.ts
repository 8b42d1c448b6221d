/**
 * Parses a script of `sed` byte by byte as GNU sed does: the files it would write and read, and the commands it would
 * run.
 */

import { spend } from '../../../lib/step-budget.js'

export interface SedScript {
  writes: string[]
  reads: string[]
  runs: string[]
  /** It runs its input lines as commands. */
  runsInput: boolean
  /** Every byte was accounted for. Otherwise the rest is a guess, good enough to find dangers. */
  isUnderstood: boolean
}

interface Cursor {
  text: string
  at: number
  found: SedScript
  /** The number of open blocks. */
  blocks: number
}

export function readSedScript(script: string): SedScript {
  spend(script.length * 4)
  const found: SedScript = { writes: [], reads: [], runs: [], runsInput: false, isUnderstood: true }
  const cursor: Cursor = { text: script, at: 0, found, blocks: 0 }
  while (cursor.at < script.length) {
    const start = cursor.at
    if (readCommand(cursor)) continue
    found.isUnderstood = false
    guessRest(script.slice(start), found)
    break
  }
  if (cursor.blocks !== 0) found.isUnderstood = false
  return found
}

/** Collects anything that may be a command that writes or runs, at any position. */
function guessRest(text: string, found: SedScript): void {
  for (const match of text.matchAll(/(?<=^|[^\w\\])([wWe])[ \t]*([^\n]+)/g)) {
    const rest = match[2] ?? ''
    if (match[1] === 'e') found.runs.push(rest)
    else found.writes.push(rest, rest.split(/[;}\s]/, 1)[0] ?? '')
  }
}

function readCommand(cursor: Cursor): boolean {
  skip(cursor, /[\s;]*/y)
  if (cursor.at >= cursor.text.length) return true
  const hasAddress = readAddresses(cursor)
  if (hasAddress === null) return false
  skip(cursor, /[ \t]*/y)
  if (skip(cursor, /!/y) !== '') skip(cursor, /[ \t]*/y)
  const command = cursor.text[cursor.at++] ?? ''
  switch (command) {
    case '{':
      cursor.blocks++
      return true
    case '}':
      cursor.blocks--
      return !hasAddress && cursor.blocks >= 0 && endsCommand(cursor)
    case '=':
    case 'd':
    case 'D':
    case 'F':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z':
      return endsCommand(cursor)
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      skip(cursor, /[ \t]*\d*/y)
      return endsCommand(cursor)
    case ':':
      return !hasAddress && readLabel(cursor, { isNeeded: true })
    case 'b':
    case 't':
    case 'T':
      return readLabel(cursor, { isNeeded: false })
    case 'a':
    case 'i':
    case 'c':
      return readText(cursor)
    case '#':
      skip(cursor, /[^\n]*/y)
      return !hasAddress
    case 'r':
    case 'R':
      return readName(cursor, cursor.found.reads)
    case 'w':
    case 'W':
      return readName(cursor, cursor.found.writes)
    case 'e': {
      const run = restOfLine(cursor)
      if (run === '') cursor.found.runsInput = true
      else cursor.found.runs.push(run)
      return true
    }
    case 's':
      return readSubstitution(cursor)
    case 'y':
      return readDelimited(cursor, 2) && endsCommand(cursor)
    default:
      return false
  }
}

function skip(cursor: Cursor, pattern: RegExp): string {
  pattern.lastIndex = cursor.at
  const text = pattern.exec(cursor.text)?.[0] ?? ''
  cursor.at += text.length
  return text
}

/** Behind a command only blanks may precede its terminator. A `}` and a `#` are read as the next command. */
function endsCommand(cursor: Cursor): boolean {
  skip(cursor, /[ \t]*/y)
  return cursor.at >= cursor.text.length || /[;\n}#]/.test(cursor.text[cursor.at] ?? '')
}

/**
 * White space ends a label, and GNU sed reads the rest as the next command. Other seds take the whole line as the
 * label: then the policy asks, but the parser continues as GNU sed does.
 */
function readLabel(cursor: Cursor, { isNeeded }: { isNeeded: boolean }): boolean {
  skip(cursor, /[ \t]*/y)
  const label = skip(cursor, /[\w.-]*/y)
  if (isNeeded && label === '') return false
  const next = cursor.text[cursor.at]
  if (next === '}') return /^\}(?:[\s;}]|$)/.test(cursor.text.slice(cursor.at, cursor.at + 2))
  if (next !== undefined && !/[\s;]/.test(next)) return false
  skip(cursor, /[ \t]*/y)
  if (cursor.at < cursor.text.length && !/[;\n}]/.test(cursor.text[cursor.at] ?? ''))
    cursor.found.isUnderstood = false
  return true
}

/** `a text` and `a\` with the text on the next line; a backslash continues the text over the newline. */
function readText(cursor: Cursor): boolean {
  skip(cursor, /[ \t]*/y)
  const next = cursor.text[cursor.at]
  if (next === undefined || next === '\n') return false
  // Versions differ about blanks between the backslash and the end of the line.
  if (/^\\(?:[ \t]|$)/.test(cursor.text.slice(cursor.at, cursor.at + 2))) return false
  skip(cursor, /(?:\\[^]|[^\\\n])*/y)
  return cursor.at >= cursor.text.length || cursor.text[cursor.at] === '\n'
}

/** A file name extends to the end of the line, with any characters. */
function readName(cursor: Cursor, names: string[]): boolean {
  const name = restOfLine(cursor)
  names.push(name)
  return name !== ''
}

function restOfLine(cursor: Cursor): string {
  skip(cursor, /[ \t]*/y)
  return skip(cursor, /[^\n]*/y)
}

/** Whether there is an address; null if it cannot be read. */
function readAddresses(cursor: Cursor): boolean | null {
  const first = readAddress(cursor, /\d+(?:[ \t]*~[ \t]*\d+)?|\$/y)
  if (first !== true) return first
  skip(cursor, /[ \t]*/y)
  if (cursor.text[cursor.at] !== ',') return true
  cursor.at++
  skip(cursor, /[ \t]*/y)
  return readAddress(cursor, /[+~][ \t]*\d+|\d+|\$/y) === true ? true : null
}

function readAddress(cursor: Cursor, number: RegExp): boolean | null {
  const character = cursor.text[cursor.at]
  if (character !== '/' && character !== '\\') return skip(cursor, number) !== ''
  if (character === '\\') cursor.at++
  if (!readDelimited(cursor, 1)) return null
  skip(cursor, /(?:[ \t]*[IM])*/y)
  return true
}

/** Reads `count` texts between delimiters. Seds differ about a delimiter inside brackets. */
function readDelimited(cursor: Cursor, count: number): boolean {
  const delimiter = cursor.text[cursor.at++] ?? ''
  if (!/^[!-[\]-~]$/.test(delimiter)) return false
  for (let read = 0; read < count; read++) {
    const start = cursor.at
    while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== delimiter) {
      if (cursor.text[cursor.at] === '\n') return false
      cursor.at += cursor.text[cursor.at] === '\\' ? 2 : 1
    }
    if (cursor.at >= cursor.text.length) return false
    if (read === 0 && endsInBrackets(cursor.text.slice(start, cursor.at))) return false
    cursor.at++
  }
  return true
}

function endsInBrackets(pattern: string): boolean {
  let first = -1
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at]
    if (first === -1 && character === '\\') at++
    else if (first === -1 && character === '[') {
      first = pattern[at + 1] === '^' ? at + 2 : at + 1
      at = first - 1
    } else if (first !== -1 && character === '[' && /^[.=]$/.test(pattern[at + 1] ?? '')) {
      // A collating element or an equivalence class may contain any character, also a bracket.
      return true
    } else if (first !== -1 && character === '[' && pattern[at + 1] === ':') {
      const end = pattern.indexOf(':]', at + 2)
      at = end === -1 ? pattern.length : end + 1
    } else if (character === ']' && at > first) first = -1
  }
  return first !== -1
}

function readSubstitution(cursor: Cursor): boolean {
  if (!readDelimited(cursor, 2)) return false
  const flags = skip(cursor, /[gpiImMe0-9]*/y)
  if (flags.includes('e')) cursor.found.runsInput = true
  if (cursor.text[cursor.at] === 'w') {
    cursor.at++
    return readName(cursor, cursor.found.writes)
  }
  return endsCommand(cursor)
}
