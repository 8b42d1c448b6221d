/** Frames over a socket, in order, in both directions. */

import type { Socket } from 'node:net'

/** A peer that sends a longer line is not one of ours: no string is longer. */
const MAX_LINE = 500 << 20

export interface ChannelHandlers {
  /** Limit of the first line, by which the peer says who it is. */
  maxFirstLine?: number
  onFrame(frame: unknown): void
  /** Once, whichever side has ended it. */
  onClose(): void
}

export class FrameChannel {
  readonly #socket: Socket
  #rest: string[] = []
  #restLength = 0
  #maxLine: number
  #isCorked = false

  constructor(socket: Socket, { maxFirstLine = MAX_LINE, onFrame, onClose }: ChannelHandlers) {
    this.#socket = socket
    this.#maxLine = maxFirstLine
    socket.setEncoding('utf8')
    socket.on('data', (text: string) => this.#read(text, onFrame))
    socket.on('error', () => {}) // It is followed by `close`.
    socket.once('close', onClose)
  }

  /** Frames of one turn of the event loop are written together. */
  send(frame: unknown): void {
    const socket = this.#socket
    if (socket.destroyed) return
    if (!this.#isCorked) {
      this.#isCorked = true
      socket.cork()
      setImmediate(() => {
        this.#isCorked = false
        socket.uncork()
      })
    }
    socket.write(`${JSON.stringify(frame)}\n`)
  }

  #read(text: string, onFrame: ChannelHandlers['onFrame']): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      const line = this.#rest.join('') + text.slice(from, end)
      this.#rest = []
      this.#restLength = 0
      from = end + 1
      this.#maxLine = MAX_LINE
      const frame = parse(line)
      // The frames behind a broken one cannot be trusted either.
      if (frame === undefined) return this.close()
      onFrame(frame)
      if (this.#socket.destroyed) return
    }
    if (from === text.length) return
    this.#rest.push(text.slice(from))
    this.#restLength += text.length - from
    if (this.#restLength > this.#maxLine) this.close()
  }

  /** Bytes that wait to be written. */
  get waiting(): number {
    return this.#socket.writableLength
  }

  /** Resolves when they are written, or the channel is closed. */
  drained(): Promise<void> {
    const socket = this.#socket
    if (socket.destroyed || !socket.writableNeedDrain) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        socket.off('drain', done)
        socket.off('close', done)
        resolve()
      }
      socket.once('drain', done)
      socket.once('close', done)
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Undefined if it is not a JSON object. */
function parse(line: string): unknown {
  try {
    const frame: unknown = JSON.parse(line)
    return typeof frame === 'object' && frame !== null ? frame : undefined
  } catch {
    return undefined
  }
}
