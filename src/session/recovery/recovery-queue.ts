/**
 * Sessions whose log must be put in order after a start. A large number is recovered in the background, many sessions in one
 * commit; one that a client asks for comes first.
 */

import { setTimeout as wait } from 'node:timers/promises'

/** One commit of these does not hold up others for long. */
const AT_ONCE = 100
/** Between two commits others have their turn. */
const PAUSE_MS = 20
/** With more sessions than one commit takes, the server starts first: each commit would keep it from listening. */
const SERVER_FIRST_MS = 1_000

interface Entry {
  isRecovered: boolean
  isUrgent: boolean
  readonly recovered: Gate
  readonly released: Gate
}

export class RecoveryQueue {
  readonly #entries = new Map<string, Entry>()
  /** Those that are not recovered yet, in their order. */
  readonly #waiting = new Set<string>()
  readonly #urgent = new Set<string>()
  /** Ends the wait for the server. */
  readonly #begun = gate()
  #isClosed = false

  add(sessionIds: readonly string[]): void {
    for (const id of sessionIds) {
      this.#entries.set(id, { isRecovered: false, isUrgent: false, recovered: gate(), released: gate() })
      this.#waiting.add(id)
    }
  }

  /** Resolves when the session's log is recovered. A session that a client waits for is recovered next. */
  async recovered(sessionId: string): Promise<void> {
    const entry = this.#entries.get(sessionId)
    if (!entry) return
    entry.isUrgent = true
    if (entry.isRecovered) return entry.released.open()
    await this.looked(sessionId)
  }

  /** The same for a session that is only looked at: it does not go on before the others for that. */
  async looked(sessionId: string): Promise<void> {
    const entry = this.#entries.get(sessionId)
    if (!entry || entry.isRecovered) return
    this.#urgent.add(sessionId)
    this.#begun.open()
    await entry.recovered.passed
  }

  isRecovered(sessionId: string): boolean {
    return this.#entries.get(sessionId)?.isRecovered ?? true
  }

  /** Resolves when the session may go on: its log is in order, and a client waits for it or all others are in order too. */
  async released(sessionId: string): Promise<void> {
    await this.#entries.get(sessionId)?.released.passed
  }

  /** Whether they are recovered in the background, after the start. */
  get isLong(): boolean {
    return this.#waiting.size > AT_ONCE
  }

  /** Until all are recovered, or it is closed. `recover` must not reject. */
  async run(recover: (sessionIds: readonly string[]) => Promise<void>): Promise<void> {
    if (this.isLong) await Promise.race([this.#begun.passed, wait(SERVER_FIRST_MS)])
    while (!this.#isClosed && this.#waiting.size > 0) {
      const ids = this.#next()
      await recover(ids)
      for (const id of ids) this.#finish(id)
      if (this.#waiting.size > 0) await wait(this.#urgent.size > 0 ? 0 : PAUSE_MS)
    }
    this.close()
  }

  #next(): string[] {
    const ids = [...this.#urgent, ...this.#waiting].slice(0, AT_ONCE)
    for (const id of ids) {
      this.#urgent.delete(id)
      this.#waiting.delete(id)
    }
    return [...new Set(ids)]
  }

  #finish(sessionId: string): void {
    const entry = this.#entries.get(sessionId)
    if (!entry) return
    this.#urgent.delete(sessionId)
    entry.isRecovered = true
    entry.recovered.open()
    if (entry.isUrgent) entry.released.open()
  }

  /** Releases all waiters. Idempotent. */
  close(): void {
    this.#isClosed = true
    this.#begun.open()
    for (const { recovered, released } of this.#entries.values()) {
      recovered.open()
      released.open()
    }
    this.#entries.clear()
  }
}

interface Gate {
  readonly passed: Promise<void>
  open(): void
}

function gate(): Gate {
  let open = () => {}
  const passed = new Promise<void>((resolve) => {
    open = resolve
  })
  return { passed, open: () => open() }
}
