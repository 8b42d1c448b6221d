/** A window of lines of a file of any size: reads in pieces, keeps only what is shown. */

import { TextDecoder } from 'node:util'
import { characterEnd } from '../../lib/text/truncate.js'
import { ToolFailure } from '../tool.js'
import { decodeStrictly, type Encoding, readStart, type Start } from './encoding.js'

export interface WindowOptions {
  /** The first line, from 1. */
  offset: number
  maxLines: number
  maxBytes: number
  maxLineBytes: number
}

export interface LineWindow {
  text: string
  encoding: Encoding
  hasBom: boolean
  /** Lines that are shown. */
  lines: number
  /** Where to go on; null at the end of the file. */
  next: number | null
  /** Lines of the whole file, where its end was seen. */
  total: number | null
  /** Lines that were too long to be shown whole. */
  cut: readonly number[]
}

/** Null for what is not text. */
export async function readWindow(
  pieces: AsyncIterable<Uint8Array>,
  options: WindowOptions,
): Promise<LineWindow | null> {
  const window = new Window(options)
  let decoder: TextDecoder | null = null
  let start: Start = { encoding: 'utf-8', bomBytes: 0 }
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst) start = readStart(piece)
    if (start.encoding === null) return null
    if (isFirst && start.encoding !== 'utf-8') decoder = new TextDecoder(start.encoding, { fatal: true })
    const bytes = isFirst ? piece.subarray(start.bomBytes) : piece
    isFirst = false
    // UTF-16 goes the same way as UTF-8: in neither is a line break a part of another character.
    const utf8 = decoder === null ? bytes : decodePiece(decoder, bytes)
    if (utf8 === null) return null
    if (window.add(utf8)) return window.end(start)
  }
  // Half a character at the end of the file.
  if (decoder !== null && decodePiece(decoder, null) === null) return null
  return window.end(start)
}

function decodePiece(decoder: TextDecoder, bytes: Uint8Array | null): Uint8Array | null {
  try {
    return Buffer.from(bytes === null ? decoder.decode() : decoder.decode(bytes, { stream: true }))
  } catch {
    return null
  }
}

const LINE_BREAK = 10

class Window {
  readonly #options: WindowOptions
  /** The lines that are shown, and the start of the one that is being read. */
  readonly #kept: Uint8Array[] = []
  #current: Uint8Array[] = []
  readonly #cut: number[] = []
  #keptBytes = 0
  #line = 1
  #lineBytes = 0
  #isFull = false
  #hasMore = false

  constructor(options: WindowOptions) {
    this.#options = options
  }

  /** True when nothing more is needed. */
  add(bytes: Uint8Array): boolean {
    let place = 0
    while (place < bytes.length && !this.#isFull) {
      const found = bytes.indexOf(LINE_BREAK, place)
      this.#addToLine(bytes.subarray(place, found < 0 ? bytes.length : found))
      place = found < 0 ? bytes.length : found + 1
      if (found >= 0) this.#endLine(true)
    }
    // Only a byte after the last line break proves that there is another line.
    this.#hasMore = place < bytes.length
    return this.#hasMore
  }

  #addToLine(part: Uint8Array): void {
    const { offset, maxLineBytes } = this.#options
    if (this.#line >= offset && this.#lineBytes <= maxLineBytes) this.#current.push(Buffer.from(part))
    this.#lineBytes += part.length
  }

  #endLine(hasBreak: boolean): void {
    const { offset, maxLines, maxBytes, maxLineBytes } = this.#options
    if (this.#line >= offset) {
      const whole = Buffer.concat(this.#current)
      const isCut = this.#lineBytes > maxLineBytes
      const shown = isCut ? whole.subarray(0, characterEnd(whole, maxLineBytes)) : whole
      if (isCut) this.#cut.push(this.#line)
      this.#kept.push(shown)
      if (hasBreak) this.#kept.push(Uint8Array.of(LINE_BREAK))
      this.#keptBytes += shown.length + 1
      this.#current = []
    }
    this.#line += 1
    this.#lineBytes = 0
    this.#isFull = this.#line >= offset + maxLines || this.#keptBytes >= maxBytes
  }

  end({ encoding, bomBytes }: Start): LineWindow | null {
    const { offset } = this.#options
    if (this.#lineBytes > 0) this.#endLine(false)
    const last = this.#line - 1
    if (last < offset && offset > 1) {
      throw new ToolFailure(
        `The file has ${last} ${last === 1 ? 'line' : 'lines'}: line ${offset} is behind its end.`,
      )
    }
    const bytes = Buffer.concat(this.#kept)
    const strict = decodeStrictly(bytes, 'utf-8')
    const text = strict ?? bytes.toString('latin1')
    if (text.includes('\0')) return null
    return {
      text,
      encoding: strict === null ? 'latin1' : (encoding ?? 'utf-8'),
      hasBom: bomBytes > 0,
      lines: Math.max(0, last - offset + 1),
      next: this.#hasMore ? this.#line : null,
      total: this.#hasMore ? null : last,
      cut: this.#cut,
    }
  }
}
