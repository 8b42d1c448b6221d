/** Sessions that change the same files while neither has ended: both are to know. */

import type { EventDraft } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import type { RunnerStore } from '../store/port/runner-store.js'

export interface OverlapDeps {
  store: Pick<RunnerStore, 'session' | 'sessions' | 'readSession'>
}

interface Overlap {
  sessionId: string
  draft: EventDraft
}

/** Files of a session that are remembered, and sessions that are looked at. */
const MAX_FILES = 5_000
const MAX_SESSIONS = 200
const MAX_LISTED = 20
/** Pairs of sessions that are remembered. */
const MAX_PAIRS = 1_000

export class Overlaps {
  readonly #store: OverlapDeps['store']
  /** Absolute paths that a session has changed. */
  readonly #files = new Map<string, Set<string>>()
  /** Pairs of sessions, and the files that both logs have named. */
  readonly #named = new Map<string, Set<string>>()

  constructor({ store }: OverlapDeps) {
    this.#store = store
  }

  /** A session has changed these files, by their absolute paths. Resolves with the events that say so. */
  async find(sessionId: string, files: readonly string[]): Promise<Overlap[]> {
    const own = await this.#filesOf(sessionId)
    for (const file of files.slice(0, MAX_FILES - own.size)) own.add(file)
    const session = await this.#store.session(sessionId)
    if (!session) return []
    const found: Overlap[] = []
    for (const other of await this.#others(session)) {
      const theirs = await this.#filesOf(other.id)
      const fresh = this.#fresh(
        sessionId,
        other.id,
        files.filter((file) => theirs.has(file)),
      )
      if (fresh.length === 0) continue
      found.push(overlapOf(sessionId, other.id, below(session.cwd, fresh)))
      found.push(overlapOf(other.id, sessionId, below(other.cwd, fresh)))
    }
    return found
  }

  /** Those that the two logs have not named yet. */
  #fresh(one: string, other: string, files: readonly string[]): string[] {
    const key = [one, other].toSorted().join(' ')
    const known = this.#named.get(key) ?? new Set()
    const fresh = files.filter((file) => !known.has(file))
    for (const file of fresh) known.add(file)
    this.#named.set(key, known)
    dropOldest(this.#named, MAX_PAIRS)
    return fresh.slice(0, MAX_LISTED)
  }

  /** Sessions that have not ended, in the same folder, above it or below it. */
  async #others({ id, cwd }: Session): Promise<Session[]> {
    const sessions = await this.#store.sessions({ limit: MAX_SESSIONS })
    return sessions.filter(
      (other) =>
        other.id !== id && other.endedAt === null && (isInside(cwd, other.cwd) || isInside(other.cwd, cwd)),
    )
  }

  /** As far as the log has them: the daemon may have been restarted since. */
  async #filesOf(sessionId: string): Promise<Set<string>> {
    const known = this.#files.get(sessionId)
    if (known) return known
    const files = new Set<string>()
    this.#files.set(sessionId, files)
    dropOldest(this.#files, MAX_SESSIONS)
    const session = await this.#store.session(sessionId)
    const stored = await this.#store.readSession(sessionId, { types: ['changes.recorded'], limit: 1_000 })
    for (const { event } of stored)
      if (event.type === 'changes.recorded' && files.size < MAX_FILES)
        for (const { path } of event.data.files) files.add(`${session?.cwd}/${path}`)
    return files
  }
}

function overlapOf(sessionId: string, other: string, files: string[]): Overlap {
  return { sessionId, draft: { type: 'changes.overlapped', data: { sessionId: other, files } } }
}

function below(folder: string, files: readonly string[]): string[] {
  return files.map((file) => (file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file))
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`)
}

/** A map remembers the order in which keys were added. Dropped files are read from the log again. */
function dropOldest(map: Map<string, unknown>, limit: number): void {
  for (const key of map.keys()) {
    if (map.size <= limit) return
    map.delete(key)
  }
}
