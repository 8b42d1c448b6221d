/**
 * Values that are known to be secret, and where they stand in a text. One pass over the text, whatever their number: each position
 * is looked up by its next characters, and the cost of a position is bounded by the length of a piece.
 */

import type { Steps } from '../sliced-work.js'

/** Shorter values would hide half of every text. */
export const MIN_CHARACTERS = 6
/** Longer values are compared in pieces, so that a text that almost matches costs no more than this at each position. */
const MAX_PIECE = 64
/** A remainder at the end of a value belongs to its last piece. */
const MAX_LOOK = MAX_PIECE + MIN_CHARACTERS
/** How far a search goes before others may have their turn. */
const CHARACTERS_AT_ONCE = 16_384
const FOUND_COSTS = 64
/** A power of two: one byte says whether any value may begin here. */
const SLOTS = 2 ** 20

interface HideOptions {
  hidden: string
  /** Signs behind which a text may have been made shorter. */
  cuts: readonly string[]
  onFound?(value: string): void
}

export class KnownSecrets {
  readonly #buckets = new Map<string, Bucket>()
  #slots = new Uint8Array(SLOTS)
  #removed = 0

  add(secret: string): void {
    for (const piece of piecesOf(secret)) {
      const start = piece.slice(0, MIN_CHARACTERS)
      const bucket = this.#buckets.get(start) ?? new Bucket()
      bucket.add(piece)
      this.#buckets.set(start, bucket)
      this.#slots[slotOf(start)] = 1
    }
  }

  remove(secret: string): void {
    for (const piece of piecesOf(secret)) {
      const start = piece.slice(0, MIN_CHARACTERS)
      const bucket = this.#buckets.get(start)
      bucket?.remove(piece)
      if (bucket?.isEmpty) this.#buckets.delete(start)
    }
    this.#removed += 1
    // Slots of values that are gone cost a lookup each time; they are cleared together.
    if (this.#removed < this.#buckets.size + 1_000) return
    this.#removed = 0
    this.#slots = new Uint8Array(SLOTS)
    for (const start of this.#buckets.keys()) this.#slots[slotOf(start)] = 1
  }

  /**
   * The text with `hidden` in the place of each value. The beginning of a value before one of `cuts` counts as well. Yields now and
   * then, so that a long text can be searched in slices.
   */
  *hide(text: string, { hidden, cuts, onFound = () => {} }: HideOptions): Steps<string> {
    if (this.#buckets.size === 0 || text.length < MIN_CHARACTERS) return text
    let result = ''
    let copied = 0
    const nextCuts = cuts.map((sign) => ({ sign, place: -1 }))
    let state = 0
    let pause = CHARACTERS_AT_ONCE
    for (let at = 0; at < text.length; at += 1) {
      if (at >= pause) {
        yield
        pause = at + CHARACTERS_AT_ONCE
      }
      state = shift(state, text.charCodeAt(at))
      if (this.#slots[slotFor(state)] === 0) continue
      const start = at - MIN_CHARACTERS + 1
      if (start < copied) continue
      const bucket = this.#buckets.get(text.slice(start, at + 1))
      if (!bucket) continue
      const value = bucket.find(text.slice(start, start + MAX_LOOK))
      const length = value?.length ?? lengthBefore(nextCuts, { bucket, text, start })
      if (length === 0) continue
      if (value !== null) onFound(value)
      // Pieces of one value that follow each other are hidden as one.
      const isFollowing = start === copied && result.endsWith(hidden)
      result += isFollowing ? '' : text.slice(copied, start) + hidden
      copied = start + length
      at = copied - 1
      state = 0
      // To find a value takes longer than to pass over a character.
      pause -= FOUND_COSTS
    }
    return copied === 0 ? text : result + text.slice(copied)
  }
}

/** How many characters of a value stand before a place where the text may have been cut off. */
function lengthBefore(
  cuts: { readonly sign: string; place: number }[],
  { bucket, text, start }: { bucket: Bucket; text: string; start: number },
): number {
  for (const cut of cuts) {
    if (cut.place < start) {
      const found = text.indexOf(cut.sign, start)
      cut.place = found < 0 ? Number.MAX_SAFE_INTEGER : found
    }
    const length = cut.place - start
    const isPossible = length >= MIN_CHARACTERS && length <= MAX_LOOK
    if (isPossible && bucket.hasBeginning(text.slice(start, cut.place))) return length
  }
  return 0
}

/** Values with the same beginning, in order, each with the longest other one that it begins with. */
class Bucket {
  readonly #values: string[] = []
  readonly #parents = new Map<string, string | null>()
  /** How many secrets need each value. */
  readonly #uses = new Map<string, number>()

  get isEmpty(): boolean {
    return this.#values.length === 0
  }

  add(value: string): void {
    const uses = this.#uses.get(value) ?? 0
    this.#uses.set(value, uses + 1)
    if (uses > 0) return
    const parent = this.find(value)
    const place = this.#countUpTo(value)
    this.#values.splice(place, 0, value)
    this.#parents.set(value, parent)
    for (const longer of this.#behind(place, value))
      if ((this.#parents.get(longer)?.length ?? 0) < value.length) this.#parents.set(longer, value)
  }

  remove(value: string): void {
    const uses = this.#uses.get(value) ?? 0
    if (uses > 1) this.#uses.set(value, uses - 1)
    if (uses !== 1) return
    const place = this.#countUpTo(value) - 1
    const parent = this.#parents.get(value) ?? null
    for (const longer of this.#behind(place, value))
      if (this.#parents.get(longer) === value) this.#parents.set(longer, parent)
    this.#uses.delete(value)
    this.#parents.delete(value)
    this.#values.splice(place, 1)
  }

  /** The longest value that the text begins with. */
  find(text: string): string | null {
    let value = this.#values[this.#countUpTo(text) - 1] ?? null
    while (value !== null && !text.startsWith(value)) value = this.#parents.get(value) ?? null
    return value
  }

  hasBeginning(text: string): boolean {
    return this.#values[this.#countUpTo(text)]?.startsWith(text) ?? false
  }

  /** Those behind a place that begin with the value that is there. */
  *#behind(place: number, value: string): Generator<string> {
    for (let index = place + 1; index < this.#values.length; index += 1) {
      const longer = this.#values[index] ?? ''
      if (!longer.startsWith(value)) return
      yield longer
    }
  }

  /** How many values come before this text, or are it. */
  #countUpTo(text: string): number {
    let low = 0
    let high = this.#values.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#values[middle] ?? '') <= text) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** No piece is too short to be looked for: what is left over belongs to the last one. */
function piecesOf(secret: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at < secret.length; ) {
    const left = secret.length - at
    const length = left < MAX_LOOK ? left : MAX_PIECE
    pieces.push(secret.slice(at, at + length))
    at += length
  }
  return pieces
}

/** The last six characters, five bits further apart each: older ones have left the thirty bits. */
function shift(state: number, code: number): number {
  return ((state << 5) ^ code) & 0x3fff_ffff
}

function slotFor(state: number): number {
  return Math.imul(state, 0x9e37_79b1) >>> 12
}

function slotOf(start: string): number {
  let state = 0
  for (let at = 0; at < start.length; at += 1) state = shift(state, start.charCodeAt(at))
  return slotFor(state)
}
