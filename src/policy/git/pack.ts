/** Reads git objects from a pack (version 2, SHA-1) by their offset. Bounded reads; no descriptor stays open. */

import { closeSync, readSync, statSync } from 'node:fs'
import { inflateSync } from 'node:zlib'
import { openRegularFileSync, readSmallFileSync } from '../../lib/file/regular-file.js'

export type ObjectType = 'commit' | 'tree' | 'blob' | 'tag'

export interface GitObject {
  type: ObjectType
  content: Buffer
}

/** A pack that cannot be read: its content is unknown. */
export class UnreadablePack extends Error {}

const TYPES: readonly (ObjectType | null)[] = [null, 'commit', 'tree', 'blob', 'tag']
const OFFSET_DELTA = 6
const REFERENCE_DELTA = 7
const ID_BYTES = 20
const FANOUT_END = 8 + 256 * 4
const LARGE_OFFSET = 0x80000000
const MAX_INDEX_BYTES = 16 * 1024 * 1024
/** Limit for one tree, decompressed. */
const MAX_TREE_BYTES = 8 * 1024 * 1024
const MAX_DELTAS = 200
const MAX_KEPT = 400
/** Type, size and delta base of an object. */
const HEADER_BYTES = 64

interface Header {
  type: number
  size: number
  base: number | null
  dataAt: number
}

export class Pack {
  readonly count: number
  readonly #index: Buffer
  readonly #path: string
  /** The offset of each object in file order, followed by the end of the file. */
  readonly #places: Float64Array
  readonly #trees = new Map<number, Buffer>()
  readonly #types = new Map<number, ObjectType>()
  #descriptor: number | null = null

  constructor(indexPath: string) {
    this.#index = readFile(indexPath, MAX_INDEX_BYTES)
    this.#path = indexPath.replace(/\.idx$/, '.pack')
    const { length } = this.#index
    const isKnown = length >= FANOUT_END && this.#index.readUInt32BE(0) === 0xff744f63
    if (!isKnown || this.#index.readUInt32BE(4) !== 2) throw new UnreadablePack()
    this.count = this.#index.readUInt32BE(FANOUT_END - 4)
    const least = FANOUT_END + this.count * (ID_BYTES + 8) + 2 * ID_BYTES
    if (length < least || (length - least) % 8 !== 0) throw new UnreadablePack()
    this.#places = new Float64Array(this.count + 1)
    for (let at = 0; at < this.count; at += 1) this.#places[at] = this.#placeOf(at)
    this.#places[this.count] = statSync(this.#path).size - ID_BYTES
    this.#places.sort()
  }

  /** Visits the trees among `count` objects, in file order. */
  forEachTree(from: number, count: number, visit: (tree: Buffer) => void): void {
    this.#reading(() => {
      for (const place of this.#places.subarray(from, Math.min(from + count, this.count)))
        if (this.#typeAt(place) === 'tree') visit(this.#contentAt(place))
    })
    if (from + count >= this.count) this.#types.clear()
  }

  /** The types of all objects whose id has this hexadecimal prefix. */
  typesOf(prefix: string): ObjectType[] {
    return this.#reading(() => this.#find(prefix).map((at) => this.#typeAt(this.#placeOf(at))))
  }

  idsOf(prefix: string): string[] {
    return this.#find(prefix).map((at) => this.#idAt(at))
  }

  /** An object by its full id; null if it is not here. */
  object(id: string): GitObject | null {
    const [at] = this.#find(id)
    if (at === undefined) return null
    return this.#reading(() => {
      const place = this.#placeOf(at)
      return { type: this.#typeAt(place), content: this.#contentAt(place) }
    })
  }

  #reading<Value>(read: () => Value): Value {
    if (this.#descriptor !== null) return read()
    const { file } = openRegularFileSync(this.#path)
    this.#descriptor = file
    try {
      return read()
    } finally {
      closeSync(file)
      this.#descriptor = null
    }
  }

  #idAt(at: number): string {
    const start = FANOUT_END + at * ID_BYTES
    return this.#index.toString('hex', start, start + ID_BYTES)
  }

  #placeOf(at: number): number {
    const offsets = FANOUT_END + this.count * (ID_BYTES + 4)
    const offset = this.#index.readUInt32BE(offsets + at * 4)
    if (offset < LARGE_OFFSET) return offset
    const large = offsets + this.count * 4 + (offset - LARGE_OFFSET) * 8
    if (large + 8 > this.#index.length) throw new UnreadablePack()
    return Number(this.#index.readBigUInt64BE(large))
  }

  #find(prefix: string): number[] {
    let [low, high] = [0, this.count]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#idAt(middle) < prefix) low = middle + 1
      else high = middle
    }
    const found: number[] = []
    for (let at = low; at < this.count && this.#idAt(at).startsWith(prefix); at += 1) found.push(at)
    return found
  }

  /** A delta has the type of its base. Most bases precede their deltas. */
  #typeAt(place: number, depth = 0): ObjectType {
    const known = this.#types.get(place)
    if (known !== undefined) return known
    const { type, base } = this.#headerAt(place)
    if (depth > MAX_DELTAS) return unreadable()
    const found = base === null ? (TYPES[type] ?? unreadable()) : this.#typeAt(base, depth + 1)
    this.#types.set(place, found)
    return found
  }

  #headerAt(place: number): Header {
    const bytes = this.#read(place, HEADER_BYTES)
    let at = 0
    const first = bytes[at++] ?? 0
    const type = (first >> 4) & 7
    let size = first & 15
    for (let [byte, shift] = [first, 4]; (byte & 0x80) !== 0; shift += 7) {
      byte = bytes[at++] ?? 0
      size += (byte & 0x7f) * 2 ** shift
    }
    if (type === REFERENCE_DELTA) {
      const [base] = this.#find(bytes.toString('hex', at, at + ID_BYTES))
      if (base === undefined) return unreadable()
      return { type, size, base: this.#placeOf(base), dataAt: place + at + ID_BYTES }
    }
    if (type !== OFFSET_DELTA) return { type, size, base: null, dataAt: place + at }
    let byte = bytes[at++] ?? 0
    let distance = byte & 0x7f
    while ((byte & 0x80) !== 0) {
      byte = bytes[at++] ?? 0
      distance = (distance + 1) * 128 + (byte & 0x7f)
    }
    if (distance <= 0 || distance > place) return unreadable()
    return { type, size, base: place - distance, dataAt: place + at }
  }

  #contentAt(place: number, depth = 0): Buffer {
    const kept = this.#trees.get(place)
    if (kept !== undefined) return kept
    const { size, base, dataAt } = this.#headerAt(place)
    if (size > MAX_TREE_BYTES || depth > MAX_DELTAS) return unreadable()
    const packed = this.#read(dataAt, this.#after(place) - dataAt)
    const data = inflateSync(packed, { maxOutputLength: MAX_TREE_BYTES })
    const content = base === null ? data : applyDelta(this.#contentAt(base, depth + 1), data)
    if (this.#trees.size >= MAX_KEPT) this.#trees.clear()
    this.#trees.set(place, content)
    return content
  }

  /** The offset of the next object. */
  #after(place: number): number {
    let [low, high] = [0, this.#places.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#places[middle] ?? 0) <= place) low = middle + 1
      else high = middle
    }
    return this.#places[low] ?? place
  }

  #read(from: number, length: number): Buffer {
    if (length <= 0 || length > MAX_TREE_BYTES) return unreadable()
    const bytes = Buffer.alloc(length)
    const count = readSync(this.#descriptor ?? unreadable(), bytes, 0, length, from)
    return count < 1 ? unreadable() : bytes.subarray(0, count)
  }
}

function unreadable(): never {
  throw new UnreadablePack()
}

/** Applies a delta to its base: parts that are copied and parts that are new. */
function applyDelta(base: Buffer, delta: Buffer): Buffer {
  let at = 0
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = delta[at++] ?? unreadable()
      value += (byte & 0x7f) * 2 ** shift
      if ((byte & 0x80) === 0) return value
    }
  }
  if (number() !== base.length) return unreadable()
  const length = number()
  if (length > MAX_TREE_BYTES) return unreadable()
  const parts: Buffer[] = []
  while (at < delta.length) {
    const sign = delta[at++] ?? 0
    if (sign === 0) return unreadable()
    if ((sign & 0x80) === 0) {
      parts.push(delta.subarray(at, at + sign))
      at += sign
      continue
    }
    let [offset, size] = [0, 0]
    for (let bit = 0; bit < 4; bit += 1) if (sign & (1 << bit)) offset += (delta[at++] ?? 0) * 2 ** (8 * bit)
    for (let bit = 0; bit < 3; bit += 1) if (sign & (0x10 << bit)) size += (delta[at++] ?? 0) * 2 ** (8 * bit)
    parts.push(base.subarray(offset, offset + (size || 0x10000)))
  }
  const whole = Buffer.concat(parts)
  return whole.length === length ? whole : unreadable()
}

/**
 * Only a regular file within the limit: reading a FIFO would block, and closing a second descriptor would drop our
 * lock.
 */
export function readFile(path: string, maxBytes: number): Buffer {
  try {
    return readSmallFileSync(path, maxBytes)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    throw UNREADABLE.has(code) ? new UnreadablePack() : error
  }
}

/** A folder, a FIFO or a device, or a file over the limit. */
const UNREADABLE: ReadonlySet<unknown> = new Set(['EISDIR', 'EINVAL', 'EFBIG'])
