/**
 * Search in steps. For readers to whom secrets are not shown it matches only the redacted text. Side channel:
 * otherwise the hits, their number or the pages would reveal a secret letter by letter.
 */

import { FairQueue } from '../lib/fair-queue.js'
import { redactJsonInSlices } from '../lib/redact/redact-json.js'
import { hasPhrases, phrasesOf } from '../lib/text/search-text.js'
import type { EventType, SessionEvent } from '../protocol/event/event.js'
import { textIn } from '../protocol/event/event-text.js'
import { type SearchResult, searchedText } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import type { SearchFilter, SessionFilter } from '../store/port/filter.js'
import { isInFolder } from '../store/port/folder.js'
import type { Store } from '../store/port.js'

/** Long texts take several turns of the event loop. */
export type Redact = (text: string) => Promise<string>

/** How many candidates are read before others have their turn. */
const STEP = 100
const STEP_BYTES = 1024 * 1024
/** However many search at once, one of them reads in each turn of the event loop. */
const turnstile = new FairQueue()

export interface EventSearch extends Omit<SearchFilter, 'types'> {
  /** Only calls of this tool and their results. */
  tool?: string
  /** Only messages of this user. */
  user?: string
}

/** `redact`: only what is left of events is searched, and shown. */
export async function searchEvents(
  store: Store,
  { tool, user, ...filter }: EventSearch,
  redact: Redact | undefined,
  show: (event: SessionEvent) => Promise<SearchResult>,
): Promise<{ position: number; result: SearchResult }[]> {
  const phrases = phrasesOf(filter.text)
  const types = searchedTypes(tool, user)
  return collect(filter.limit, async (last: { position: number } | undefined) => {
    const before = last?.position ?? filter.before
    const candidates = await store.search({
      ...filter,
      ...(before !== undefined && { before }),
      ...(types && { types }),
      limit: Math.min(STEP, filter.limit ?? STEP),
      maxBytes: STEP_BYTES,
    })
    // Memory: events that are not shown are released at once, as a thousand events can be a gigabyte.
    const visible = await visibleOf(candidates, async ({ position, event }) => {
      const seen = redact ? await redactJsonInSlices(event, redact) : event
      if (redact && !hasPhrases(textIn(seen) ?? '', phrases)) return null
      if (!isOfTool(seen, tool) || !isOfUser(seen, user)) return null
      const result = await show(seen)
      if (redact && filter.folder !== undefined && !isInFolder(await redact(result.cwd), filter.folder))
        return null
      return { position, result }
    })
    return { candidates, visible }
  })
}

/** The types of events that can match, which the store selects without reading the events. Undefined: all. */
function searchedTypes(tool: string | undefined, user: string | undefined): EventType[] | undefined {
  if (tool !== undefined && user !== undefined) return []
  if (tool !== undefined) return ['tool.requested', 'tool.ended']
  return user === undefined ? undefined : ['message.queued']
}

function isOfTool(event: SessionEvent, tool: string | undefined): boolean {
  if (tool === undefined) return true
  const isCall = event.type === 'tool.requested' || event.type === 'tool.ended'
  return isCall && event.data.name.toLowerCase() === tool.toLowerCase()
}

function isOfUser(event: SessionEvent, user: string | undefined): boolean {
  if (user === undefined) return true
  return event.type === 'message.queued' && event.data.from.who.toLowerCase() === user.toLowerCase()
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
