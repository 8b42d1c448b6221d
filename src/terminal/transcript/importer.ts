/**
 * Keeps what the transcripts of terminals contain: follows those that grow, and reads those of earlier sessions in the
 * background, newest first, in short slices.
 */

import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.js'
import type { Sequencer } from '../../lib/sequencer.js'
import { isStorageProblem } from '../../protocol/storage.js'
import type { TranscriptSettings } from '../../protocol/terminal/transcript-settings.js'
import type { TranscriptStatus } from '../../protocol/terminal/transcript-status.js'
import { isInFolder } from '../../store/port/folder.js'
import { Catalogue, figuresOf, type Listed } from './catalogue.js'
import { Conversation, type ConversationDeps } from './conversation.js'
import { FolderWatch } from './folder-watch.js'
import { History } from './history.js'
import { Pace } from './pace.js'
import { agentFolder, listProjects, openRoot, ownerOf, placeAt } from './place.js'

export interface ImporterDeps extends Omit<ConversationDeps, 'root'> {
  clock: Clock
  /** Serialises the work of each session, also that of its hooks. */
  sequencer: Sequencer
  /** Claude Code's folder with a folder for each project. */
  folder: string
  /** Folder of the database, whose disk the import must not fill. Absent: in memory. */
  home?: string
  settings: TranscriptSettings
  /** Older conversations are not imported: they would be deleted at once. 0: all are. */
  retentionDays?: number
  onFault(error: unknown): void
}

const SCAN_MS = 15_000
/** Without anything new for this long, a session that no hook reports has ended. */
const QUIET_MS = 10 * 60_000
/** Transcripts that were written this shortly before the start belong to running sessions. */
const RECENT_MS = 60_000
const WATCHED_PROJECTS = 300
const RETRY_MS = 1_000
const DAY_MS = 86_400_000

export class TranscriptImporter {
  readonly #deps: ImporterDeps
  readonly #conversations = new Map<string, { conversation: Conversation; usedAt: number }>()
  readonly #watch = new FolderWatch((folder, name) => this.#noteChange(folder, name))
  readonly #pace: Pace
  readonly #history: History
  readonly #work = new Set<Promise<void>>()
  /** Sessions whose reading is under way or will start, so that changes meanwhile need no other one. */
  readonly #woken = new Set<string>()
  #root: string | null = null
  #catalogue: Catalogue | null = null
  #offsets = new Map<string, number>()
  #state: TranscriptStatus['state']
  #startedAt = 0
  #stopTimer: () => void = () => {}
  #isClosed = false

  constructor(deps: ImporterDeps) {
    this.#deps = deps
    this.#pace = new Pace(deps.journal)
    this.#history = new History({
      ...deps,
      pace: this.#pace,
      isClosed: () => this.#isClosed,
      before: (listed) => this.#catalogue?.before(listed) ?? [],
      open: ({ place }) => this.#conversation(place.sessionId, place.project, true),
      onRead: (conversation) => this.#noteRead(conversation),
    })
    this.#state = deps.settings.keep ? 'listing' : 'off'
  }

  start(): void {
    if (!this.#deps.settings.keep || this.#isClosed) return
    this.#startedAt = this.#deps.clock.now()
    this.#run(() => this.#begin())
  }

  get status(): TranscriptStatus {
    const { folder, settings } = this.#deps
    const about = { isOn: settings.keep, state: this.#state, folder, excluded: [...settings.exclude] }
    return { ...about, ...figuresOf(this.#catalogue?.values() ?? []) }
  }

  /**
   * The conversation of a session that a hook reports; null if its transcript is not kept. `path`: of the transcript, as
   * the hook reports it. Only a place among the transcripts of this folder is believed.
   */
  open(sessionId: string, { path, cwd }: { path: string | null; cwd: string | null }): Conversation | null {
    const { settings } = this.#deps
    const root = this.#openRoot()
    if (!settings.keep || (cwd !== null && settings.exclude.some((folder) => isInFolder(cwd, folder))))
      return null
    if (ownerOf(`${sessionId}.jsonl`) === null) return null
    const folder = path === null ? '' : dirname(path)
    const isHere = path !== null && root !== null && openRoot(dirname(folder)) === root
    const project = isHere ? basename(folder) : (this.#catalogue?.get(sessionId)?.place.project ?? null)
    const conversation = this.#conversation(sessionId, project, false)
    const { place } = conversation
    if (place && conversation.offset === 0 && !conversation.isHeld) {
      this.#catalogue?.note(place, () => 0)
      if (this.#originalsOf(sessionId).length > 0) this.#wake(sessionId)
    }
    return conversation
  }

  #openRoot(): string | null {
    if (!this.#deps.settings.keep) return null
    this.#root ??= openRoot(this.#deps.folder)
    if (this.#root !== null) this.#catalogue ??= new Catalogue(this.#root, this.#deps.settings.exclude)
    return this.#root
  }

  #conversation(sessionId: string, project: string | null, isPast: boolean): Conversation {
    const usedAt = this.#deps.clock.now()
    const known = this.#conversations.get(sessionId)
    const conversation =
      known?.conversation ??
      new Conversation({ ...this.#deps, root: () => this.#openRoot() }, sessionId, project, isPast)
    if (project !== null) conversation.locate(project)
    if (project !== null && !isPast && this.#root !== null) this.#watch.add(join(this.#root, project))
    this.#conversations.set(sessionId, { conversation, usedAt })
    return conversation
  }

  async #begin(): Promise<void> {
    const { table } = this.#deps
    this.#offsets = table.offsets()
    if (this.#openRoot() !== null)
      for (const sessionId of table.openSessions()) this.#conversation(sessionId, null, false)
    await this.#scan()
    await this.#readHistory()
  }

  /** Finds what the watches do not report. */
  async #scan(): Promise<void> {
    if (this.#isClosed) return
    this.#watch.add(dirname(this.#deps.folder))
    await this.#rescan()
    this.#endQuiet()
    // Transcripts that came later, such as those of a backup, and those that had no room.
    if (this.#state !== 'listing' && !this.#history.isEmpty) this.#run(() => this.#readHistory())
    this.#stopTimer = this.#deps.clock.after(SCAN_MS, () => this.#run(() => this.#scan()))
  }

  #noteListed(listed: Listed): void {
    const { place } = listed
    const isRecent = place.modifiedAt > this.#startedAt - RECENT_MS
    const isFollowed = this.#conversations.has(place.sessionId)
    const isKnown = isFollowed || this.#offsets.has(place.sessionId)
    if (!isKnown && !isRecent) return this.#history.add(listed)
    // Performance: most are read to their end, and need no place in memory.
    if (!isFollowed && listed.offset === place.size) return
    const conversation = this.#conversation(place.sessionId, place.project, false)
    // The import of it was interrupted by the end of the daemon.
    if (!isRecent && conversation.isUnfinished) return this.#history.add(listed)
    if (conversation.offset !== place.size) this.#wake(place.sessionId)
  }

  #noteChange(folder: string, name: string): void {
    if (this.#isClosed) return
    const root = this.#openRoot()
    // The first session of this user creates the folder.
    if (root === null) return
    if (folder === dirname(this.#deps.folder)) {
      if (name === basename(this.#deps.folder) && !this.#watch.has(root)) this.#run(() => this.#rescan())
      return
    }
    if (folder === root) {
      if (listProjects(root).includes(name)) this.#watch.add(join(root, name))
      return this.#run(() => this.#rescan())
    }
    const parts = folder.slice(root.length + 1).split('/')
    const [project = '', session] = parts
    const sessionId = session ?? ownerOf(name) ?? ownerOf(`${name}.jsonl`)
    if (sessionId === null || !this.#catalogue) return
    const place = placeAt(root, project, sessionId)
    if (!place) return
    const listed = this.#catalogue.note(place, () => this.#offsets.get(sessionId) ?? 0)
    if (this.#catalogue.get(sessionId)?.isWanted !== true) return
    if (this.#history.has(sessionId) && !listed) return
    this.#conversation(sessionId, project, false)
    this.#wake(sessionId)
  }

  async #rescan(): Promise<void> {
    const root = this.#openRoot()
    if (root === null || !this.#catalogue) return
    this.#watch.add(root)
    const { clock, retentionDays = 0 } = this.#deps
    const oldest = retentionDays === 0 ? 0 : clock.now() - retentionDays * DAY_MS
    const changed = await this.#catalogue.scan((sessionId) => this.#offsets.get(sessionId) ?? 0, oldest)
    for (const listed of changed) this.#noteListed(listed)
    // A change in others is found by the next scan.
    for (const project of this.#catalogue.recentProjects(WATCHED_PROJECTS))
      this.#watch.add(join(root, project))
  }

  #wake(sessionId: string): void {
    if (this.#woken.has(sessionId) || this.#isClosed) return
    this.#woken.add(sessionId)
    this.#run(async () => {
      await this.#readOriginals(sessionId)
      await this.#deps.sequencer.run(sessionId, () => this.#follow(sessionId))
    })
  }

  #originalsOf(sessionId: string): Listed[] {
    const listed = this.#catalogue?.get(sessionId)
    const older = listed ? (this.#catalogue?.before(listed) ?? []) : []
    return older.filter(({ offset }) => offset === 0)
  }

  /**
   * A copy of a conversation must not become its original. Not within the work of the copy's session: that would keep its
   * hooks waiting for as long as the import takes, and those of all terminals behind them.
   */
  async #readOriginals(sessionId: string): Promise<void> {
    const originals = this.#originalsOf(sessionId)
    if (originals.length === 0) return
    const copy = this.#conversation(sessionId, this.#catalogue?.get(sessionId)?.place.project ?? null, false)
    copy.isHeld = true
    try {
      for (const other of originals) await this.#history.read(other)
    } finally {
      copy.isHeld = false
    }
  }

  async #follow(sessionId: string): Promise<void> {
    const listed = this.#catalogue?.get(sessionId)
    this.#woken.delete(sessionId)
    const conversation = this.#conversation(sessionId, listed?.place.project ?? null, false)
    try {
      while (!this.#isClosed && (await conversation.read())) await nextTurn()
    } catch (error) {
      if (!isStorageProblem(error)) this.#deps.onFault(error)
      this.#deps.clock.after(RETRY_MS, () => this.#wake(sessionId))
    }
    this.#noteOffset(conversation)
    const { place } = conversation
    if (place && this.#root !== null) this.#watch.add(agentFolder(this.#root, place))
  }

  #noteRead(conversation: Conversation): void {
    this.#noteOffset(conversation)
    if (conversation.state.isHistory) this.#conversations.delete(conversation.sessionId)
  }

  #noteOffset({ sessionId, offset }: Conversation): void {
    this.#offsets.set(sessionId, offset)
    const listed = this.#catalogue?.get(sessionId)
    if (listed) listed.offset = offset
  }

  async #readHistory(): Promise<void> {
    this.#state = 'importing'
    if (await this.#history.readAll()) this.#state = 'following'
  }

  /** Ends sessions that no hook reports, and forgets conversations that are not used. */
  #endQuiet(): void {
    const now = this.#deps.clock.now()
    for (const [sessionId, { conversation, usedAt }] of this.#conversations) {
      const lastAt = Math.max(usedAt, conversation.place?.modifiedAt ?? 0)
      if (conversation.isUnfinished || now - lastAt < QUIET_MS) continue
      const { isHooked, isOpen } = conversation.state
      if (isHooked || !isOpen) {
        this.#conversations.delete(sessionId)
        continue
      }
      this.#run(() => this.#deps.sequencer.run(sessionId, () => conversation.finish(false)))
    }
  }

  #run(work: () => Promise<void>): void {
    const running = work()
      .catch((error: unknown) => {
        if (!isStorageProblem(error)) this.#deps.onFault(error)
      })
      .finally(() => this.#work.delete(running))
    this.#work.add(running)
  }

  /** Resolves when everything that was found so far is read. For tests and measurements. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work)
  }

  /** Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopTimer()
    this.#watch.close()
    this.#pace.close()
    await this.idle()
  }
}
