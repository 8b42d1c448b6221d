/** Signs that a user is active: in a page or a terminal, on a session. In memory: pages report again after a restart. */

import type { SessionEvent } from '../protocol/event/event.js'
import type { Activity } from './rule/decide.js'

export interface Sign {
  user: string
  /** The session that is open; null: another view. */
  sessionId: string | null
  at: number
}

const MAX_KEPT = 2_000

export class ActivityLog implements Activity {
  readonly #sessions = new Map<string, number>()
  readonly #users = new Map<string, number>()

  note({ user, sessionId, at }: Sign): void {
    keepLatest(this.#users, user, at)
    if (sessionId !== null) keepLatest(this.#sessions, sessionId, at)
  }

  /** After the clock was set back, no sign may lie in the future. */
  clamp(now: number): void {
    for (const times of [this.#sessions, this.#users])
      for (const [key, at] of times) if (at > now) times.set(key, now)
  }

  onSession(sessionId: string): number | null {
    return this.#sessions.get(sessionId) ?? null
  }

  ofUser(user: string): number | null {
    return this.#users.get(user) ?? null
  }
}

/** Clients at which a user sits. A reply through a channel, or a program, says nothing about that. */
const PLACES: ReadonlySet<string> = new Set(['dashboard', 'cli', 'acp', 'terminal'])

/** The activity that an event shows: a message that was written, a request that was answered. Null for none. */
export function signOf(event: SessionEvent): (Omit<Sign, 'user'> & { who: string }) | null {
  const { sessionId } = event
  const at = Date.parse(event.at)
  if (event.type === 'message.queued') {
    const { who, via } = event.data.from
    return PLACES.has(via) ? { who, sessionId, at } : null
  }
  if (event.type !== 'permission.resolved' && event.type !== 'question.resolved') return null
  const { by, who, via } = event.data
  if (by === 'terminal') return { who: 'terminal', sessionId, at }
  return by === 'person' && via !== null && PLACES.has(via) ? { who: who ?? '', sessionId, at } : null
}

function keepLatest(times: Map<string, number>, key: string, at: number): void {
  const latest = Math.max(at, times.get(key) ?? 0)
  times.delete(key)
  times.set(key, latest)
  const [oldest] = times.keys()
  if (times.size > MAX_KEPT && oldest !== undefined) times.delete(oldest)
}
