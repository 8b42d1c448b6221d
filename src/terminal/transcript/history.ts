/** The import of the past: conversations that had ended before they were seen, newest first, in short slices. */

import type { Sequencer } from '../../lib/sequencer.js'
import { isStorageProblem } from '../../protocol/storage.js'
import type { Listed } from './catalogue.js'
import type { Conversation } from './conversation.js'
import type { Pace } from './pace.js'
import { hasRoom } from './room.js'

export interface HistoryDeps {
  /** Serialises the work of each session. */
  sequencer: Sequencer
  pace: Pace
  /** Folder of the database, whose disk the import must not fill. Absent: in memory. */
  home?: string
  isClosed(): boolean
  /** Those that must be read before this one. */
  before(listed: Listed): Listed[]
  open(listed: Listed): Conversation
  /** Called after each conversation, whether it was read to its end or could not be. */
  onRead(conversation: Conversation): void
  onFault(error: unknown): void
}

const MAX_FAILURES = 100

export class History {
  readonly #deps: HistoryDeps
  readonly #waiting = new Map<string, Listed>()
  #isReading = false

  constructor(deps: HistoryDeps) {
    this.#deps = deps
  }

  get isEmpty(): boolean {
    return this.#waiting.size === 0
  }

  has(sessionId: string): boolean {
    return this.#waiting.has(sessionId)
  }

  add(listed: Listed): void {
    this.#waiting.set(listed.place.sessionId, listed)
  }

  /** Returns whether nothing waits any more. */
  async readAll(): Promise<boolean> {
    if (this.#isReading) return false
    this.#isReading = true
    try {
      for (let next = this.#newest(); next; next = this.#newest()) {
        if (this.#deps.isClosed() || !hasRoom(this.#deps.home, next.place.size - next.offset)) return false
        this.#waiting.delete(next.place.sessionId)
        for (const listed of [...this.#deps.before(next), next])
          if (listed === next || listed.offset < listed.place.size) await this.read(listed)
      }
      return true
    } finally {
      this.#isReading = false
    }
  }

  #newest(): Listed | null {
    let newest: Listed | null = null
    for (const listed of this.#waiting.values())
      if (!newest || listed.place.modifiedAt > newest.place.modifiedAt) newest = listed
    return newest
  }

  async read(listed: Listed): Promise<void> {
    const { sequencer, pace, onFault, onRead, isClosed } = this.#deps
    const { sessionId } = listed.place
    const conversation = this.#deps.open(listed)
    const slice = () =>
      sequencer.run(sessionId, () => conversation.read({ isPast: conversation.state.isHistory }))
    try {
      for (let failures = 0; !isClosed(); ) {
        const start = performance.now()
        try {
          if (!(await slice())) break
        } catch (error) {
          failures += 1
          if (failures > MAX_FAILURES) throw error
        }
        await pace.pause(performance.now() - start)
      }
      if (conversation.state.isHistory && !isClosed())
        await sequencer.run(sessionId, () => conversation.finish(true))
    } catch (error) {
      if (!isStorageProblem(error)) onFault(error)
    }
    onRead(conversation)
  }
}
