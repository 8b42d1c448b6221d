/**
 * Batches writes to streams. The first write after a pause is flushed at once; later ones are coalesced until the next flush, which is
 * shared by all writers. The interval grows with the number of writers, because each flush costs a system call per stream.
 */

const MAX_WRITES_PER_SECOND = 50_000
const INTERVALS_MS = [1, 5, 20, 50, 100] as const

/** How long a low-priority write may be delayed, so that it is sent together with later ones. */
const DELAY_MS = 5

/** With so few writers, a flush happens in every turn of the event loop. */
const FEW = 10

export function flushIntervalMs(writers: number): number {
  if (writers <= FEW) return 0
  return INTERVALS_MS.find((ms) => (writers * 1_000) / ms <= MAX_WRITES_PER_SECOND) ?? 100
}

export class FlushScheduler {
  readonly #writers = new Set<BatchedWriter>()
  readonly #warm = new Set<BatchedWriter>()
  readonly #delayed = new Set<BatchedWriter>()
  #isRunning = false

  add(writer: BatchedWriter): void {
    this.#writers.add(writer)
  }

  remove(writer: BatchedWriter): void {
    this.#writers.delete(writer)
    this.#warm.delete(writer)
    this.#delayed.delete(writer)
  }

  /** The writer batches until the next flush. */
  warm(writer: BatchedWriter): void {
    this.#warm.add(writer)
    this.#run()
  }

  /** Flushes the writer after a short delay. */
  later(writer: BatchedWriter): void {
    if (this.#delayed.size === 0) setTimeout(() => this.#flushDelayed(), DELAY_MS)
    this.#delayed.add(writer)
  }

  #flushDelayed(): void {
    for (const writer of this.#delayed) writer.flush()
    this.#delayed.clear()
  }

  #run(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    const ms = flushIntervalMs(this.#writers.size)
    if (ms === 0) setImmediate(() => this.#flushAll())
    else setTimeout(() => this.#flushAll(), ms)
  }

  #flushAll(): void {
    this.#isRunning = false
    for (const writer of this.#warm) if (!writer.flushBatch()) this.#warm.delete(writer)
    if (this.#warm.size > 0) this.#run()
  }
}

export type Priority = 'urgent' | 'normal' | 'low'

interface Socket {
  readonly destroyed: boolean
  readonly writableLength: number
  write(data: Buffer): boolean
  cork(): void
  uncork(): void
}

export class BatchedWriter {
  readonly #socket: Socket
  readonly #flushes: FlushScheduler
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isWarm = false

  constructor(socket: Socket, flushes: FlushScheduler) {
    this.#socket = socket
    this.#flushes = flushes
    flushes.add(this)
  }

  /** Backpressure: bytes that the client has not accepted yet. */
  get length(): number {
    return this.#waitingBytes + this.#socket.writableLength
  }

  /** An urgent write is flushed at once, with all writes before it. A low-priority write is sent with later ones. */
  write(frames: readonly Buffer[], priority: Priority = 'normal'): void {
    for (const frame of frames) {
      this.#waiting.push(frame)
      this.#waitingBytes += frame.byteLength
    }
    if (this.#isWarm && priority !== 'urgent') return
    if (priority === 'low') return this.#flushes.later(this)
    this.flush()
    this.#isWarm = true
    this.#flushes.warm(this)
  }

  /** False if there was nothing to write: the next write is then flushed at once. */
  flushBatch(): boolean {
    this.#isWarm = this.#waiting.length > 0
    this.flush()
    return this.#isWarm
  }

  flush(): void {
    const frames = this.#waiting
    this.#waiting = []
    this.#waitingBytes = 0
    if (frames.length === 0 || this.#socket.destroyed) return
    this.#socket.cork()
    for (const frame of frames) this.#socket.write(frame)
    this.#socket.uncork()
  }

  close(): void {
    this.flush()
    this.#flushes.remove(this)
  }
}
