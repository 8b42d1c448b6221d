/**
 * Entries that a runner has handed in and the hub has not confirmed, in a file: it is sent again after an end of the link, of the hub
 * or of the runner. Entries are numbered, so that the hub takes each once.
 */

import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import type { Kept } from './frame.js'

/** A file in which nothing waits is emptied beyond this size. */
const TRIM_BYTES = 256 * 1024

/** `Omit` of each member of the union. */
type Unnumbered<Entry> = Entry extends Kept ? Omit<Entry, 'n'> : never

export class Spool {
  /** Numbers count within it. */
  readonly id: string
  readonly #file: number
  readonly #left = new Map<number, Kept>()
  #size: number
  #last: number

  constructor(path: string) {
    const found = readSpool(path)
    this.#file = openSync(path, found ? 'r+' : 'w+', 0o600)
    this.id = found?.id ?? randomUUID()
    this.#last = found?.last ?? 0
    this.#size = found?.size ?? 0
    for (const entry of found?.entries ?? []) this.#left.set(entry.n, entry)
    // A line that a crash has cut off was never confirmed.
    if (found) ftruncateSync(this.#file, found.size)
    else this.#begin()
  }

  /** Those that wait for the hub, in order. */
  get left(): readonly Kept[] {
    return [...this.#left.values()]
  }

  /** Bytes in the file. */
  get size(): number {
    return this.#size
  }

  /** It outlives this process; for a power cut, call `sync`. */
  add(entry: Unnumbered<Kept>): Kept {
    this.#last += 1
    const kept = { ...entry, n: this.#last }
    this.#left.set(kept.n, kept)
    this.#write(`${JSON.stringify(kept)}\n`)
    return kept
  }

  done(n: number): void {
    this.#left.delete(n)
    if (this.#left.size === 0 && this.#size > TRIM_BYTES) this.#begin()
  }

  sync(): void {
    fsyncSync(this.#file)
  }

  close(): void {
    closeSync(this.#file)
  }

  #begin(): void {
    ftruncateSync(this.#file, 0)
    this.#size = 0
    this.#write(`${JSON.stringify({ spool: this.id, last: this.#last })}\n`)
  }

  #write(line: string): void {
    const bytes = Buffer.from(line)
    for (let from = 0; from < bytes.length; )
      from += writeSync(this.#file, bytes, from, bytes.length - from, this.#size + from)
    this.#size += bytes.length
  }
}

interface Found {
  id: string
  last: number
  entries: Kept[]
  /** Up to the end of the last whole line. */
  size: number
}

/** Null where there is none that can be read: then nothing in it was confirmed. */
function readSpool(path: string): Found | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch {
    return null
  }
  const size = bytes.lastIndexOf(10) + 1
  const [head, ...lines] = bytes.subarray(0, size).toString('utf8').split('\n').slice(0, -1)
  try {
    const { spool, last } = JSON.parse(head ?? '') as { spool: unknown; last: unknown }
    if (typeof spool !== 'string' || typeof last !== 'number') return null
    const entries = lines.map((line) => JSON.parse(line) as Kept)
    return { id: spool, last: entries.at(-1)?.n ?? last, entries, size }
  } catch {
    return null
  }
}
