/**
 * Attributes changes in one workspace to calls. The workspace is looked at before a call that can write, and after it; what differs
 * between two looks was made by the calls that ran in between. A difference while none ran was made by a user or
 * another program, and is not attributed.
 */

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { GitFailure } from '../lib/git/run-git.js'
import { type AttributedChange, attribute, type RunningCall } from './attribution.js'
import type { BytePath } from './byte-path.js'
import { readRunning, writeRunning } from './running-calls.js'
import { type ScanOptions, type SnapshotStore, type State, TooLarge } from './snapshot/snapshot-store.js'
import { compareStates } from './snapshot/state-diff.js'

export interface WorkspaceChangesDeps {
  store: SnapshotStore
  /** In the order in which they were found. The next look waits for it. */
  onChange(change: AttributedChange): Promise<void>
  scanOptions(): ScanOptions
  onFault(error: unknown): void
  now?: (() => number) | undefined
}

/** So that what the call has done is reported first: to start git takes the processor for some milliseconds. */
const PAUSE_MS = 5
/** After git took too long. */
const RETRY_MS = 5 * 60_000

/** A look at the workspace that is waited for, and what happens right after it. */
interface Look {
  /** Null: everything. */
  paths: readonly BytePath[] | null
  next(state: State): Promise<void> | void
  resolve(state: State): void
  reject(error: unknown): void
}

export class WorkspaceChanges {
  readonly store: SnapshotStore
  readonly #deps: WorkspaceChangesDeps
  readonly #running = new Map<string, RunningCall>()
  #looks: Look[] = []
  #working: Promise<void> | null = null
  /** Ends the pause before the next look. */
  #hurry: (() => void) | null = null
  /** Why nothing is recorded: it is too much, and a user does not want to wait, or git did not come to its end. */
  #refused: { error: Error; until: number } | null = null
  readonly #now: () => number
  /** Whether every file was looked at since the last call ended. */
  #isSettled = false

  constructor(deps: WorkspaceChangesDeps) {
    this.#deps = deps
    this.#now = deps.now ?? Date.now
    this.store = deps.store
    // Calls of a process that was killed: it is not known when they ended, and others may have changed files since.
    for (const call of readRunning(this.#file))
      this.#running.set(keyOf(call), { ...call, isBackground: true, isLeft: true })
  }

  get running(): readonly RunningCall[] {
    return [...this.#running.values()]
  }

  /** Looks at everything, ahead of calls. */
  look(): Promise<State> {
    return this.#look(null, () => {})
  }

  /** Looks at some paths while a call waits for an answer, so that it need not wait for git when it is allowed. */
  prepare(paths: readonly BytePath[]): Promise<State> {
    return this.#look(paths, () => {}, PAUSE_MS)
  }

  /** A call is about to run. Resolves with the state before it; then it may run. */
  before(call: RunningCall): Promise<State> {
    const targets = call.targets && [...call.targets]
    return this.#look(targets, () => {
      // Within one agent, calls that can write run one after the other, with everything that hooks do about them.
      for (const [key, other] of this.#running)
        if (other.hasRun && other.sessionId === call.sessionId && other.agentId === call.agentId)
          this.#running.delete(key)
      this.#running.set(keyOf(call), call)
    })
  }

  /** The tool itself has run. Hooks may still change files. */
  ran(key: CallKey): void {
    const call = this.#running.get(keyOf(key))
    if (call) this.#running.set(keyOf(key), { ...call, hasRun: true })
  }

  /** The call goes on in the background. */
  background(key: CallKey): void {
    const call = this.#running.get(keyOf(key))
    if (call) this.#running.set(keyOf(key), { ...call, isBackground: true, hasRun: false })
  }

  /**
   * The call has ended, with its hooks. `isHooked`: these may have changed other files than the call did. `next` runs before
   * another call begins.
   */
  async after(key: CallKey, isHooked = false, next = async () => {}): Promise<State | null> {
    const call = this.#running.get(keyOf(key))
    if (!call) return null
    if (isHooked) this.#running.set(keyOf(key), { ...call, targets: null })
    const targets = isHooked ? null : call.targets && [...call.targets]
    const ended = async () => {
      await next()
      this.#running.delete(keyOf(key))
    }
    return this.#look(targets, ended, PAUSE_MS)
  }

  has(key: CallKey): boolean {
    return this.#running.has(keyOf(key))
  }

  /** The state after everything that has happened: looks at all files unless that was done since the last call ended. */
  async settled(): Promise<State> {
    while (this.#working) await this.#working
    const { state } = this.store
    return this.#isSettled && state ? state : this.look()
  }

  /** Runs work that changes the workspace or the store; no call begins meanwhile. `state`: what it finds. */
  exclusive<Result>(work: (state: State) => Promise<Result>): Promise<Result> {
    let result: Result
    return this.#look(null, async (state) => {
      result = await work(state)
    }).then(() => result)
  }

  /** In another session, a user may be asked again whether a large workspace is to be recorded. */
  askAgain(): void {
    this.#refused = null
  }

  /** Runs work on the store, without a look at the workspace. */
  async whileIdle(work: () => Promise<void>): Promise<void> {
    while (this.#working) await this.#working
    this.#working = work().finally(() => {
      this.#working = null
      if (this.#looks.length > 0) this.#start()
    })
    await this.#working
  }

  #look(paths: readonly BytePath[] | null, next: Look['next'], pauseMs = 0): Promise<State> {
    if (this.#refused && this.#refused.until > this.#now()) return Promise.reject(this.#refused.error)
    const promise = new Promise<State>((resolve, reject) =>
      this.#looks.push({ paths, next, resolve, reject }),
    )
    this.#start(pauseMs)
    return promise
  }

  /** A look without a waiting call may begin after a pause; one that is waited for ends the pause. */
  #start(pauseMs = 0): void {
    if (pauseMs === 0) this.#hurry?.()
    this.#working ??= this.#paused(pauseMs)
      .then(() => this.#work())
      .finally(() => {
        this.#working = null
        if (this.#looks.length > 0) this.#start()
      })
  }

  async #paused(ms: number): Promise<void> {
    if (ms === 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#hurry = () => {
        clearTimeout(timer)
        resolve()
      }
    })
    this.#hurry = null
  }

  /** Batches: looks that wait while another runs are answered by one. */
  async #work(): Promise<void> {
    while (this.#looks.length > 0) {
      const batch = this.#looks
      this.#looks = []
      const isWhole = batch.some(({ paths }) => paths === null)
      try {
        const state = await this.#scan(isWhole ? null : batch.flatMap(({ paths }) => paths ?? []))
        this.#isSettled = isWhole
        for (const look of batch) await this.#finish(look, state)
      } catch (error) {
        if (error instanceof TooLarge) this.#refused = { error, until: Number.POSITIVE_INFINITY }
        // A pipe in the place of an ignore file, or rules that take git forever: each call would wait as long again.
        if (error instanceof GitFailure && error.kind === 'timeout')
          this.#refused = { error, until: this.#now() + RETRY_MS }
        for (const { reject } of batch) reject(error)
      }
      for (const [key, { isLeft }] of this.#running) if (isLeft) this.#running.delete(key)
      if (this.running.some(({ isBackground }) => !isBackground)) this.#isSettled = false
      this.#saveRunning()
    }
  }

  async #finish({ next, resolve, reject }: Look, state: State): Promise<void> {
    try {
      await next(state)
      resolve(this.store.state ?? state)
    } catch (error) {
      reject(error)
    }
  }

  async #scan(paths: readonly BytePath[] | null): Promise<State> {
    const { store, onChange, scanOptions } = this.#deps
    const before = store.state ?? (await store.load())
    const after = await store.scan({ ...scanOptions(), paths })
    if (before === null || before === after) return after
    const difference = await compareStates(store.trees, before, after)
    for (const change of attribute(difference, { before, after }, this.running, store.unseen))
      await onChange(change)
    return after
  }

  get #file(): string {
    return join(this.store.git.store, 'running.json')
  }

  /** For the next process, if this one is killed. */
  #saveRunning(): void {
    if (this.#running.size === 0) rmSync(this.#file, { force: true })
    else writeFileSync(this.#file, writeRunning(this.running), { mode: 0o600 })
  }

  /** Resolves when no look is under way. */
  async idle(): Promise<void> {
    // Its caller hears of a failure.
    while (this.#working) await this.#working.catch(() => {})
  }
}

export interface CallKey {
  sessionId: string
  toolUseId: string
}

function keyOf({ sessionId, toolUseId }: CallKey): string {
  return `${sessionId} ${toolUseId}`
}
