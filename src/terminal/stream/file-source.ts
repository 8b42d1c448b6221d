/** Reads the events of a stream from its files, from the start. For a monitor without a database. */

import type { Clock } from '../../lib/clock.js'
import { decodeLine } from './decode.js'
import type { LifecycleEvent } from './event.js'
import type { EventSource } from './event-source.js'
import { findOld, type IsOld } from './replay.js'
import { placeOfStream, StreamWatch } from './stream-watch.js'
import { StreamTail } from './tail.js'

const BATCH = { batchBytes: 256 << 10, maxLineBytes: 16 << 20 }
const NONE: IsOld = () => false

export class FileSource implements EventSource {
  readonly #path: string
  readonly #tail: StreamTail
  #isOld = NONE
  #count = 0

  constructor(path: string) {
    this.#path = path
    this.#tail = new StreamTail(path, BATCH)
  }

  skipEndedBefore(time: number | null): void {
    this.#isOld = time === null ? NONE : findOld(this.#path, time)
  }

  read(take: (event: LifecycleEvent, seq: number) => void): number | null {
    const batch = this.#tail.next()
    if (!batch) return null
    let seq = this.#count
    for (const { text } of batch.lines) {
      seq += 1
      if (text === null || this.#isOld(text)) continue
      const decoded = decodeLine(text)
      if (decoded.kind === 'event' || decoded.kind === 'glued') take(decoded.event, seq)
    }
    batch.accept()
    this.#count = seq
    return seq
  }

  lookAround(): void {
    this.#tail.lookAround()
  }

  follow(options: { clock: Clock; pollMs: number; onWake(): void }): { close(): void } {
    return new StreamWatch({ ...placeOfStream(this.#path), ...options })
  }

  close(): void {
    this.#tail.close()
  }
}
