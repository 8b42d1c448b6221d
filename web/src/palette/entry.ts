/** The entries of the palette: sessions, actions, settings and the search, ranked by what is typed. */

import type { Session } from '../../../src/protocol/index.js'
import { matchScore } from './match.js'

export const SECTIONS = ['sessions', 'actions', 'settings', 'search'] as const
export type Section = (typeof SECTIONS)[number]

export interface PaletteEntry {
  id: string
  section: Section
  label: string
  /** Shown behind the label, and matched too. */
  detail: string
  /** Closes the palette; a promise that rejects keeps it open and shows the error. */
  run(): unknown
}

const MAX_SESSIONS = 8
const MAX_IN_SECTION = 12

/** In the order of the sections; in a section the best match first, and the given order among equals. */
export function rankEntries(entries: readonly PaletteEntry[], text: string): PaletteEntry[] {
  const scored = entries.flatMap((entry) => {
    // The search takes any text.
    const score = entry.section === 'search' ? 0 : matchScore(`${entry.label} ${entry.detail}`, text)
    return score === null ? [] : [{ entry, score }]
  })
  return SECTIONS.flatMap((section) =>
    scored
      .filter(({ entry }) => entry.section === section)
      .toSorted((one, other) => other.score - one.score)
      .slice(0, section === 'sessions' ? MAX_SESSIONS : MAX_IN_SECTION)
      .map(({ entry }) => entry),
  )
}

/** Sessions that wait for the user first, then those changed last. */
export function recentSessions(sessions: Iterable<Session>): Session[] {
  const isWaiting = ({ pendingRequests }: Session) => Number(pendingRequests.length > 0)
  return [...sessions].toSorted(
    (one, other) => isWaiting(other) - isWaiting(one) || other.updatedAt.localeCompare(one.updatedAt),
  )
}
