/** Records what the calls of one live session change: around its calls, and at the end of its turns. */

import type { Clock } from '../lib/clock.js'
import type { SnapshotRef } from '../protocol/change/change.js'
import type { DeltaDraft, EventDraft } from '../protocol/event/event.js'
import type { BytePath } from './byte-path.js'
import { coverageNotice, failureNotice } from './coverage.js'
import { IgnoredChanges } from './ignored-changes.js'
import type { OpenWorkspace } from './open-workspace.js'
import type { State } from './snapshot/snapshot-store.js'

export interface SessionChangesDeps {
  sessionId: string
  workspace: OpenWorkspace
  clock: Clock
  /** Writes events, in order with the messages of the CLI. */
  write(drafts: readonly EventDraft[]): void
}

/** A call that can write, as far as the policy can name what it changes. */
export interface WritingCall {
  toolUseId: string
  agentId?: string | undefined
  /** Files and folders in the workspace that it names. */
  paths: readonly BytePath[]
  outside: readonly string[]
  /** It can change nothing but the files that it names. */
  isExact: boolean
}

/** Beside the model's first request: later than its start, which takes the processor, and long before its first call. */
const LOOK_AFTER_MS = 150
/** How long the end of a turn waits for the state after it. */
const MAX_WAIT_MS = 2_000

export class SessionChanges {
  readonly #deps: SessionChangesDeps
  readonly #ignored: IgnoredChanges
  #turnId: string | null = null
  /** Whether a call of this turn could write. */
  #hasWritten = false
  #isHooked = false
  #lastProblem = ''
  /** Background commands: the task, and the call that started it. */
  readonly #tasks = new Map<string, string>()
  /** Calls that wait for an answer; whether the files that they name are as they were at the question, and none of them is ignored. */
  readonly #foreseen = new Map<string, () => boolean>()
  /** Calls whose state before them is being recorded, and whether they have ended meanwhile: they were interrupted. */
  readonly #beginning = new Map<string, 'waits' | 'ended'>()
  /** Calls that have ended and are being recorded. */
  readonly #recording = new Set<Promise<void>>()

  constructor(deps: SessionChangesDeps) {
    this.#deps = deps
    this.#ignored = new IgnoredChanges(deps.workspace)
  }

  /** A message was handed to the agent: its turn begins. */
  begin(): void {
    const { workspace, clock } = this.#deps
    const look = () => void workspace.changes.look().catch((error: unknown) => this.#fail(error))
    if (!workspace.store.isBegun) look()
    else clock.after(LOOK_AFTER_MS, look)
  }

  /** Says what undo would not cover, before a user decides about the call or it runs. */
  async foresee({ toolUseId, paths, outside }: WritingCall): Promise<void> {
    if (this.#foreseen.has(toolUseId)) return
    const isSame = this.#deps.workspace.store.watch(paths)
    this.#foreseen.set(toolUseId, () => false)
    const { files, tooMany } = await this.#ignored.find(paths).catch(() => ({ files: null, tooMany: null }))
    if (files?.length === 0 && tooMany === null) this.#foreseen.set(toolUseId, isSame)
    const notice = coverageNotice(toolUseId, { outside, tooManyIgnored: tooMany })
    if (notice) this.#deps.write([notice])
  }

  /** Records the files that an edit names while it waits for an answer. */
  prepare({ paths, isExact }: WritingCall): void {
    // The call itself records again, and says what failed.
    if (isExact) void this.#deps.workspace.changes.prepare(paths).catch(() => {})
  }

  /** The state before the call; null if it is not recorded. The call may run when this resolves. Never rejects. */
  async before(call: WritingCall): Promise<SnapshotRef | null> {
    const { sessionId, workspace } = this.#deps
    const { toolUseId, agentId, paths, isExact } = call
    this.#hasWritten = true
    this.#beginning.set(toolUseId, 'waits')
    try {
      const [state] = await Promise.all([
        workspace.changes.before({
          sessionId,
          turnId: this.#turnId,
          toolUseId,
          agentId,
          targets: isExact ? new Set(paths) : null,
        }),
        this.#foreseen.get(toolUseId)?.() ? null : this.#ignored.save(toolUseId, paths, agentId),
        this.foresee(call),
      ])
      return await workspace.refs.keep(sessionId, state)
    } catch (error) {
      this.#fail(error)
      return null
    } finally {
      const hasEnded = this.#beginning.get(toolUseId) === 'ended'
      this.#beginning.delete(toolUseId)
      // Otherwise what others change from now on would be attributed to it.
      if (hasEnded) this.#after(toolUseId, false)
    }
  }

  /** The tool itself has run; its hooks may still. */
  ran(toolUseId: string): void {
    this.#deps.workspace.changes.ran({ sessionId: this.#deps.sessionId, toolUseId })
  }

  /** Follows what is written to the log of the session. */
  note({ type, data }: EventDraft | DeltaDraft): void {
    if (type === 'turn.started') {
      this.#turnId = data.turnId
      this.#hasWritten = false
    }
    if (type === 'hook.started' && data.event.startsWith('PostToolUse')) this.#isHooked = true
    if (type === 'task.started' && data.isBackground && data.toolUseId !== undefined)
      this.#tasks.set(data.taskId, data.toolUseId)
    if (type === 'tool.ended') this.#ended(data.toolUseId)
    if (type === 'task.ended') {
      const toolUseId = this.#tasks.get(data.taskId)
      this.#tasks.delete(data.taskId)
      if (toolUseId !== undefined) this.#after(toolUseId, false)
    }
  }

  #ended(toolUseId: string): void {
    const { workspace, sessionId } = this.#deps
    this.#foreseen.delete(toolUseId)
    if (this.#beginning.has(toolUseId)) this.#beginning.set(toolUseId, 'ended')
    else if ([...this.#tasks.values()].includes(toolUseId))
      workspace.changes.background({ sessionId, toolUseId })
    else this.#after(toolUseId, this.#isHooked)
    this.#isHooked = false
  }

  #after(toolUseId: string, isHooked: boolean): void {
    const { workspace, sessionId } = this.#deps
    const call = { sessionId, toolUseId, turnId: this.#turnId }
    const recorded = workspace.changes
      .after(call, isHooked, () => this.#ignored.record(call))
      .then(() => {})
      .catch((error: unknown) => this.#fail(error))
      .finally(() => this.#recording.delete(recorded))
    this.#recording.add(recorded)
  }

  /** The state after the turn, if a call of it could write; null if it is not known in time. Never rejects. */
  async settled(): Promise<SnapshotRef | null> {
    if (!this.#hasWritten) return null
    const { workspace, sessionId, clock } = this.#deps
    try {
      const all = Promise.all(this.#recording).then(() => workspace.changes.settled())
      const state = await Promise.race([all, wait(clock)])
      return state && (await workspace.refs.keep(sessionId, state))
    } catch (error) {
      this.#fail(error)
      return null
    }
  }

  /** Said once, until it is another problem: each call would repeat it. */
  #fail(error: unknown): void {
    const notice = failureNotice(error)
    const text = JSON.stringify(notice)
    if (text !== this.#lastProblem) this.#deps.write([notice])
    this.#lastProblem = text
  }
}

function wait(clock: Clock): Promise<State | null> {
  return new Promise((resolve) => clock.after(MAX_WAIT_MS, () => resolve(null)))
}
