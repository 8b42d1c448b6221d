/** Reads a file that grows, from a place on, in whole lines. As slow as its reader: the file is the buffer. */

import { closeSync, type FSWatcher, openSync, readSync, watch } from 'node:fs'
import { Readable } from 'node:stream'

const PIECE_BYTES = 64 * 1024
/** Behind the events of the file system, which some file systems do not report. */
const POLL_MS = 50
const BREAK = 10

export interface OutputTailOptions {
  path: string
  from: number
  /** Nothing is read before `release`. */
  isHeld: boolean
  /** The text for the reader of a line, without its line break; null for nothing. `end`: where the next line begins. */
  translate(line: Buffer, end: number): string | null
}

export class OutputTail {
  readonly stream: Readable
  readonly #options: OutputTailOptions
  readonly #file: number
  readonly #watcher: FSWatcher | null
  readonly #poll: NodeJS.Timeout
  /** Read from the file up to here. */
  #at: number
  #unfinished: Buffer = Buffer.alloc(0)
  /** Whether the reader wants more. */
  #isWanted = false
  #isHeld: boolean
  #isEnding = false
  #isClosed = false

  constructor(options: OutputTailOptions) {
    this.#options = options
    this.#at = options.from
    this.#isHeld = options.isHeld
    this.#file = openSync(options.path, 'a+', 0o600)
    this.stream = new Readable({
      read: () => {
        this.#isWanted = true
        this.#pump()
      },
    })
    this.#watcher = watchOf(options.path, () => this.#pump())
    this.#poll = setInterval(() => this.#pump(), POLL_MS).unref()
  }

  release(): void {
    this.#isHeld = false
    this.#pump()
  }

  /** The rest of the file is read, then the stream ends. */
  end(): void {
    this.#isEnding = true
    this.#pump()
  }

  /** Leaves it at once. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#watcher?.close()
    clearInterval(this.#poll)
    closeSync(this.#file)
  }

  #pump(): void {
    while (this.#isWanted && !this.#isHeld && !this.#isClosed) {
      const piece = Buffer.allocUnsafe(PIECE_BYTES)
      const count = readSync(this.#file, piece, 0, PIECE_BYTES, this.#at)
      if (count > 0) this.#take(piece.subarray(0, count))
      else if (!this.#isEnding) return
      else {
        this.close()
        this.stream.push(null)
      }
    }
  }

  #take(piece: Buffer): void {
    const data = this.#unfinished.length > 0 ? Buffer.concat([this.#unfinished, piece]) : piece
    const start = this.#at - this.#unfinished.length
    this.#at += piece.length
    let from = 0
    for (let end = data.indexOf(BREAK); end >= 0; end = data.indexOf(BREAK, from)) {
      const said = this.#options.translate(data.subarray(from, end), start + end + 1)
      from = end + 1
      if (said !== null && !this.stream.push(`${said}\n`)) this.#isWanted = false
    }
    this.#unfinished = Buffer.from(data.subarray(from))
  }
}

function watchOf(path: string, onChange: () => void): FSWatcher | null {
  try {
    return watch(path, { persistent: false }, onChange).on('error', () => {})
  } catch {
    // No watches left on this machine: it is polled.
    return null
  }
}
