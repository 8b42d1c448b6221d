/** `sed`: its script is read, because some of its commands write files and run programs. */

import { type Field, literal } from '../shell/field.js'
import { applyRole, type Call, type Handler, inputOf } from './handler.js'
import { optionTable, readArguments } from './option.js'

const TABLE = optionTable(
  `-nErsuzb -e: -f:read -i? -l: --quiet --silent --debug --expression: --file:read --follow-symlinks --in-place?
  --line-length: --null-data --posix --regexp-extended --separate --sandbox --unbuffered --zero-terminated --binary
  --help --version`,
)

export const sed: Handler = (call) => {
  const { reader, args, span } = call
  const given = readArguments(TABLE, args)
  for (const field of given.unknown) applyRole(call, 'ask', field)
  for (const field of given.doubtful) {
    reader.ask('unknown-value', 'sed: a word is not known before it runs and may be an option.', field.span)
  }
  const scripts = given.options
    .filter(({ name }) => name === 'e' || name === 'expression')
    .flatMap(({ value }) => value ?? [])
  const hasFile = given.has('f', 'file')
  const [first, ...rest] = given.operands
  const inline = scripts.length === 0 && !hasFile ? (first === undefined ? [] : [first]) : scripts
  const files = scripts.length === 0 && !hasFile ? rest : given.operands
  if (hasFile) reader.ask('code', 'The script of sed is in a file.', span)
  if (given.has('i', 'in-place')) {
    reader.ask('write', 'sed changes files in place.', span)
    for (const file of files) reader.access('write', file)
  } else for (const file of files) reader.access('read', file)
  const input = inputOf(call, files)
  judgeScript(call, inline, input.text)
  return { ...input, text: null }
}

function judgeScript(call: Call, scripts: readonly Field[], input: string | null): void {
  const { reader } = call
  const [first] = scripts
  if (first === undefined) return
  const found = readSedScript(scripts.map(({ text }) => text).join('\n'))
  const at = (text: string) => literal(text, first.span, first.taint)
  if (found === null) {
    reader.ask('code', 'The script of sed cannot be read.', first.span)
    return
  }
  for (const path of found.writes) {
    if (!/^\/dev\/(?:stdout|stderr)$/.test(path))
      reader.access('write', at(path), { content: { text: null, taint: first.taint, names: null } })
  }
  for (const path of found.reads) reader.access('read', at(path))
  for (const command of found.runs) applyRole(call, 'shell', at(command))
  if (found.runsInput) applyRole(call, 'shell', at(input ?? ''))
}

export interface SedScript {
  writes: string[]
  reads: string[]
  runs: string[]
  /** The lines that come in are run. */
  runsInput: boolean
}

/** Null when there is something in it that is not understood. */
function readSedScript(script: string): SedScript | null {
  const found: SedScript = { writes: [], reads: [], runs: [], runsInput: false }
  const cursor = { text: script, at: 0 }
  while (cursor.at < script.length) {
    if (!readCommand(cursor, found)) return null
  }
  return found
}

interface Cursor {
  text: string
  at: number
}

function readCommand(cursor: Cursor, found: SedScript): boolean {
  skip(cursor, /[\s;}]*/y)
  if (cursor.at >= cursor.text.length) return true
  if (!readAddress(cursor)) return false
  skip(cursor, /[\s!]*/y)
  const command = cursor.text[cursor.at++] ?? ''
  switch (command) {
    case '{':
    case '=':
    case 'd':
    case 'D':
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
    case 'F':
      return true
    case 'q':
    case 'Q':
    case 'l':
    case 'L':
      skip(cursor, /[ \t]*\d*/y)
      return true
    case ':':
    case 'b':
    case 't':
    case 'T':
      skip(cursor, /[ \t]*[^;\n}]*/y)
      return true
    case 'a':
    case 'i':
    case 'c':
      skip(cursor, /(?:\\\n|\\.|[^\\\n])*\n?/y)
      return true
    case '#':
      skip(cursor, /[^\n]*/y)
      return true
    case 'r':
    case 'R':
      found.reads.push(restOfLine(cursor))
      return true
    case 'w':
    case 'W':
      found.writes.push(restOfLine(cursor))
      return true
    case 'e': {
      const run = restOfLine(cursor)
      if (run === '') found.runsInput = true
      else found.runs.push(run)
      return true
    }
    case 's':
      return readSubstitution(cursor, found)
    case 'y':
      return readDelimited(cursor, 2)
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

function restOfLine(cursor: Cursor): string {
  return skip(cursor, /[^\n]*/y).trim()
}

function readAddress(cursor: Cursor): boolean {
  for (let count = 0; count < 2; count++) {
    skip(cursor, /[ \t]*/y)
    const character = cursor.text[cursor.at]
    if (character === '/' || character === '\\') {
      if (character === '\\') cursor.at++
      if (!readDelimited(cursor, 1)) return false
      skip(cursor, /[IM]*/y)
    } else skip(cursor, /(?:[+~]?\d+(?:~\d+)?|\$)?/y)
    skip(cursor, /[ \t]*/y)
    if (cursor.text[cursor.at] !== ',') return true
    cursor.at++
  }
  return true
}

/** Reads `count` texts between delimiters; a delimiter in brackets is read in two ways by different programs. */
function readDelimited(cursor: Cursor, count: number): boolean {
  const delimiter = cursor.text[cursor.at++] ?? ''
  if (delimiter === '' || delimiter === '\n' || delimiter === '\\') return false
  for (let read = 0; read < count; read++) {
    const start = cursor.at
    while (cursor.at < cursor.text.length && cursor.text[cursor.at] !== delimiter) {
      cursor.at += cursor.text[cursor.at] === '\\' ? 2 : 1
    }
    if (cursor.at >= cursor.text.length) return false
    const open = cursor.text.slice(start, cursor.at).replaceAll(/\\./gs, '')
    if (/\[[^\]]*$/.test(open.replaceAll(/\[\^?\]?[^\]]*\]/g, '')) && read === 0) return false
    cursor.at++
  }
  return true
}

function readSubstitution(cursor: Cursor, found: SedScript): boolean {
  if (!readDelimited(cursor, 2)) return false
  const flags = skip(cursor, /[gpiImMe0-9]*/y)
  if (flags.includes('e')) found.runsInput = true
  if (cursor.text[cursor.at] === 'w') {
    cursor.at++
    found.writes.push(restOfLine(cursor))
  }
  skip(cursor, /[ \t]*/y)
  return cursor.at >= cursor.text.length || /[;\n}#]/.test(cursor.text[cursor.at] ?? '')
}
