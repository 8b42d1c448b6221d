/**
 * Search in steps. For readers to whom secrets are not shown it matches only the redacted text. Side channel:
 * otherwise the hits, their number or the pages would reveal a secret letter by letter.
 */

import { FairQueue } from '../lib/fair-queue.js'
import { redactJsonInSlices } from '../lib/redact/redact-json.js'
import { hasPhrases, phrasesOf } from '../lib/text/search-text.js'
import type { SessionEvent } from '../protocol/event/event.js'
import { textIn } from '../protocol/event/event-text.js'
import { searchedText } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import type { SearchFilter, SessionFilter } from '../store/port/filter.js'
import type { Store } from '../store/port.js'

/** Long texts take several turns of the event loop. */
export type Redact = (text: string) => Promise<string>

/** How many candidates are read before others have their turn. */
const STEP = 100
const STEP_BYTES = 1024 * 1024
/** However many search at once, one of them reads in each turn of the event loop. */
const turnstile = new FairQueue()

/** `redact`: only what is left of events is searched, and shown. */
export async function searchEvents<Result>(
  store: Store,
  filter: SearchFilter,
  redact: Redact | undefined,
  show: (event: SessionEvent) => Promise<Result>,
): Promise<{ position: number; result: Result }[]> {
  const phrases = phrasesOf(filter.text)
  return collect(filter.limit, async (last: { position: number } | undefined) => {
    const before = last?.position ?? filter.before
    const candidates = await store.search({
      ...filter,
      ...(before !== undefined && { before }),
      limit: Math.min(STEP, filter.limit ?? STEP),
      maxBytes: STEP_BYTES,
    })
    // Memory: events that are not shown are released at once, as a thousand events can be a gigabyte.
    const visible = await visibleOf(candidates, async ({ position, event }) => {
      const seen = redact ? await redactJsonInSlices(event, redact) : event
      if (redact && !hasPhrases(textIn(seen) ?? '', phrases)) return null
      return { position, result: await show(seen) }
    })
    return { candidates, visible }
  })
}

export async function listVisible(store: Store, filter: SessionFilter, redact: Redact): Promise<Session[]> {
  const { text = '', cwd: folder, externalId, tag } = filter
  const isPlain = text === '' && folder === undefined && externalId === undefined && tag === undefined
  if (isPlain) return store.sessions(filter)
  return collect(filter.limit, async (last: Session | undefined) => {
    const candidates = await store.sessions({ ...filter, before: last?.id ?? filter.before, limit: STEP })
    const visible = await visibleOf(candidates, async (session) => {
      const { title, name, cwd, lastPrompt, tags } = session
      const shown = await redactJsonInSlices(
        { title, name, cwd, lastPrompt, tags, own: session.externalId },
        redact,
      )
      const isHit =
        searchedText(shown).includes(text.toLowerCase()) &&
        (folder === undefined || shown.cwd === folder) &&
        (externalId === undefined || shown.own === externalId) &&
        (tag === undefined || shown.tags.includes(tag))
      return isHit ? session : null
    })
    return { candidates, visible }
  })
}

/** One after the other: all of them at once would be kept in memory twice. */
async function visibleOf<Item, Seen>(
  candidates: readonly Item[],
  look: (item: Item) => Promise<Seen | null>,
): Promise<Seen[]> {
  const visible: Seen[] = []
  for (const candidate of candidates) {
    const seen = await look(candidate)
    if (seen !== null) visible.push(seen)
  }
  return visible
}

/** Steps until there are enough, or no more. */
async function collect<Candidate, Seen extends Candidate>(
  limit: number | undefined,
  step: (last: Candidate | undefined) => Promise<{ candidates: Candidate[]; visible: Seen[] }>,
): Promise<Seen[]> {
  const found: Seen[] = []
  for (let last: Candidate | undefined; ; ) {
    const { candidates, visible } = await step(last)
    found.push(...visible)
    if (limit !== undefined && found.length >= limit) return found.slice(0, limit)
    if (candidates.length === 0) return found
    last = candidates.at(-1)
    await turnstile.pass()
  }
}
