/** Carries out what users ask about changes: diffs, undo and redo, pictures, and whether comments are resolved. */

import type { CommandHandlers } from '../bus/port.js'
import type { Journal } from '../journal/journal.js'
import type { Comment } from '../protocol/change/comment.js'
import type { Diff, Recording, UndoConflict, UndoResult } from '../protocol/change/diff.js'
import type { SnapshotSettings } from '../protocol/change/snapshot-settings.js'
import { HubError } from '../protocol/error.js'
import type { RunnerCommand } from '../protocol/runner-command.js'
import type { Session } from '../protocol/session.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { busySessions } from './busy-sessions.js'
import { bytePathOf, shownPath } from './byte-path.js'
import type { Changes } from './changes.js'
import { type ChangeEvent, isMadeByOthers, readHistory, selectChanges, undoneIn } from './history.js'
import type { OpenWorkspace } from './open-workspace.js'
import { markProtected } from './review/protected-names.js'
import { Review } from './review/review.js'
import { needsAdmin } from './undo/admin-file.js'
import type { Undo, UndoPreview, UndoRequest } from './undo/undo.js'
import { conflictError, shownFailure } from './undo/undo-failure.js'

export interface ChangeCommandDeps {
  changes: Changes
  journal: Journal
  store: Pick<RunnerStore, 'readSession' | 'sessions'>
  settings: SnapshotSettings
}

type ChangeCommand = Extract<keyof CommandHandlers, `changes.${string}`>

export class ChangeCommands {
  readonly #deps: ChangeCommandDeps

  constructor(deps: ChangeCommandDeps) {
    this.#deps = deps
  }

  handlers(): Pick<CommandHandlers, ChangeCommand> {
    return {
      'changes.forget': ({ sessionId, cwd }) => this.#deps.changes.forget({ id: sessionId, cwd }),
      'changes.recording': async ({ sessionId }) => this.#recording(await this.#session(sessionId)),
      'changes.diff': async (command) => this.#diff(await this.#session(command.sessionId), command),
      'changes.picture': async (command) => {
        const { review, chosen } = await this.#select(await this.#session(command.sessionId), command)
        return review.picture(await review.differenceOf(chosen), command.file ?? '', command.side)
      },
      'changes.undo': async (command) => this.#undo(await this.#session(command.sessionId), command),
      'changes.resolved': async ({ sessionId, comments }) =>
        this.#resolved(await this.#session(sessionId), comments),
    }
  }

  #recording({ cwd }: Session): Recording {
    const { maxFileMegabytes, maxIgnoredFiles, maxIgnoredMegabytes } = this.#deps.settings
    const reason = this.#deps.changes.problemAt(cwd)
    return { isOn: reason === null, reason, maxFileMegabytes, maxIgnoredFiles, maxIgnoredMegabytes }
  }

  async #diff(session: Session, query: RunnerCommand<'changes.diff'>): Promise<Diff> {
    const { against, change: _, ...options } = query
    const { review, chosen, history } = await this.#select(session, query)
    const show = {
      head: () => review.sinceHead(options),
      start: () => review.sinceStart(session.id, options),
      changes: () => review.ofChanges(chosen, options),
    }
    return markProtected(await show[against ?? 'changes'](), history.changes)
  }

  async #select(session: Session, query: Omit<RunnerCommand<'changes.diff'>, 'type'>) {
    const history = await readHistory(this.#deps.store, session.id)
    const { turn, call, agent, change } = query
    const chosen = selectChanges(history, {
      turn,
      call,
      agent,
      ...(change !== undefined && { changes: [change] }),
    })
    return { review: new Review(this.#workspace(session)), chosen, history }
  }

  async #undo(session: Session, command: RunnerCommand<'changes.undo'>): Promise<UndoResult> {
    const undo = this.#undoIn(session)
    // On a busy machine the turn may have ended before the changes of its last call are recorded.
    await this.#workspace(session).changes.idle()
    const history = await readHistory(this.#deps.store, session.id)
    const gone = undoneIn(history)
    const isExplicit = command.changes !== undefined
    const selected = selectChanges(history, command).filter(
      (event) => isExplicit || (event.type === 'changes.recorded' && !gone.has(event.data.changeId)),
    )
    const isLeft = (event: ChangeEvent) =>
      event.type === 'changes.recorded' &&
      event.data.source === 'background' &&
      !(isExplicit || command.background || command.call !== undefined)
    const chosen = selected.filter((event) => !isLeft(event))
    const request: UndoRequest = {
      sessionId: session.id,
      changes: chosen.map((event) => ({ ...event.data, isShared: isMadeByOthers(event, chosen, command) })),
      only: command.files ? new Set(command.files.map(bytePathOf)) : null,
      rewoundTo: command.rewoundTo,
    }
    const base = {
      undone: chosen.map(({ data }) => data.changeId),
      left: selected.filter(isLeft).map(({ data }) => data.changeId),
    }
    if (command.preview)
      return { changeId: null, ...base, ...(await this.#shown(session, await undo.preview(request))) }
    await this.#refuseIfBusy(session)
    return this.#carryOut(session, undo, request, command, base)
  }

  async #carryOut(
    session: Session,
    undo: Undo,
    request: UndoRequest,
    { by, isAdmin }: RunnerCommand<'changes.undo'>,
    base: Pick<UndoResult, 'undone' | 'left'>,
  ): Promise<UndoResult> {
    const isRedo = request.changes.length > 0 && (await this.#areUndos(session, request))
    let conflicts: UndoConflict[] = []
    try {
      const data = await undo.carryOut(request, { by, isRedo }, (preview) => {
        conflicts = conflictsOf(preview)
        if (conflicts.length > 0) throw conflictError(conflicts)
        refuseAdminFiles(adminFilesOf(preview, session), isAdmin)
        if (isNothing(preview)) throw new NothingToDo()
      })
      const files = data.files.map((file) => ({ ...file, hunks: [] }))
      return {
        changeId: data.changeId,
        ...base,
        diff: { files, totals: data.totals, changeIds: base.undone },
        conflicts: [],
        adminFiles: [],
      }
    } catch (error) {
      if (!(error instanceof NothingToDo)) throw shownFailure(error)
      const nothing = { files: [], totals: { files: 0, insertions: 0, deletions: 0 }, changeIds: base.undone }
      return { changeId: null, ...base, diff: nothing, conflicts: [], adminFiles: [] }
    }
  }

  async #areUndos({ id }: Session, { changes }: UndoRequest): Promise<boolean> {
    const { changes: all } = await readHistory(this.#deps.store, id)
    const undos = new Set(
      all.filter(({ type }) => type === 'changes.undone').map(({ data }) => data.changeId),
    )
    return changes.every(({ changeId }) => undos.has(changeId))
  }

  async #shown(
    session: Session,
    preview: UndoPreview,
  ): Promise<Omit<UndoResult, 'changeId' | 'undone' | 'left'>> {
    const review = new Review(this.#workspace(session))
    return {
      diff: await review.ofDifference(preview.difference, {}),
      conflicts: conflictsOf(preview),
      adminFiles: adminFilesOf(preview, session),
    }
  }

  /** Sessions that work in the folder, above it or below it: their agents would not know what happens to their files. */
  async #refuseIfBusy(session: Session): Promise<void> {
    const busy = await busySessions(session, this.#deps.store)
    if (busy.length === 0) return
    const names = busy.map(({ id }) => id).join(', ')
    throw new HubError(
      'workspace_busy',
      `A session works in this folder (${names}). Wait until it is done, or interrupt it first: signalbox undo --interrupt.`,
      { sessionIds: busy.map(({ id }) => id) },
    )
  }

  async #resolved(session: Session, comments: readonly Comment[]): Promise<boolean[]> {
    const workspace = this.#deps.changes.at(session.cwd)
    if (!workspace) return comments.map(() => false)
    const { tree } = await workspace.changes.settled()
    const texts = new Map<string, string>()
    for (const { path, entry } of await workspace.store.trees.entries(
      tree,
      comments.map((one) => bytePathOf(one.path)),
    ))
      texts.set(shownPath(path), (await workspace.store.trees.read(entry.id)).toString('utf8'))
    return comments.map(({ path, quote, isOld }) => {
      // Lines that the change removed are open as long as they are gone.
      const isThere = linesOf(texts.get(path) ?? '').includes(linesOf(quote))
      return isOld ? isThere : !isThere
    })
  }

  async #session(sessionId: string): Promise<Session> {
    const session = await this.#deps.journal.session(sessionId)
    if (session) return session
    throw new HubError('session_not_found', `No session ${sessionId}.`, { sessionId })
  }

  #workspace({ cwd }: Session): OpenWorkspace {
    const workspace = this.#deps.changes.at(cwd)
    if (workspace) return workspace
    throw new HubError(
      'checkpoint_missing',
      `Changes are not recorded. ${this.#deps.changes.problemAt(cwd) ?? ''}`.trim(),
    )
  }

  #undoIn(session: Session): Undo {
    this.#workspace(session)
    return this.#deps.changes.undoIn(session.cwd) as Undo
  }
}

class NothingToDo extends Error {}

/** Whole lines, so that a part of a line is not taken for the line. */
function linesOf(text: string): string {
  return `\n${text.replace(/\n$/, '')}\n`
}

function isNothing({ plan, difference }: UndoPreview): boolean {
  return plan.steps.length === 0 && difference.folders.length === 0
}

function conflictsOf({ plan }: UndoPreview): UndoConflict[] {
  const seen = new Set<string>()
  return plan.conflicts.flatMap(({ path, reason }) => {
    const shown = shownPath(path)
    return seen.has(shown) ? [] : (seen.add(shown), [{ path: shown, reason }])
  })
}

function adminFilesOf({ plan }: UndoPreview, { cwd }: Session): string[] {
  return plan.steps.filter(({ path }) => needsAdmin(cwd, path)).map(({ path }) => shownPath(path))
}

function refuseAdminFiles(files: readonly string[], isAdmin: boolean): void {
  if (isAdmin || files.length === 0) return
  throw new HubError(
    'role_insufficient',
    `Undo of ${files.slice(0, 5).join(', ')} requires the role admin: protected files, and files that control what agents and tools run. Choose other files, or ask an admin.`,
    { needed: 'admin', files },
  )
}
