/**
 * Search for readers who are not shown secrets. It looks only at what they are shown: otherwise hits, their number or the pages would
 * tell what is hidden, letter by letter.
 */

import { setImmediate as turn } from 'node:timers/promises'
import { redactJson } from '../lib/redact/secret-book.js'
import { hasPhrases, phrasesOf } from '../lib/search-text.js'
import { textIn } from '../protocol/event-text.js'
import { searchedText } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import type { SearchFilter, SessionFilter, Store, StoredEvent } from '../store/port.js'

export type Redact = (text: string) => string

/** How many candidates are looked at before others have their turn. */
const STEP = 100

/** Events without their secrets, in which the words are found nevertheless. */
export async function searchVisible(
  store: Store,
  filter: SearchFilter,
  redact: Redact,
): Promise<StoredEvent[]> {
  const phrases = phrasesOf(filter.text)
  return collect(filter.limit, async (last: StoredEvent | undefined) => {
    const before = last?.position ?? filter.before
    const candidates = await store.search({ ...filter, ...(before !== undefined && { before }), limit: STEP })
    return { candidates, visible: candidates.flatMap((stored) => visibleHit(stored, phrases, redact)) }
  })
}

function visibleHit(stored: StoredEvent, phrases: readonly string[][], redact: Redact): StoredEvent[] {
  const event = redactJson(stored.event, redact)
  return event && hasPhrases(textIn(event) ?? '', phrases) ? [{ ...stored, event }] : []
}

export async function listVisible(store: Store, filter: SessionFilter, redact: Redact): Promise<Session[]> {
  const { text } = filter
  if (text === undefined) return store.sessions(filter)
  return collect(filter.limit, async (last: Session | undefined) => {
    const candidates = await store.sessions({ ...filter, before: last?.id ?? filter.before, limit: STEP })
    const visible = candidates.filter((session) => {
      const { title, cwd, lastPrompt } = session
      const shown = redactJson({ title, cwd, lastPrompt }, redact)
      return shown !== null && searchedText(shown).includes(text.toLowerCase())
    })
    return { candidates, visible }
  })
}

/** Steps until there are enough, or no more. */
async function collect<Item>(
  limit: number | undefined,
  step: (last: Item | undefined) => Promise<{ candidates: Item[]; visible: Item[] }>,
): Promise<Item[]> {
  const found: Item[] = []
  for (let last: Item | undefined; ; ) {
    const { candidates, visible } = await step(last)
    found.push(...visible)
    if (limit !== undefined && found.length >= limit) return found.slice(0, limit)
    if (candidates.length < STEP) return found
    last = candidates.at(-1)
    await turn()
  }
}
