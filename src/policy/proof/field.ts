/** Expands words to arguments: variables that are set in the same text, braces, and globs against the file system. */

import { spend } from '../../lib/step-budget.js'
import { reason } from '../../protocol/reason/reason.js'
import { isInside, isKnown, UNKNOWN } from '../file/path.js'
import { expand, type Pattern, tokensOf } from './glob.js'
import type { Field, Places } from './place.js'
import type { Scope } from './scope.js'
import type { Piece, Word } from './syntax.js'
import { refuse } from './unproven.js'

/** A value that the shell neither splits nor globs. */
const PLAIN = /^[A-Za-z0-9_./:@%+,=-]+$/
const HARMLESS_VARIABLES = new Set(['USER', 'LOGNAME'])
const MAX_FIELDS = 500

export class Fields {
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  /** All possible argument lists: with globs unexpanded, and expanded in each folder. */
  ways(words: readonly Word[], scope: Scope): Field[][] {
    const patterns = words.flatMap((word) =>
      choicesOf(word).map((pieces) => this.#field(pieces, word, scope)),
    )
    if (patterns.length > MAX_FIELDS) refuse(reason('proof.too-many-arguments'), words[0]?.start ?? null)
    const globs = patterns.filter(({ pattern }) => pattern !== undefined)
    for (const glob of globs) this.#places.look(glob, scope.folders)
    if (globs.length === 0) return [patterns]
    return [
      patterns,
      ...scope.folders.map((folder) => patterns.flatMap((field) => this.#expanded(field, folder, scope))),
    ]
  }

  /** One argument without splitting and globbing: a value, a text for the input. */
  single(word: Word, scope: Scope, { isAssigned = false } = {}): Field {
    const [pieces, ...others] = choicesOf(word)
    if (pieces === undefined || others.length > 0) return refuse(reason('proof.syntax'), word.start)
    const quoted = pieces.map((piece) =>
      isAssigned && 'isQuoted' in piece ? { ...piece, isQuoted: true } : piece,
    )
    const field = this.#field(quoted, word, scope, { mayBeEmpty: isAssigned })
    if (field.pattern !== undefined) refuse(reason('proof.pattern'), word.start)
    return field
  }

  #expanded(field: Field, folder: string, scope: Scope): Field[] {
    if (field.pattern === undefined) return [field]
    const { environment, budget } = this.#places
    const mayList = (place: string) => isInside(environment.realWorkspace, place)
    const names = expand(field.pattern, folder, environment.fs, budget, mayList)
    if (names.length === 0) return [field]
    return names.map((text) => {
      const found = { text, at: field.at, isMatch: true }
      this.#places.look(found, scope.folders)
      return found
    })
  }

  #field(pieces: readonly Piece[], word: Word, scope: Scope, { mayBeEmpty = false } = {}): Field {
    const tokens: Pattern[number][] = []
    let text = ''
    for (const piece of pieces) {
      const value = piece.kind === 'glob' ? piece.text : valueOf(piece, scope, word)
      text += value
      spend(1 + value.length)
      tokens.push(...(piece.kind === 'glob' ? tokensOf(value) : value.split('')))
    }
    const isQuoted = word.bare === null && pieces.every(({ kind }) => kind !== 'choice')
    if (text === '' && !isQuoted && !mayBeEmpty) refuse(reason('proof.syntax'), word.start)
    const hasGlob = pieces.some(({ kind }) => kind === 'glob')
    const isWalked = pieces.some(({ kind }) => kind === 'process')
    return {
      text,
      at: word.start,
      ...(hasGlob && { pattern: tokens }),
      ...(isWalked && { isWalked }),
    }
  }
}

/** All choices of the braces in a word, in the order of the shell. */
function choicesOf({ pieces, start }: Word): Piece[][] {
  let ways: Piece[][] = [[]]
  for (const piece of pieces) {
    spend(ways.length)
    if (piece.kind !== 'choice') {
      for (const way of ways) way.push(piece)
      continue
    }
    for (const way of ways) spend(way.length * piece.items.length)
    ways = ways.flatMap((way) => piece.items.map((item) => [...way, ...item]))
    if (ways.length > MAX_FIELDS) refuse(reason('proof.too-many-arguments'), start)
  }
  return ways
}

function valueOf(piece: Exclude<Piece, { kind: 'glob' }>, scope: Scope, { start }: Word): string {
  switch (piece.kind) {
    case 'text':
      return piece.text
    case 'number':
      return UNKNOWN
    case 'output':
      return piece.isQuoted ? UNKNOWN : refuse(reason('proof.unquoted-output'), start)
    case 'process':
      return '/dev/fd/63'
    case 'choice':
      return refuse(reason('proof.syntax'), start)
    case 'variable': {
      const value = scope.values.get(piece.name) ?? known(piece.name, scope)
      if (value === null) return refuse(reason('proof.unknown-value', { variable: `$${piece.name}` }), start)
      if (piece.isChanged)
        return piece.isQuoted
          ? UNKNOWN
          : refuse(reason('proof.unquoted', { variable: `$${piece.name}` }), start)
      const isWhole = piece.isQuoted || PLAIN.test(value) || HARMLESS_VARIABLES.has(piece.name)
      return isWhole ? value : refuse(reason('proof.unquoted', { variable: `$${piece.name}` }), start)
    }
  }
}

function known(name: string, { startFolder, values }: Scope): string | null {
  if (name === 'HOME') return values.get('\0HOME') ?? null
  if (name === 'PWD') return startFolder
  return HARMLESS_VARIABLES.has(name) ? UNKNOWN : null
}

/** Whether every argument is fully known, independent of the file system. */
export function areLiteral(fields: readonly Field[]): boolean {
  return fields.every(
    ({ text, isWalked, isMatch, pattern }) => isKnown(text) && !isWalked && !isMatch && pattern === undefined,
  )
}
