/**
 * Joins writes. What comes after silence is written at once; what follows waits for the next beat, which is the same for
 * all writers. The more writers, the longer the beat: a system call for each is what a stream costs.
 */

const MAX_WRITES_PER_SECOND = 50_000
const BEATS_MS = [1, 5, 20, 50, 100] as const

/** So few that nobody need wait: a beat is then one turn of the event loop. */
const FEW = 10

export function beatMs(writers: number): number {
  if (writers <= FEW) return 0
  return BEATS_MS.find((ms) => (writers * 1_000) / ms <= MAX_WRITES_PER_SECOND) ?? 100
}

export class Beat {
  readonly #writers = new Set<JoinedWriter>()
  readonly #warm = new Set<JoinedWriter>()
  #isRunning = false

  add(writer: JoinedWriter): void {
    this.#writers.add(writer)
  }

  remove(writer: JoinedWriter): void {
    this.#writers.delete(writer)
    this.#warm.delete(writer)
  }

  /** Keeps the writer waiting until the next beat. */
  warm(writer: JoinedWriter): void {
    this.#warm.add(writer)
    this.#run()
  }

  #run(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    const ms = beatMs(this.#writers.size)
    if (ms === 0) setImmediate(() => this.#strike())
    else setTimeout(() => this.#strike(), ms)
  }

  #strike(): void {
    this.#isRunning = false
    for (const writer of this.#warm) if (!writer.beat()) this.#warm.delete(writer)
    if (this.#warm.size > 0) this.#run()
  }
}

interface Socket {
  readonly destroyed: boolean
  readonly writableLength: number
  write(data: Buffer): boolean
  cork(): void
  uncork(): void
}

export class JoinedWriter {
  readonly #socket: Socket
  readonly #beat: Beat
  #waiting: Buffer[] = []
  #waitingBytes = 0
  #isWarm = false

  constructor(socket: Socket, beat: Beat) {
    this.#socket = socket
    this.#beat = beat
    beat.add(this)
  }

  /** Bytes that the other side has not taken yet. */
  get length(): number {
    return this.#waitingBytes + this.#socket.writableLength
  }

  /** What is urgent does not wait for the beat, nor does what came before it. */
  write(frames: readonly Buffer[], isUrgent = false): void {
    for (const frame of frames) {
      this.#waiting.push(frame)
      this.#waitingBytes += frame.byteLength
    }
    if (this.#isWarm && !isUrgent) return
    this.flush()
    this.#isWarm = true
    this.#beat.warm(this)
  }

  /** Whether there was something to write; if not, the next write goes out at once. */
  beat(): boolean {
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
    this.#beat.remove(this)
  }
}
