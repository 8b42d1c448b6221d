/** Snapshots as a runner last knew them, for what it decides while no hub is there. */

import type { SessionEvent } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import { applyEvent } from '../protocol/view/view.js'
import type { StampedDraft } from '../store/port/append.js'

/** The gate asks for those that work; the ones that were not asked for the longest are forgotten. */
const MAX_KNOWN = 1_000

export class KnownSessions {
  readonly #sessions = new Map<string, Session>()

  /** As the hub has it now. */
  note(session: Session): void {
    const known = this.#sessions.get(session.id)
    if (known && known.lastSeq > session.lastSeq) return
    this.#sessions.delete(session.id)
    this.#sessions.set(session.id, session)
    const [oldest] = this.#sessions.keys()
    if (this.#sessions.size > MAX_KNOWN && oldest !== undefined) this.#sessions.delete(oldest)
  }

  apply(event: SessionEvent): void {
    const known = this.#sessions.get(event.sessionId)
    // One that was read ahead of its events has them already.
    if (!known || event.seq <= known.lastSeq) return
    const next = event.type === 'session.ended' ? null : applyEvent(known, event)
    if (next) this.#sessions.set(event.sessionId, next)
    else this.#sessions.delete(event.sessionId)
  }

  /** With drafts that the hub does not have yet. */
  get(id: string, drafts: readonly StampedDraft[]): Session | null {
    let session = this.#sessions.get(id) ?? null
    for (const { type, data, id: eventId, at } of drafts) {
      if (!session) return null
      const event = { seq: session.lastSeq + 1, id: eventId, sessionId: id, at, type, data }
      session = applyEvent(session, event as SessionEvent) // Spreading a union loses the relation of type and data.
    }
    return session
  }
}
