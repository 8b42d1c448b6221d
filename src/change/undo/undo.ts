/** Undoes recorded changes of a workspace: plans, carries out, and records what it did as a change of its own. */

import { type Dirent, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { IdSource } from '../../lib/id.js'
import { MAX_LISTED_FILES, type SnapshotRef } from '../../protocol/change/change.js'
import type { DataOf } from '../../protocol/event/event.js'
import type { Actor } from '../../protocol/value.js'
import { type BytePath, foldersAround, shownPath } from '../byte-path.js'
import { partialStates } from '../change-record.js'
import type { OpenWorkspace } from '../open-workspace.js'
import { absolute } from '../snapshot/inspect.js'
import type { Meta } from '../snapshot/meta.js'
import { modeIn } from '../snapshot/meta.js'
import type { State } from '../snapshot/snapshot-store.js'
import { compareStates, type FileEntry, type StateDifference } from '../snapshot/state-diff.js'
import { summarise } from '../summary.js'
import {
  type ApplyDeps,
  applyPlan,
  endJournal,
  finishJournal,
  leftJournal,
  newJournal,
  type UndoJournal,
} from './apply.js'
import { HeldTree } from './held-tree.js'
import { type ChosenChange, type Conflict, type Present, planUndo, type Step, type UndoPlan } from './plan.js'

/** A recorded change to undo. */
export interface UndoneChange {
  changeId: string
  before: SnapshotRef
  after: SnapshotRef
  /** Calls that are not to be undone can have made it too. */
  isShared?: boolean
}

export interface UndoRequest {
  sessionId: string
  /** Oldest first. */
  changes: readonly UndoneChange[]
  /** Only these files; null: all. */
  only: ReadonlySet<BytePath> | null
  /** It restores the files to their state before this message. */
  rewoundTo?: string | undefined
}

export interface UndoNote {
  sessionId: string
  changeId: string
  undone: readonly string[]
  by: Actor
  isRedo: boolean
  isPartial: boolean
  rewoundTo?: string | undefined
}

export interface UndoPreview {
  plan: UndoPlan
  /** The change that it would be. */
  difference: StateDifference
  summary: Awaited<ReturnType<typeof summarise>>
  /** States with the files of the undo alone, to show it. */
  trees: { before: string; after: string }
}

export type UndoneData = DataOf<'changes.undone'>

export interface UndoDeps {
  ids: IdSource
  /** Appends the event once, however often it is called with the same id. */
  append(note: UndoNote, data: UndoneData): Promise<void>
}

export class Undo {
  readonly #workspace: OpenWorkspace
  readonly #deps: UndoDeps

  constructor(workspace: OpenWorkspace, deps: UndoDeps) {
    this.#workspace = workspace
    this.#deps = deps
  }

  /** Shows the steps and the conflicts. Writes nothing. */
  preview(request: UndoRequest): Promise<UndoPreview> {
    return this.#workspace.changes.exclusive(async (state) =>
      this.#describe(await this.#plan(request), state),
    )
  }

  /** Carries it out if there is no conflict, and if `admit` does not throw. */
  carryOut(
    request: UndoRequest,
    note: { by: Actor; isRedo: boolean },
    admit: (preview: UndoPreview) => void,
  ): Promise<UndoneData> {
    return this.#workspace.changes.exclusive(async (found) => {
      const state = await this.#finishLeft(found)
      const planned = await this.#plan(request)
      const preview = await this.#describe(planned, state)
      admit(preview)
      const changeId = this.#deps.ids.next('chg')
      const undone = request.changes.map((change) => change.changeId)
      const journal = newJournal<UndoNote>(planned, folderModes(planned.steps, planned.meta), {
        sessionId: request.sessionId,
        changeId,
        undone,
        isPartial: request.only !== null,
        rewoundTo: request.rewoundTo,
        ...note,
      })
      this.#makeWorkspace()
      await applyPlan(journal, this.#applyDeps())
      return this.#finish(journal, preview, [])
    })
  }

  /** Finishes what a killed process has left in the middle. */
  async recover(): Promise<void> {
    const deps = this.#applyDeps()
    if (leftJournal(deps.path) === null) return endJournal(deps)
    await this.#workspace.changes.exclusive(async (state) => void (await this.#finishLeft(state)))
  }

  /** Of a process that was killed, or of an undo that could neither be finished nor rolled back. */
  async #finishLeft(state: State): Promise<State> {
    const deps = this.#applyDeps()
    const journal = leftJournal<UndoNote>(deps.path)
    if (!journal) return state
    const skipped = await finishJournal(journal, deps)
    const left = new Set(skipped)
    const plan = { ...journal, conflicts: [], steps: journal.steps.filter(({ path }) => !left.has(path)) }
    await this.#finish(journal, await this.#describe(plan, state), skipped)
    return this.#workspace.store.state ?? state
  }

  async #plan({ changes, only }: UndoRequest): Promise<UndoPlan & { meta: Meta | null }> {
    const { store, refs } = this.#workspace
    const chosen: ChosenChange[] = []
    const shared: Conflict[] = []
    let first: Meta | null = null
    for (const change of changes) {
      const [before, after] = await Promise.all([refs.read(change.before), refs.read(change.after)])
      const difference = await compareStates(store.trees, before, after)
      first ??= before.meta
      chosen.push({ difference, meta: before.meta })
      if (change.isShared)
        shared.push(
          ...difference.files
            .filter(({ path }) => only?.has(path) ?? true)
            .map(({ path }): Conflict => ({ path, reason: 'shared' })),
        )
    }
    const plan = await planUndo(chosen, only, {
      git: store.git,
      trees: store.trees,
      writer: store.writer,
      present: (paths) => this.#present(paths),
      holdsOthers: (folder, files) => holdsOthers(store.workspace, folder, files),
    })
    return { ...plan, conflicts: [...plan.conflicts, ...shared], meta: first }
  }

  /** Read from disk, and stored: what is overwritten can be restored. */
  async #present(paths: readonly BytePath[]): Promise<Present> {
    const { tree } = this.#applyDeps()
    const present = new Map<BytePath, FileEntry | 'folder' | 'other'>()
    for (const path of paths) {
      const found = await tree.readContent(path)
      if (found === null) continue
      if (typeof found === 'object') await this.#workspace.store.writer.write('blob', found.bytes)
      present.set(path, typeof found === 'object' ? found.entry : found)
    }
    return present
  }

  async #describe(plan: UndoPlan, state: State): Promise<UndoPreview> {
    const { store } = this.#workspace
    const difference: StateDifference = {
      files: plan.steps.map(({ path, from, to }) => ({ path, before: from, after: to })),
      folders: [
        ...plan.make.filter((path) => !state.meta.folders.has(path)).map((path) => ({ path, isNew: true })),
        ...plan.prune.filter((path) => state.meta.folders.has(path)).map((path) => ({ path, isNew: false })),
      ],
      left: [],
    }
    const { before, after } = await partialStates(store, difference, { before: state, after: state })
    const trees = { before: before.tree, after: after.tree }
    return { plan, difference, trees, summary: await summarise(store.git, trees, difference, store) }
  }

  async #finish(
    { note }: UndoJournal<UndoNote>,
    { difference, summary }: UndoPreview,
    skipped: readonly BytePath[],
  ): Promise<UndoneData> {
    const { store, refs } = this.#workspace
    const state = await store.scan()
    const states = await partialStates(store, difference, { before: state, after: state })
    const data: UndoneData = {
      changeId: note.changeId,
      before: await refs.keep(note.sessionId, states.before),
      after: await refs.keep(note.sessionId, states.after),
      files: summary.files.slice(0, MAX_LISTED_FILES),
      totals: summary.totals,
      undone: [...note.undone],
      by: note.by,
      ...(note.isRedo && { isRedo: true }),
      ...(note.isPartial && { isPartial: true }),
      ...(skipped.length > 0 && { skipped: skipped.map(shownPath) }),
    }
    await this.#deps.append(note, data)
    await endJournal(this.#applyDeps())
    return data
  }

  /** A call may have deleted all of it. The folder that it was in is not made. */
  #makeWorkspace(): void {
    const { workspace } = this.#workspace.store
    if (!existsSync(workspace)) mkdirSync(workspace)
  }

  #applyDeps(): ApplyDeps {
    const { store } = this.#workspace
    return {
      tree: new HeldTree(store.workspace, store.isSha256),
      trees: store.trees,
      path: join(store.git.store, 'undo.json'),
    }
  }
}

/** Permission bits of folders that may have to be made again. */
function folderModes(steps: readonly Step[], meta: Meta | null): Record<BytePath, number> {
  if (meta === null) return {}
  const folders = new Set(steps.filter(({ to }) => to !== null).flatMap(({ path }) => foldersAround(path)))
  return Object.fromEntries([...folders].map((folder) => [folder, modeIn(meta, folder, 'folder')]))
}

const MAX_ENTRIES = 20_000

/** Whether there is any file at or below a folder besides these. Also if there are too many to look at. */
function holdsOthers(workspace: string, top: BytePath, files: ReadonlySet<BytePath>): boolean {
  const waiting = [top]
  let left = MAX_ENTRIES
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = entriesOf(workspace, folder)
    if (entries === null) return true
    left -= entries.length
    if (left < 0) return true
    for (const entry of entries) {
      const path = `${folder}/${entry.name.toString('latin1')}`
      if (entry.isDirectory()) waiting.push(path)
      else if (!files.has(path)) return true
    }
  }
  return false
}

/** Null: it cannot be read, so there may be anything in it. */
function entriesOf(workspace: string, folder: BytePath): Dirent<Buffer>[] | null {
  try {
    return readdirSync(absolute(workspace, folder), { withFileTypes: true, encoding: 'buffer' })
  } catch {
    return null
  }
}
