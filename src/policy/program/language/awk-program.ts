/**
 * Reads an `awk` program: the files it would write and read, the commands it would run, and whether it shows the
 * environment.
 */

import { spend } from '../../../lib/step-budget.js'
import { UNKNOWN } from '../../file/path.js'
import { type AwkToken, tokenise } from './awk-token.js'

export interface AwkDeed {
  kind: 'write' | 'read' | 'run' | 'environment' | 'other'
  /** The file or command, if it is a literal of the program. */
  text: string | null
}

/**
 * A slash may start a pattern or divide, and awks differ about where a pattern ends. All readings are tried, and unless
 * they agree the program counts as not understood.
 */
export function readAwkProgram(program: string): AwkDeed[] {
  spend(program.length)
  const readings = tokenise(program)
  if (readings === null || readings.length === 0) return [...guesses(program), OTHER]
  const found = readings.map(deedsOf)
  const [first = []] = found
  const same = JSON.stringify(first)
  if (found.every((deeds) => JSON.stringify(deeds) === same)) return first
  return [...found.flat(), OTHER]
}

const OTHER: AwkDeed = { kind: 'other', text: null }

/** For a program that cannot be read: the strings behind operators that run or write. */
function guesses(program: string): AwkDeed[] {
  const runs = program.matchAll(/(?:system\s{0,20}\(|\|&?)\s{0,20}"((?:[^"\\]|\\.){0,400})"/g)
  const piped = program.matchAll(/"((?:[^"\\]|\\.){0,400})"\s{0,20}\|/g)
  const writes = program.matchAll(/>\s{0,20}"((?:[^"\\]|\\.){0,400})"/g)
  const deeds = (matches: Iterable<RegExpMatchArray>, kind: AwkDeed['kind']) =>
    [...matches].slice(0, 50).map((match) => ({ kind, text: match[1] ?? '' }))
  return [...deeds(runs, 'run'), ...deeds(piped, 'run'), ...deeds(writes, 'write')]
}

function deedsOf(tokens: readonly AwkToken[]): AwkDeed[] {
  const deeds: AwkDeed[] = []
  const defined = new Set(
    tokens.flatMap(({ text }, at) => (/^func(?:tion)?$/.test(text) ? [tokens[at + 1]?.text] : [])),
  )
  let depth = 0
  let printing: number | null = null
  tokens.forEach((token, index) => {
    const next = tokens[index + 1]
    if (token.kind === 'word') {
      if (token.text === 'print' || token.text === 'printf') printing = depth
      if (token.text === 'system')
        deeds.push({ kind: 'run', text: next?.text === '(' ? literalAt(tokens, index + 2) : null })
      else if (token.text === 'getline') deeds.push(getline(tokens, index))
      else if (SHOWS_ENVIRONMENT.test(token.text)) deeds.push({ kind: 'environment', text: null })
      else if (next?.text === '(' && !KNOWN_CALLS.has(token.text) && !defined.has(token.text))
        deeds.push(OTHER)
    }
    if (token.kind !== 'mark') return
    if (token.text === '(') depth++
    if (token.text === ')') depth--
    if (/^[;}{]$/.test(token.text) || (token.text === '\n' && endsStatement(tokens, index))) printing = null
    if (/^>>?$/.test(token.text) && printing === depth)
      deeds.push({ kind: 'write', text: literalAt(tokens, index + 1) })
    if (token.text === '|' || token.text === '|&') {
      const command = next?.text === 'getline' ? tokens[index - 1] : next
      deeds.push({ kind: 'run', text: command?.kind === 'string' ? command.text : null })
    }
    if (token.text === '@') deeds.push(OTHER)
  })
  return deeds
}

/** Behind a comma or an operator the statement continues over any number of newlines. */
function endsStatement(tokens: readonly AwkToken[], newline: number): boolean {
  let at = newline - 1
  while (tokens[at]?.text === '\n' && tokens[at]?.kind === 'mark') {
    spend(0.2)
    at--
  }
  const before = tokens[at]
  return before === undefined || before.kind !== 'mark' || /^(?:[)\]]|\+\+|--)$/.test(before.text)
}

function getline(tokens: readonly AwkToken[], index: number): AwkDeed {
  const near = tokens.slice(index + 1, index + 4)
  const from = near.findIndex(({ text, kind }) => kind === 'mark' && text === '<')
  return from === -1 ? OTHER : { kind: 'read', text: literalAt(tokens, index + from + 2) }
}

/** A string literal that is not concatenated with anything; null otherwise. */
function literalAt(tokens: readonly AwkToken[], at: number): string | null {
  const [token, next] = [tokens[at], tokens[at + 1]]
  if (token?.kind !== 'string' || token.text.includes(UNKNOWN)) return null
  const isJoined = next !== undefined && (next.kind !== 'mark' || /^[$(!+-]|^\+\+$|^--$/.test(next.text))
  return isJoined ? null : token.text
}

const SHOWS_ENVIRONMENT = /^(?:ENVIRON|ARGV|ARGC|ARGIND|PROCINFO|SYMTAB|FUNCTAB)$/

/** Keywords that a parenthesis may follow, and pure functions. */
const KNOWN_CALLS = new Set(
  `if while for switch case print printf return in delete exit do else and or xor not
  atan2 cos exp int log rand sin sqrt srand length index substr split sub gsub match sprintf tolower toupper close
  fflush gensub strtonum asort asorti patsplit systime strftime mktime lshift rshift compl isarray typeof mkbool
  dcgettext dcngettext bindtextdomain func function BEGIN END BEGINFILE ENDFILE NF NR FNR FS OFS RS ORS`.split(
    /\s+/,
  ),
)
