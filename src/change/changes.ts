/** The changes of all workspaces: opens their stores, records into the logs of sessions, and keeps the stores small. */

import { existsSync, mkdirSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AppendRefused, type Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import { bytesOfMegabytes, type SnapshotSettings } from '../protocol/change/snapshot-settings.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { bytePathOfText, isGitPath } from './byte-path.js'
import type { SessionRecord } from './change-record.js'
import { deletedNotice } from './coverage.js'
import { type OpenWorkspace, openWorkspace } from './open-workspace.js'
import { Overlaps } from './overlap.js'
import { SessionChanges } from './session-changes.js'
import type { ScanOptions, WorkspaceSize } from './snapshot/snapshot-store.js'
import { storeNameOf } from './snapshot/store-format.js'
import { deleteSessions, keepStores } from './store-keeping.js'
import { followTerminals } from './terminal-changes.js'
import { Undo, type UndoneData } from './undo/undo.js'

export interface ChangesDeps {
  /** The folder of all stores, in the home. */
  folder: string
  /** Our own home, under each of its names: never looked into. */
  never: readonly string[]
  /** The absolute path of git; null if there is none. */
  program: string | null
  settings: SnapshotSettings
  /** Days after which what happened in an ended session is forgotten; 0: never. */
  retentionDays: number
  journal: Journal
  store: Pick<RunnerStore, 'session' | 'sessions' | 'readSession'>
  clock: Clock
  ids: IdSource
  /** Asks a user whether to record a workspace of this size. */
  ask(sessionId: string, size: WorkspaceSize): Promise<boolean>
  onFault(error: unknown): void
}

const FIRST_KEEPING_MS = 60_000
const KEEPING_MS = 3_600_000
const DAY_MS = 24 * 3_600_000

export class Changes {
  readonly #deps: ChangesDeps
  readonly #open = new Map<string, OpenWorkspace>()
  readonly #undo = new Map<string, Undo>()
  /** The session in which the size of a workspace is asked, and the progress of its first snapshot is shown. */
  readonly #speaker = new Map<string, string>()
  readonly #overlaps: Overlaps
  #cancelKeeping = () => {}
  #terminals = { close() {} }
  #isClosed = false

  constructor(deps: ChangesDeps) {
    this.#deps = deps
    this.#overlaps = new Overlaps(deps)
  }

  /** Why nothing is recorded; null if it is. */
  get problem(): string | null {
    if (this.#deps.settings.mode === 'off') return 'Snapshots are off (snapshots.mode).'
    return this.#deps.program === null ? 'There is no git in the PATH of Signalbox.' : null
  }

  /** The same for one folder: nothing is ever written below a `.git`. */
  problemAt(folder: string): string | null {
    return this.problem ?? (isGitPath(bytePathOfText(folder)) ? 'The folder belongs to git.' : null)
  }

  /** Null if nothing is recorded. */
  at(folder: string): OpenWorkspace | null {
    const { program, settings, never, clock, ids, onFault } = this.#deps
    const known = this.#open.get(folder)
    if (known || program === null || this.problemAt(folder) !== null) return known ?? null
    const opened = openWorkspace(
      {
        program,
        folder: this.#storeOf(folder),
        workspace: folder,
        exclude: settings.exclude,
        never,
        limits: {
          maxFiles: settings.maxFiles,
          maxBytes: bytesOfMegabytes(settings.maxMegabytes),
          maxFileBytes: bytesOfMegabytes(settings.maxFileMegabytes),
        },
        ignored: {
          maxIgnoredFiles: settings.maxIgnoredFiles,
          maxIgnoredBytes: bytesOfMegabytes(settings.maxIgnoredMegabytes),
        },
      },
      {
        clock,
        ids,
        onFault,
        append: (record) => this.#append(folder, record),
        scanOptions: () => this.#scanOptions(folder),
      },
    )
    this.#open.set(folder, opened)
    return opened
  }

  /** Null if nothing is recorded. */
  forSession(
    { id, cwd }: Pick<Session, 'id' | 'cwd'>,
    write: (drafts: readonly EventDraft[]) => void,
  ): SessionChanges | null {
    try {
      const workspace = this.at(cwd)
      if (!workspace) return null
      if (this.#speaker.get(cwd) !== id) workspace.changes.askAgain()
      this.#speaker.set(cwd, id)
      return new SessionChanges({ sessionId: id, workspace, clock: this.#deps.clock, write })
    } catch (error) {
      this.#deps.onFault(error)
      return null
    }
  }

  /** Null if nothing is recorded. */
  undoIn(folder: string): Undo | null {
    const workspace = this.at(folder)
    if (!workspace) return null
    const known = this.#undo.get(folder)
    if (known) return known
    const undo = new Undo(workspace, {
      ids: this.#deps.ids,
      append: async ({ sessionId, rewoundTo }, data) => {
        const once = { scope: 'undo', key: data.changeId, value: data.changeId }
        const undone: EventDraft = { type: 'changes.undone', data }
        await this.#write(
          sessionId,
          [undone, ...(rewoundTo === undefined ? [] : [rewound(folder, rewoundTo, data)])],
          {
            once,
          },
        )
      },
    })
    this.#undo.set(folder, undo)
    return undo
  }

  #scanOptions(folder: string): ScanOptions {
    const { settings, ask } = this.#deps
    const sessionId = this.#speaker.get(folder)
    return {
      confirm: async (size) => {
        if (settings.overLimit !== 'ask') return settings.overLimit === 'wait'
        return sessionId === undefined ? false : ask(sessionId, size)
      },
      onProgress: (done, total) => {
        if (sessionId !== undefined) this.#showProgress(sessionId, done, total)
      },
    }
  }

  #showProgress(sessionId: string, done: number, total: number): void {
    const data =
      done < total ? { condition: 'recording', conditionDetail: { done, total } } : { condition: null }
    // Cast: the conditional widens the literals.
    this.#write(sessionId, [{ type: 'session.changed', data } as EventDraft]).catch(this.#deps.onFault)
  }

  async #append(folder: string, { sessionId, data }: SessionRecord): Promise<void> {
    await this.#write(sessionId, [{ type: 'changes.recorded', data }])
    const files = data.files.map(({ path }) => `${folder}/${path}`)
    for (const { sessionId: other, draft } of await this.#overlaps.find(sessionId, files))
      await this.#write(other, [draft])
  }

  /** The session may have been deleted, or the undo may be in its log already. */
  async #write(
    sessionId: string,
    drafts: readonly EventDraft[],
    options?: Parameters<Journal['append']>[2],
  ): Promise<void> {
    try {
      await this.#deps.journal.append(sessionId, drafts, options)
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error
    }
  }

  /** Finishes what a killed process has left, and begins to delete what is old. */
  async start(): Promise<void> {
    const { folder, clock, program, onFault } = this.#deps
    if (program === null) return
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(folder).catch(() => [])) {
      const has = (file: string) => existsSync(join(folder, name, file))
      if (!has('undo.json') && !has('running.json')) continue
      const workspace = (await readFile(join(folder, name, 'workspace'), 'utf8').catch(() => '')).trimEnd()
      if (workspace !== '' && existsSync(workspace)) await this.#recover(workspace).catch(onFault)
    }
    this.#cancelKeeping = clock.after(FIRST_KEEPING_MS, () => void this.#keep())
    if (this.#deps.settings.terminals) this.#terminals = followTerminals({ ...this.#deps, changes: this })
  }

  async #recover(workspace: string): Promise<void> {
    await this.undoIn(workspace)?.recover()
    await this.at(workspace)?.changes.look()
  }

  async #keep(): Promise<void> {
    const { folder, program, settings, clock, onFault } = this.#deps
    try {
      await keepStores({
        folder,
        program: program ?? '',
        now: () => clock.now(),
        isWanted: (sessionId, changedAt) => this.#isWanted(sessionId, changedAt),
        maxBytes: bytesOfMegabytes(settings.maxStoreMegabytes),
        exclusively: (name, workspace, work) => this.#exclusively(name, workspace, work),
        onOverLimit: (sessionIds) => void this.#noteDeleted(sessionIds).catch(onFault),
      })
    } catch (error) {
      onFault(error)
    }
    if (!this.#isClosed) this.#cancelKeeping = clock.after(KEEPING_MS, () => void this.#keep())
  }

  async #isWanted(sessionId: string, changedAt: number): Promise<boolean> {
    const { store, settings, retentionDays, clock } = this.#deps
    const session = await store.session(sessionId)
    if (!session) return false
    const age = (clock.now() - changedAt) / DAY_MS
    if (settings.days > 0 && age > settings.days) return false
    const ended = session.endedAt === null ? 0 : (clock.now() - Date.parse(session.endedAt)) / DAY_MS
    return retentionDays === 0 || ended <= retentionDays
  }

  async #noteDeleted(sessionIds: readonly string[]): Promise<void> {
    for (const sessionId of sessionIds) await this.#write(sessionId, [deletedNotice()])
  }

  /** A store that is open is not used by anything else meanwhile. One that is deleted is opened anew. */
  async #exclusively(name: string, workspace: string, work: () => Promise<void>): Promise<void> {
    const opened = storeNameOf(workspace) === name ? this.#open.get(workspace) : undefined
    if (!opened) return work()
    await opened.changes.whileIdle(work)
    opened.refs.forgetKnown()
    if (!existsSync(join(this.#deps.folder, name))) this.#close(workspace)
  }

  #close(workspace: string): void {
    this.#open.delete(workspace)
    this.#undo.delete(workspace)
  }

  /** A session was deleted: so are its snapshots. */
  async forget({ id, cwd }: Pick<Session, 'id' | 'cwd'>): Promise<void> {
    const { folder, program } = this.#deps
    const name = storeNameOf(cwd)
    if (program === null || !existsSync(join(folder, name))) return
    await deleteSessions(name, cwd, [id], {
      folder,
      program,
      exclusively: (store, workspace, work) => this.#exclusively(store, workspace, work),
    })
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#cancelKeeping()
    this.#terminals.close()
    await Promise.all([...this.#open.values()].map(({ changes }) => changes.idle()))
  }

  #storeOf(workspace: string): string {
    return join(this.#deps.folder, storeNameOf(workspace))
  }
}

/** The paths of the whole files, as this event has always had them. */
function rewound(folder: string, messageId: string, { files, totals, by }: UndoneData): EventDraft {
  const { insertions, deletions } = totals
  const paths = files.map(({ path }) => `${folder}/${path}`)
  return { type: 'files.rewound', data: { messageId, files: paths, insertions, deletions, by } }
}
