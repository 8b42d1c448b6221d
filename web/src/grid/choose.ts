/** Which sessions the grid shows, and in which order. Pure. */

import type { Session } from '../../../src/protocol/index.js'
import { needsUser } from '../session/condition-label.js'

export const SIZES = [4, 6, 9, 12] as const
export type Size = (typeof SIZES)[number]

export const SHOWN = ['active', 'waiting', 'all'] as const
export type Shown = (typeof SHOWN)[number]

/** Ended and archived sessions have no live tail. */
export function isShown(session: Session, shown: Shown): boolean {
  if (session.state === 'ended') return false
  if (needsUser(session)) return true
  if (session.isArchived || shown === 'waiting') return false
  return shown === 'all' || session.state !== 'idle' || isRecent(session)
}

/** An idle session that has just finished is still looked at. */
const RECENT_MS = 60 * 60_000

function isRecent({ updatedAt }: Session): boolean {
  return Date.now() - Date.parse(updatedAt) < RECENT_MS
}

/** Requests first, because they are answered here, then other sessions that need the user, then working ones. */
export function sortedIds(sessions: Iterable<Session>): string[] {
  return [...sessions]
    .toSorted((one, other) => rank(one) - rank(other) || other.updatedAt.localeCompare(one.updatedAt))
    .map(({ id }) => id)
}

function rank(session: Session): number {
  if (session.pendingRequests.length > 0) return 0
  if (needsUser(session)) return 1
  return session.state === 'idle' ? 3 : 2
}

/** The same order as before, new sessions at the end: a tile does not move while it is read or clicked. */
export function keptOrder(before: readonly string[], wanted: readonly string[]): string[] {
  const known = new Set(before)
  const present = new Set(wanted)
  return [...before.filter((id) => present.has(id)), ...wanted.filter((id) => !known.has(id))]
}
