/**
 * Matches globs without backtracking: a set of places in the text is carried from token to token. The work grows with
 * the length of the pattern times that of the text; groups cost more, and all of it is bounded by steps.
 */

import { spend } from '../step-budget.js'
import { type GlobSyntax, MAX_LENGTH, parseGlob, type Token } from './parse-glob.js'

export interface Glob {
  tokens: readonly Token[]
  syntax: GlobSyntax
}

const MAX_STEPS = 100_000
const MAX_COMPILED = 500

const compiled = new Map<string, Glob | null>()

/** Null for a pattern that cannot be read: it may fit anything. One pattern is compared with many texts. */
export function globOf(pattern: string, syntax: GlobSyntax): Glob | null {
  if (pattern.length > MAX_LENGTH) return null
  spend(2 + pattern.length / 32)
  const key = `${syntax.braces ? 1 : 0}${syntax.paths ? 1 : 0}${pattern}`
  const known = compiled.get(key)
  if (known !== undefined) return known
  if (compiled.size >= MAX_COMPILED) compiled.clear()
  const tokens = parseGlob(pattern, syntax)
  const glob = tokens === null ? null : { tokens, syntax }
  compiled.set(key, glob)
  return glob
}

/** Whether it fits the whole text; null if that would take too many steps. */
export function fitsWhole({ tokens, syntax }: Glob, text: string): boolean | null {
  const ends = walk(tokens, text, syntax)
  return ends === null ? null : ends.at(-1) === text.length
}

/** The lengths of the beginnings of the text that it fits, shortest first; null if that would take too many steps. */
export function fittingStarts({ tokens, syntax }: Glob, text: string): number[] | null {
  return walk(tokens, text, syntax)
}

/** The lengths of the ends of the text that it fits, shortest first. */
export function fittingEnds({ tokens, syntax }: Glob, text: string): number[] | null {
  return walk(mirror(tokens), Array.from(text).toReversed().join(''), syntax)
}

function mirror(tokens: readonly Token[]): Token[] {
  return tokens.toReversed().map((token) => {
    if (token.kind === 'text') return { kind: 'text', text: Array.from(token.text).toReversed().join('') }
    return token.kind === 'group' ? { ...token, ways: token.ways.map(mirror) } : token
  })
}

class TooManySteps extends Error {}

interface Walk {
  text: string
  stopsAtSlash: boolean
  steps: number
}

function walk(tokens: readonly Token[], text: string, { paths }: GlobSyntax): number[] | null {
  const state = { text, stopsAtSlash: paths, steps: 0 }
  try {
    return follow(tokens, [0], state)
  } catch (error) {
    if (error instanceof TooManySteps) return null
    throw error
  }
}

/** Counts for this comparison and for the verdict as a whole. */
function count(state: Walk, steps: number): void {
  state.steps += steps
  spend(steps)
  if (state.steps > MAX_STEPS) throw new TooManySteps()
}

/** Where the tokens may end if they begin at one of the places, which are in order. */
function follow(tokens: readonly Token[], starts: readonly number[], state: Walk): number[] {
  let places = [...starts]
  for (const token of tokens) {
    if (places.length === 0) return places
    count(state, 1 + places.length)
    places = step(token, places, state)
  }
  return places
}

function step(token: Token, places: number[], state: Walk): number[] {
  const { text, stopsAtSlash } = state
  switch (token.kind) {
    case 'text':
      count(state, (places.length * token.text.length) / 8)
      return places.filter((at) => text.startsWith(token.text, at)).map((at) => at + token.text.length)
    case 'any':
    case 'class':
      count(state, token.kind === 'class' ? (places.length * token.ranges.length) / 4 : 0)
      return places.flatMap((at) => {
        const code = text.codePointAt(at)
        if (code === undefined || (stopsAtSlash && code === SLASH)) return []
        if (token.kind === 'class' && !isMember(token, code)) return []
        return [at + (code > 0xffff ? 2 : 1)]
      })
    case 'star':
      return spread(places, state)
    case 'all':
      return everyFrom(places[0] as number, state)
    case 'folders':
      return joined(
        places,
        everyFrom(places[0] as number, state).filter((at) => at > 0 && text[at - 1] === '/'),
      )
    case 'below': {
      const first = places.find((at) => text[at] === '/')
      return first === undefined ? places : joined(places, everyFrom(first, state))
    }
    case 'group':
      return followGroup(token, places, state)
  }
}

const SLASH = 0x2f

export function isMember({ isNegated, ranges }: Extract<Token, { kind: 'class' }>, code: number): boolean {
  return ranges.some(([first, last]) => code >= first && code <= last) !== isNegated
}

function everyFrom(from: number, state: Walk): number[] {
  const size = state.text.length - from + 1
  count(state, size)
  return Array.from({ length: size }, (_, index) => from + index)
}

/** Each place, and all behind it up to the next slash. */
function spread(places: readonly number[], state: Walk): number[] {
  const { text, stopsAtSlash } = state
  if (!stopsAtSlash) return everyFrom(places[0] as number, state)
  const found: number[] = []
  for (const place of places) {
    if (found.length > 0 && place <= (found.at(-1) as number)) continue
    for (let at = place; ; at++) {
      found.push(at)
      if (at >= text.length || text[at] === '/') break
    }
  }
  count(state, found.length)
  return found
}

function joined(one: readonly number[], other: readonly number[]): number[] {
  if (one.length === 0) return [...other]
  if (other.length === 0) return [...one]
  return [...new Set([...one, ...other])].toSorted((first, second) => first - second)
}

function followGroup(
  { operator, ways }: Extract<Token, { kind: 'group' }>,
  places: number[],
  state: Walk,
): number[] {
  const once = (starts: readonly number[]) =>
    ways.reduce<number[]>((found, way) => {
      count(state, found.length + starts.length)
      return joined(found, follow(way, starts, state))
    }, [])
  switch (operator) {
    case '@':
      return once(places)
    case '?':
      return joined(places, once(places))
    case '+':
    case '*': {
      const seen = new Set<number>(operator === '*' ? places : [])
      for (let frontier: readonly number[] = places; frontier.length > 0; ) {
        const next = once(frontier).filter((at) => !seen.has(at))
        for (const at of next) seen.add(at)
        count(state, next.length + 1)
        frontier = next
      }
      return [...seen].toSorted((first, second) => first - second)
    }
    case '!':
      return places.reduce<number[]>((found, place) => {
        count(state, found.length)
        const fitting = new Set(once([place]))
        return joined(
          found,
          spread([place], state).filter((at) => !fitting.has(at)),
        )
      }, [])
  }
}
