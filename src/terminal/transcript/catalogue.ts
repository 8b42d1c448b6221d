/** The transcripts that there are, with what is known of each, and the order in which they are imported. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { isInFolder } from '../../store/port/folder.js'
import { readHead } from './head.js'
import { listProjects, listSessions, placeAt, type TranscriptPlace } from './place.js'

export interface Listed {
  place: TranscriptPlace
  /** The first message of the conversation, which copies of it share. */
  readonly root: string | null
  /** False: of an excluded folder, or of another program. */
  readonly isWanted: boolean
  /** How far it is read. */
  offset: number
}

/** Files that are looked at in one turn of the event loop: a project can have thousands. */
const FILES_IN_TURN = 50

export class Catalogue {
  readonly #root: string
  readonly #exclude: readonly string[]
  readonly #listed = new Map<string, Listed>()
  /** Sessions that begin with the same message. */
  readonly #families = new Map<string, Set<string>>()

  constructor(root: string, exclude: readonly string[]) {
    this.#root = root
    this.#exclude = exclude
  }

  get(sessionId: string): Listed | undefined {
    return this.#listed.get(sessionId)
  }

  values(): Listed[] {
    return [...this.#listed.values()].filter(({ isWanted }) => isWanted)
  }

  /** Those that were used last. */
  recentProjects(limit: number): string[] {
    const newestFirst = this.values().toSorted((one, other) => other.place.modifiedAt - one.place.modifiedAt)
    return [...new Set(newestFirst.map(({ place }) => place.project))].slice(0, limit)
  }

  /**
   * Lists everything again, except what was last written before `oldest` and never read. Returns the transcripts that are
   * new, or have changed. Yields in between.
   */
  async scan(offsetOf: (sessionId: string) => number, oldest: number): Promise<Listed[]> {
    const changed: Listed[] = []
    // Those that a watch reports meanwhile stay.
    const before = [...this.#listed.keys()]
    const found = new Set<string>()
    for (const project of listProjects(this.#root)) {
      for (const [index, sessionId] of listSessions(this.#root, project).entries()) {
        if (index % FILES_IN_TURN === 0) await nextTurn()
        const place = placeAt(this.#root, project, sessionId)
        if (!place || (place.modifiedAt < oldest && offsetOf(sessionId) === 0)) continue
        found.add(sessionId)
        const listed = this.note(place, offsetOf)
        if (listed) changed.push(listed)
      }
      await nextTurn()
    }
    for (const sessionId of before) if (!found.has(sessionId)) this.#listed.delete(sessionId)
    return changed
  }

  /** Null if it is as it was, or not wanted. */
  note(place: TranscriptPlace, offsetOf: (sessionId: string) => number): Listed | null {
    const known = this.#listed.get(place.sessionId)
    const isSame =
      known?.place.path === place.path &&
      known.place.size === place.size &&
      known.place.modifiedAt === place.modifiedAt
    if (isSame) return null
    if (known && known.place.path === place.path && known.root !== null) {
      known.place = place
      return known.isWanted ? known : null
    }
    const head = readHead(place.path)
    const root = head?.root ?? null
    const cwd = head?.cwd ?? null
    const isExcluded =
      cwd === null
        ? this.#exclude.some((folder) => place.project.startsWith(folder.replaceAll(/[^A-Za-z0-9]/g, '-')))
        : this.#exclude.some((folder) => isInFolder(cwd, folder))
    const listed = { place, root, isWanted: !isExcluded, offset: offsetOf(place.sessionId) }
    this.#listed.set(place.sessionId, listed)
    if (root !== null) this.#families.set(root, (this.#families.get(root) ?? new Set()).add(place.sessionId))
    return listed.isWanted ? listed : null
  }

  /** Those that must be read before this one, so that a copy of a conversation does not become its original. */
  before({ place, root }: Listed): Listed[] {
    const family = root === null ? [] : [...(this.#families.get(root) ?? [])]
    return family
      .flatMap((sessionId) => this.#listed.get(sessionId) ?? [])
      .filter((other) => other.isWanted && isOlder(other.place, place))
      .toSorted((one, other) => (isOlder(one.place, other.place) ? -1 : 1))
  }
}

/** How many there are, and how much of them is in the log. */
export function figuresOf(listed: readonly Listed[]) {
  return {
    sessions: listed.length,
    importedSessions: listed.filter(({ place, offset }) => offset >= place.size).length,
    bytes: listed.reduce((sum, { place }) => sum + place.size, 0),
    importedBytes: listed.reduce((sum, { place, offset }) => sum + Math.min(offset, place.size), 0),
  }
}

function isOlder(one: TranscriptPlace, other: TranscriptPlace): boolean {
  if (one.bornAt !== other.bornAt) return one.bornAt < other.bornAt
  return one.modifiedAt === other.modifiedAt
    ? one.sessionId < other.sessionId
    : one.modifiedAt < other.modifiedAt
}
