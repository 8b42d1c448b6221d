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
    const kept = { ...entry, n: this.#last + 1 }
    // First of all: an entry that the disk refuses is not kept.
    this.#write(`${JSON.stringify(kept)}\n`)
    this.#last = kept.n
    this.#left.set(kept.n, kept)
    return kept
  }

  /** A power cut can take entries that the hub has stored: their numbers are not given to others. */
  continueBehind(n: number): void {
    this.#last = Math.max(this.#last, n)
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
  /** Up to the end of the last whole entry. */
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
  const [head, ...entries] = linesIn(bytes)
  const { spool, last } = (head?.value ?? {}) as { spool?: unknown; last?: unknown }
  if (typeof spool !== 'string' || typeof last !== 'number') return null
  return {
    id: spool,
    last: (entries.at(-1)?.value as Kept | undefined)?.n ?? last,
    entries: entries.map(({ value }) => value as Kept),
    size: entries.at(-1)?.end ?? head?.end ?? 0,
  }
}

/** Up to the first that was cut off, or that a power cut has damaged. `end`: behind its line break. */
function linesIn(bytes: Buffer): { value: unknown; end: number }[] {
  const lines: { value: unknown; end: number }[] = []
  let from = 0
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, from)) {
    try {
      lines.push({ value: JSON.parse(bytes.toString('utf8', from, end)), end: end + 1 })
    } catch {
      break
    }
    from = end + 1
  }
  return lines
}
