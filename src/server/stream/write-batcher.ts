/**
 * Joins writes. What comes after silence is written at once; what follows waits for the next beat, which is the same for
 * all writers. The more writers, the longer the beat: a system call for each is what a stream costs.
 */

const MAX_WRITES_PER_SECOND = 50_000
const BEATS_MS = [1, 5, 20, 50, 100] as const

/** How long what nobody waits for may take, so that it goes out with what follows it. */
const PATIENCE_MS = 5

/** So few that nobody need wait: a beat is then one turn of the event loop. */
const FEW = 10

export function beatMs(writers: number): number {
  if (writers <= FEW) return 0
  return BEATS_MS.find((ms) => (writers * 1_000) / ms <= MAX_WRITES_PER_SECOND) ?? 100
}

export class Beat {
  readonly #writers = new Set<JoinedWriter>()
  readonly #warm = new Set<JoinedWriter>()
  readonly #patient = new Set<JoinedWriter>()
  #isRunning = false

  add(writer: JoinedWriter): void {
    this.#writers.add(writer)
  }

  remove(writer: JoinedWriter): void {
    this.#writers.delete(writer)
    this.#warm.delete(writer)
    this.#patient.delete(writer)
  }

  /** Keeps the writer waiting until the next beat. */
  warm(writer: JoinedWriter): void {
    this.#warm.add(writer)
    this.#run()
  }

  /** Lets the writer write a little later what it has not written by then. */
  later(writer: JoinedWriter): void {
    if (this.#patient.size === 0) setTimeout(() => this.#writeRest(), PATIENCE_MS)
    this.#patient.add(writer)
  }

  #writeRest(): void {
    for (const writer of this.#patient) writer.flush()
    this.#patient.clear()
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

export type Haste = 'urgent' | 'usual' | 'patient'

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

  /** What is urgent does not wait for the beat, nor does what came before it; what can wait goes out with what follows. */
  write(frames: readonly Buffer[], haste: Haste = 'usual'): void {
    for (const frame of frames) {
      this.#waiting.push(frame)
      this.#waitingBytes += frame.byteLength
    }
    if (this.#isWarm && haste !== 'urgent') return
    if (haste === 'patient') return this.#beat.later(this)
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
