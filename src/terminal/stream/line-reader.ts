/** Reads whole lines of a file from a byte offset, with bounded memory. */

import { readSync } from 'node:fs'

export interface Line {
  /** Byte offset in the file. */
  readonly offset: number
  /** In bytes, without line end. */
  readonly length: number
  /** Null if the line exceeds the limit. */
  readonly text: string | null
}

export interface LineBatch {
  readonly lines: readonly Line[]
  /** After the last whole line. In bytes, not characters: it must match the file after a restart. */
  readonly nextOffset: number
}

export interface LineReaderOptions {
  /** Size of a read. */
  batchBytes: number
  maxLineBytes: number
  /** How much of a line that is too long is scanned in one call: then an empty batch is returned. Default: all. */
  maxScanBytes?: number
}

const LINE_END = 10
const SCAN_BYTES = 1 << 20

export class LineReader {
  readonly #options: LineReaderOptions
  /** Allocated on demand: many files have little or nothing to read. */
  #buffer = Buffer.alloc(0)
  /** Progress in a line that is too long, so that it is not scanned again from its start. */
  #scanned = { offset: -1, end: -1 }

  constructor(options: LineReaderOptions) {
    this.#options = options
  }

  /** Whether a line that is too long is being scanned: another reader would begin again. */
  get isScanning(): boolean {
    return this.#scanned.offset >= 0
  }

  /** Whole lines between `offset` and `size`; null if there is none yet. */
  read(file: number, offset: number, size: number): LineBatch | null {
    const { batchBytes, maxLineBytes } = this.#options
    if (this.#scanned.offset === offset && size >= this.#scanned.end)
      return this.#skipLong(file, offset, size)
    let want = Math.min(size - offset, batchBytes)
    for (;;) {
      const got = this.#fill(file, offset, want)
      const last = this.#buffer.subarray(0, got).lastIndexOf(LINE_END)
      if (last >= 0) return this.#split(offset, last + 1)
      if (got < want || want === size - offset) {
        return got > maxLineBytes ? this.#skipLong(file, offset, size) : null
      }
      if (want > maxLineBytes) return this.#skipLong(file, offset, size)
      want = Math.min(size - offset, want * 4, maxLineBytes + 1)
    }
  }

  #fill(file: number, offset: number, want: number): number {
    if (this.#buffer.length < want) this.#buffer = Buffer.allocUnsafe(want)
    let got = 0
    while (got < want) {
      const read = readSync(file, this.#buffer, got, want - got, offset + got)
      if (read === 0) break
      got += read
    }
    return got
  }

  #split(offset: number, end: number): LineBatch {
    const lines: Line[] = []
    for (let start = 0; start < end; ) {
      const stop = this.#buffer.indexOf(LINE_END, start)
      const length = stop - start
      const text = length > this.#options.maxLineBytes ? null : this.#buffer.toString('utf8', start, stop)
      lines.push({ offset: offset + start, length, text })
      start = stop + 1
    }
    // Memory: shrinks the buffer after a long line.
    if (this.#buffer.length > this.#options.batchBytes) {
      this.#buffer = Buffer.allocUnsafe(this.#options.batchBytes)
    }
    return { lines, nextOffset: offset + end }
  }

  /** Finds the end of a line that is too long to keep. */
  #skipLong(file: number, offset: number, size: number): LineBatch | null {
    const isKnown = this.#scanned.offset === offset
    let at = isKnown ? this.#scanned.end : offset
    const pauseAt = at + (this.#options.maxScanBytes ?? Number.POSITIVE_INFINITY)
    if (this.#buffer.length > this.#options.batchBytes) {
      this.#buffer = Buffer.allocUnsafe(this.#options.batchBytes)
    }
    while (at < size) {
      if (at >= pauseAt) {
        this.#scanned = { offset, end: at }
        return { lines: [], nextOffset: offset }
      }
      const got = this.#fill(file, at, Math.min(size - at, SCAN_BYTES))
      if (got === 0) break
      const end = this.#buffer.subarray(0, got).indexOf(LINE_END)
      if (end >= 0) {
        this.#scanned = { offset: -1, end: -1 }
        return {
          lines: [{ offset, length: at + end - offset, text: null }],
          nextOffset: at + end + 1,
        }
      }
      at += got
    }
    this.#scanned = { offset, end: at }
    return null
  }
}
