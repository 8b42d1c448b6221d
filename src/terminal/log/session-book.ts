/** The sessions of the log that terminals have: found by Claude's id, and created. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Journal } from '../../journal/journal.js'
import type { Clock } from '../../lib/clock.js'
import { digest } from '../../lib/digest.js'
import { createIdSource, type IdSource } from '../../lib/id.js'
import type { EventDraft } from '../../protocol/event/event.js'
import type { Store } from '../../store/port.js'
import { TERMINAL } from './to-events.js'

export interface SessionFacts {
  readonly cwd: string
  readonly title: string | null
  readonly model: string | null
}

export interface SessionBookDeps {
  journal: Journal
  store: Pick<Store, 'sessions'>
  clock: Clock
  ids: IdSource
  /** Learns the secrets in the files of a folder, so that viewers get them redacted. */
  learnFolder?(cwd: string): Promise<void>
}

/** Timeout for a folder on a file system that hangs. */
const LEARN_MS = 5_000

/** Sessions of the past get an id of their time: lists are in the order of ids. */
const PAST_MS = 60_000

export class SessionBook {
  readonly #deps: SessionBookDeps
  readonly #ids = new Map<string, string>()
  /** Time of the last event of each session from a previous run. */
  readonly #left = new Map<string, string>()
  /** Folders whose secrets are learned. */
  readonly #folders = new Set<string>()

  constructor(deps: SessionBookDeps) {
    this.#deps = deps
  }

  /** Our id of a session; null if it is not known to be in the log. */
  idOf(sessionId: string): string | null {
    return this.#ids.get(sessionId) ?? null
  }

  /** Time of its last event when it was found; an empty text if this run has created it. */
  leftAt(sessionId: string): string {
    return this.#left.get(sessionId) ?? ''
  }

  async find(sessionId: string): Promise<string | null> {
    const known = this.#ids.get(sessionId)
    if (known !== undefined) return known
    const [found] = await this.#deps.store.sessions({
      claudeSessionId: conversationOf(sessionId),
      kind: 'observed',
      limit: 1,
    })
    if (found) {
      this.#ids.set(sessionId, found.id)
      this.#left.set(sessionId, found.updatedAt)
    }
    return found?.id ?? null
  }

  /** `isPast`: it had ended before it was seen, and is listed as history. */
  async create(sessionId: string, facts: SessionFacts, at: string, isPast = false): Promise<string> {
    const { journal, ids, clock } = this.#deps
    await this.#learn(facts.cwd)
    const time = Date.parse(at)
    const isOld = clock.now() - time > PAST_MS
    const id = isOld ? createIdSource(() => time).next('ses') : ids.next('ses')
    const draft: EventDraft = {
      type: 'session.created',
      data: {
        kind: 'observed',
        ...facts,
        // A start does not include the mode. Later lines do.
        permissionMode: 'default',
        parentId: null,
        by: TERMINAL,
        agent: null,
        options: {},
        conversation: { kind: 'new', id: conversationOf(sessionId) },
      },
    }
    const drafts: EventDraft[] = isPast
      ? [draft, { type: 'session.changed', data: { isArchived: true } }]
      : [draft]
    await journal.append(id, drafts, { at, ...(isPast && { isPast, isRepeatable: true }) })
    this.#ids.set(sessionId, id)
    return id
  }

  async #learn(cwd: string): Promise<void> {
    const { learnFolder } = this.#deps
    if (!learnFolder || cwd === '' || this.#folders.has(cwd)) return
    this.#folders.add(cwd)
    await Promise.race([learnFolder(cwd), wait(LEARN_MS, undefined, { ref: false })])
  }

  /** It was deleted. */
  forget(sessionId: string): void {
    this.#ids.delete(sessionId)
    this.#left.delete(sessionId)
  }
}

/** Claude's ids are UUIDs. Ids of other producers are mapped to a deterministic UUID. */
function conversationOf(sessionId: string): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i.test(sessionId))
    return sessionId
  const [, one = '', two = '', three = '', four = '', five = ''] =
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(digest(sessionId)) ?? []
  return `${one}-${two}-8${three}-8${four}-${five}`
}
