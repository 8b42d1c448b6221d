/** Reads, searches and trims events. */

import { phrasesOf, splitWords } from '../../lib/text/search-text.js'
import { textIn } from '../../protocol/event/event-text.js'
import { isActive } from '../plan.js'
import type { StoredEvent } from '../port/append.js'
import type { EventFilter } from '../port/filter.js'
import { isInFolder } from '../port/folder.js'
import type { Store } from '../port.js'
import { type Content, upTo } from './content.js'

export function createEventReads(
  content: Content,
): Pick<
  Store,
  'readSession' | 'readAll' | 'resumePoints' | 'lastPosition' | 'trim' | 'gapBehind' | 'search'
> {
  const { log, deleted, bySession, sessions, requests } = content

  function nextPosition(after: number): number {
    if (after >= content.trimmed) return after
    const next = log.find((stored) => stored.position > after && !deleted.has(stored))
    return next?.position ?? content.trimmed + 1
  }

  return {
    resumePoints: async () => [...content.points].map(([sessionId, point]) => ({ sessionId, ...point })),
    readSession: async (id, filter) => select(bySession.get(id) ?? [], ({ event }) => event.seq, filter),
    readAll: async (filter) =>
      select(
        log.filter((stored) => !deleted.has(stored)),
        ({ position }) => position,
        filter,
      ),
    lastPosition: async () => log.length,
    trim: async (before) => {
      const gone = [...sessions.values()]
        .filter((session) => session.endedAt !== null && session.endedAt < before && !isActive(session))
        .flatMap(({ id }) => bySession.get(id) ?? [])
      for (const stored of gone) {
        deleted.add(stored)
        bySession.delete(stored.event.sessionId)
        content.trimmed = Math.max(content.trimmed, stored.position)
      }
      const ids = new Set(gone.map(({ event }) => event.sessionId))
      for (const { id, sessionId, state } of requests.values())
        if (ids.has(sessionId) && state === 'resolved') requests.delete(id)
      return gone.length
    },
    gapBehind: async (sessionId, after) => {
      const next =
        sessionId === undefined
          ? nextPosition(after)
          : (bySession.get(sessionId)?.[0]?.event.seq ?? (sessions.get(sessionId)?.lastSeq ?? 0) + 1)
      return next > after + 1 ? { after, next } : null
    },
    search: async ({ text, sessionId, folder, types, since, until, before, limit, maxBytes }) => {
      const phrases = phrasesOf(text).map((words) => ` ${words.join(' ')}`)
      if (phrases.length === 0) return []
      const found = log
        .toReversed()
        .filter((stored) => !deleted.has(stored))
        .filter(({ position }) => before === undefined || position < before)
        .filter(({ event }) => sessionId === undefined || event.sessionId === sessionId)
        .filter(({ event }) => types === undefined || types.includes(event.type))
        .filter(({ event }) => since === undefined || Date.parse(event.at) >= Date.parse(since))
        .filter(({ event }) => until === undefined || Date.parse(event.at) < Date.parse(until))
        .filter(
          ({ event }) => folder === undefined || isInFolder(sessions.get(event.sessionId)?.cwd ?? '', folder),
        )
        .filter(({ event }) => {
          const words = ` ${splitWords(textIn(event) ?? '')}`
          return phrases.every((phrase) => words.includes(phrase))
        })
      return upTo(maxBytes, found.slice(0, limit), ({ event }) => event.data)
    },
  }
}

function select(
  events: readonly StoredEvent[],
  cursor: (event: StoredEvent) => number,
  filter: EventFilter = {},
) {
  const { after = 0, limit, types, maxBytes } = filter
  const found = events.filter(
    (stored) => cursor(stored) > after && (!types || types.includes(stored.event.type)),
  )
  return upTo(maxBytes, found.slice(0, limit), ({ event }) => event.data)
}
