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
import { Catalogue, type Listed } from './catalogue.js'
import { Conversation, type ConversationDeps } from './conversation.js'
import { FolderWatch } from './folder-watch.js'
import { Pace } from './pace.js'
import { agentFolder, listProjects, openRoot, ownerOf, placeAt } from './place.js'

export interface ImporterDeps extends Omit<ConversationDeps, 'root'> {
  clock: Clock
  /** Serialises the work of each session, also that of its hooks. */
  sequencer: Sequencer
  /** Claude Code's folder with a folder for each project. */
  folder: string
  settings: TranscriptSettings
  onFault(error: unknown): void
}

const SCAN_MS = 15_000
/** Without anything new for this long, a session that no hook reports has ended. */
const QUIET_MS = 10 * 60_000
/** Transcripts that were written this shortly before the start belong to running sessions. */
const RECENT_MS = 60_000
const WATCHED_PROJECTS = 300
const RETRY_MS = 1_000

export class TranscriptImporter {
  readonly #deps: ImporterDeps
  readonly #conversations = new Map<string, { conversation: Conversation; usedAt: number }>()
  readonly #watch = new FolderWatch((folder, name) => this.#noteChange(folder, name))
  readonly #pace: Pace
  readonly #work = new Set<Promise<void>>()
  /** Sessions whose reading is under way or will start, so that changes meanwhile need no other one. */
  readonly #woken = new Set<string>()
  #root: string | null = null
  #catalogue: Catalogue | null = null
  #offsets = new Map<string, number>()
  #history: Listed[] = []
  #state: TranscriptStatus['state']
  #startedAt = 0
  #stopTimer: () => void = () => {}
  #isClosed = false

  constructor(deps: ImporterDeps) {
    this.#deps = deps
    this.#pace = new Pace(deps.journal)
    this.#state = deps.settings.keep ? 'listing' : 'off'
  }

  start(): void {
    if (!this.#deps.settings.keep || this.#isClosed) return
    this.#startedAt = this.#deps.clock.now()
    this.#run(() => this.#begin())
  }

  get status(): TranscriptStatus {
    const listed = this.#catalogue?.values() ?? []
    return {
      isOn: this.#deps.settings.keep,
      state: this.#state,
      folder: this.#deps.folder,
      excluded: [...this.#deps.settings.exclude],
      sessions: listed.length,
      importedSessions: listed.filter(({ place, offset }) => offset >= place.size).length,
      bytes: listed.reduce((sum, { place }) => sum + place.size, 0),
      importedBytes: listed.reduce((sum, { place, offset }) => sum + Math.min(offset, place.size), 0),
    }
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
    return this.#conversation(sessionId, project, false)
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
    this.#stopTimer = this.#deps.clock.after(SCAN_MS, () => this.#run(() => this.#scan()))
  }

  #noteListed(listed: Listed): void {
    const { place } = listed
    const isKnown = this.#offsets.has(place.sessionId) || this.#conversations.has(place.sessionId)
    if (isKnown || place.modifiedAt > this.#startedAt - RECENT_MS) {
      const { conversation } = { conversation: this.#conversation(place.sessionId, place.project, false) }
      if (conversation.offset < place.size) this.#wake(place.sessionId)
    } else this.#history.push(listed)
  }

  /** The projects that were used last: a change in others is found by the next scan. */
  #watchRecent(root: string): void {
    const listed = this.#catalogue?.values() ?? []
    const newestFirst = listed.toSorted((one, other) => other.place.modifiedAt - one.place.modifiedAt)
    const projects = new Set(newestFirst.map(({ place }) => place.project))
    for (const project of [...projects].slice(0, WATCHED_PROJECTS)) this.#watch.add(join(root, project))
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
    const isWaiting = this.#history.some((other) => other.place.sessionId === sessionId)
    if (isWaiting && !listed) return
    this.#conversation(sessionId, project, false)
    this.#wake(sessionId)
  }

  async #rescan(): Promise<void> {
    const root = this.#openRoot()
    if (root === null || !this.#catalogue) return
    this.#watch.add(root)
    const changed = await this.#catalogue.scan((sessionId) => this.#offsets.get(sessionId) ?? 0)
    for (const listed of changed) this.#noteListed(listed)
    this.#watchRecent(root)
  }

  #wake(sessionId: string): void {
    if (this.#woken.has(sessionId) || this.#isClosed) return
    this.#woken.add(sessionId)
    this.#run(() => this.#deps.sequencer.run(sessionId, () => this.#follow(sessionId)))
  }

  async #follow(sessionId: string): Promise<void> {
    const listed = this.#catalogue?.get(sessionId)
    // A copy of a conversation must not become its original.
    for (const other of listed ? (this.#catalogue?.before(listed) ?? []) : [])
      if (other.offset === 0) await this.#readPast(other)
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

  #noteOffset({ sessionId, offset }: Conversation): void {
    this.#offsets.set(sessionId, offset)
    const listed = this.#catalogue?.get(sessionId)
    if (listed) listed.offset = offset
  }

  /** Newest first. */
  async #readHistory(): Promise<void> {
    this.#state = 'importing'
    for (;;) {
      this.#history.sort((one, other) => one.place.modifiedAt - other.place.modifiedAt)
      const next = this.#history.pop()
      if (!next || this.#isClosed) break
      for (const listed of [...(this.#catalogue?.before(next) ?? []), next])
        if (listed.offset < listed.place.size) await this.#readPast(listed)
    }
    this.#state = 'following'
  }

  async #readPast({ place: { sessionId, project } }: Listed): Promise<void> {
    const { sequencer, onFault } = this.#deps
    const conversation = this.#conversation(sessionId, project, true)
    const slice = () =>
      sequencer.run(sessionId, () => conversation.read({ isPast: conversation.state.isHistory }))
    try {
      for (let failures = 0; !this.#isClosed; ) {
        const start = performance.now()
        try {
          if (!(await slice())) break
        } catch (error) {
          failures += 1
          if (failures > 100) throw error
        }
        await this.#pace.pause(performance.now() - start)
      }
      if (conversation.state.isHistory) await sequencer.run(sessionId, () => conversation.finish(true))
    } catch (error) {
      if (!isStorageProblem(error)) onFault(error)
    }
    this.#noteOffset(conversation)
    if (conversation.state.isHistory) this.#conversations.delete(sessionId)
  }

  /** Ends sessions that no hook reports, and forgets conversations that are not used. */
  #endQuiet(): void {
    const now = this.#deps.clock.now()
    for (const [sessionId, { conversation, usedAt }] of this.#conversations) {
      if (now - Math.max(usedAt, conversation.place?.modifiedAt ?? 0) < QUIET_MS) continue
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

  /** Waits for running work. Idempotent. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#stopTimer()
    this.#watch.close()
    this.#pace.close()
    await this.idle()
  }
}
