/** A session with a live process: what it is given, what it says, and how it ends. */

import type { SessionChanges } from '../change/session-changes.js'
import type { Asker } from '../inbox/asker.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { asRecord } from '../lib/read-json.js'
import type { EventDraft } from '../protocol/event/event.js'
import { raiseNotice } from '../protocol/event/notice.js'
import type { JailInForce } from '../protocol/jail.js'
import { quoted, type Reason, reason, reasonText } from '../protocol/reason/reason.js'
import type { LiveChange } from '../protocol/runner-command.js'
import type { Session } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import { splitLineEnd } from './attach/line-end.js'
import { FailedServers } from './claude/failed-server.js'
import { interruptTurn } from './claude/interrupt.js'
import type { Claude } from './claude/port.js'
import { ResponseWatch } from './claude/response-watch.js'
import type { SdkLog } from './claude/sdk-log.js'
import { StartWatch } from './claude/start-watch.js'
import type { Gate } from './gate/gate.js'
import type { SessionHooks } from './gate/session-hooks.js'
import { MessageInput } from './message-input.js'
import { whenRecorded } from './recovery/recorded-call.js'
import { type Ending, type EndPurpose, recordEnd } from './session-ending.js'
import type { Recorder } from './translate/recorder.js'

const EXPECT_MS = 30_000

export interface LiveSessionDeps {
  journal: Journal
  asker: Asker
  clock: Clock
  sdkLog: SdkLog
  /** Whether the scripted model answers, so that nothing is spent. */
  isScripted?: boolean
  /** Where the CLI records conversations. */
  configFolder: string
  /** The branch that is checked out in a folder; null where there is none. */
  branchOf(cwd: string): string | null
  onFault(error: unknown): void
}

/** Its own process, and what was opened with it. */
export interface LiveSessionParts extends Pick<Gate, 'mayRead'> {
  claude: Claude
  recorder: Recorder
  hooks: SessionHooks
  /** Records what its calls change; null if nothing is recorded. */
  changes: SessionChanges | null
  jailInForce: JailInForce | null
  /** How far a previous run has read its output; null if it was started by this one. */
  attachedAt: number | null
  /** Whether a message must not be sent any more. */
  isCancelled(messageId: string): boolean
  /** Called after everything that happens. */
  onActivity(): void
}

export class LiveSession {
  readonly id: string
  /** The caller's own id of the conversation; it can change while the process lives. */
  externalId: string | null
  readonly claude: Claude
  readonly input: MessageInput
  readonly response: ResponseWatch
  /** Settles when the process is gone and everything about it is stored. */
  readonly ended: Promise<Ending>
  readonly #recorder: Recorder
  readonly #hooks: SessionHooks
  readonly #changes: SessionChanges | null
  readonly #deps: LiveSessionDeps
  readonly #onActivity: () => void
  readonly #cwd: string
  /** As last written. */
  #branch: string | null
  /** Why it is being ended, where that is on purpose. */
  #purpose: EndPurpose | null = null
  #hasEnded = false
  #hasSpoken = false
  #expectsTurn = false
  readonly #startWatch: StartWatch
  readonly #failedServers: FailedServers
  /** Why it was given up, where it did not react. */
  #hung: Reason | null = null

  constructor(
    { id, externalId, cwd, branch, staleFiles }: Session,
    parts: LiveSessionParts,
    deps: LiveSessionDeps,
  ) {
    const { claude, recorder, hooks, jailInForce: jail, mayRead, isCancelled, onActivity } = parts
    this.id = id
    this.externalId = externalId
    this.#cwd = cwd
    this.#branch = branch
    this.#hooks = hooks
    this.#changes = parts.changes
    this.claude = claude
    this.#recorder = recorder
    this.#deps = deps
    this.#onActivity = onActivity
    const write = (drafts: readonly EventDraft[]) => recorder.write(drafts)
    const hasEnded = () => this.#hasEnded
    this.#startWatch = new StartWatch({ clock: deps.clock, write, giveUp: (why) => this.#giveUp(why) })
    this.#failedServers = new FailedServers({ inspect: () => claude.inspect('mcp'), write, hasEnded })
    this.response = new ResponseWatch({ claude, write, hasEnded })
    this.input = new MessageInput({
      claude,
      recorder,
      clock: deps.clock,
      mayRead,
      isCancelled,
      staleFiles,
      interrupt: () => this.interrupt(),
      isOver: () => this.#hasEnded || this.isEnding,
      ended: () => this.ended,
      onSent: (message) => {
        this.#startWatch.begin()
        this.#changes?.begin()
        deps.sdkLog.write(this, 'input', message)
      },
    })
    if (claude.keptId !== null) recorder.beginLaunch(claude.keptId, parts.attachedAt ?? 0)
    if (parts.attachedAt === null)
      write([{ type: 'session.changed', data: { process: 'live', ...(jail && { jail }) } }])
    else {
      // One that works has been given its message by the previous run.
      this.#hasSpoken = true
      this.#startWatch.end()
      if (recorder.isBusy) write([raiseNotice('info', 'reconnected', reason('notice.reconnected'))])
    }
    this.#noteBranch()
    this.ended = this.#run()
  }

  /** Whether the process is gone; `ended` settles soon after. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get isEnding(): boolean {
    return this.#purpose !== null
  }

  /** Whether ending the process would lose something. */
  get isNeeded(): boolean {
    return this.#recorder.isNeeded || this.#expectsTurn
  }

  /**
   * The process is about to continue a turn without a message; a timeout covers the case that there is
   * nothing to continue.
   */
  expectTurn(): void {
    this.#expectsTurn = true
    const cancel = this.#deps.clock.after(EXPECT_MS, () => {
      this.#expectsTurn = false
    })
    void this.ended.finally(cancel)
  }

  get hasTurn(): boolean {
    return this.#recorder.hasTurn
  }

  /** Whether the process has said anything yet. */
  get hasSpoken(): boolean {
    return this.#hasSpoken
  }

  /** Stops the running turn. Answers in bounded time. */
  async interrupt(): Promise<void> {
    await interruptTurn(this.claude, this.ended)
  }

  async configure(
    { model, permissionMode, thinkingTokens, effort }: LiveChange,
    by: Actor | null,
  ): Promise<void> {
    if (permissionMode !== undefined) {
      await this.claude.setPermissionMode(permissionMode)
      this.#recorder.record({ kind: 'mode', mode: permissionMode, by })
    }
    if (model !== undefined) await this.claude.setModel(model)
    if (thinkingTokens !== undefined) await this.claude.setThinkingTokens(thinkingTokens)
    if (effort !== undefined) await this.claude.setEffort(effort)
    const data = {
      ...(model !== undefined && { model }),
      ...(thinkingTokens !== undefined && { thinkingTokens }),
      ...(effort !== undefined && { effort }),
    }
    if (Object.keys(data).length > 0) this.write([{ type: 'session.changed', data }])
    await this.#recorder.settled()
  }

  /** Writes an event, in order with the messages of the CLI. */
  write(drafts: readonly EventDraft[]): void {
    this.#recorder.write(drafts)
  }

  /** Ends the process. Running work counts as interrupted, not as failed. */
  async end(kind: 'stopped' | 'parked', why: EndPurpose['reason']): Promise<void> {
    this.#purpose ??= { kind, reason: why }
    await this.claude.close()
    await this.ended
  }

  /** Kills a process that has done nothing yet and may hang: asking it to end would only take time. */
  async abandon(why: Reason): Promise<void> {
    this.#purpose ??= { kind: 'parked', reason: why }
    await this.claude.kill()
    await this.ended
  }

  /**
   * Ends the process with the daemon. A turn that waits for the user is left open, so that another process
   * can resume it: the CLI would record an interrupt as the user's own.
   */
  async suspend(why: Reason): Promise<void> {
    const { asker, journal } = this.#deps
    this.#purpose ??= { kind: 'suspended', reason: why }
    // The process ends also where that cannot be stored.
    await asker.park(this.id, reasonText([why])).catch(this.#deps.onFault)
    const session = await journal.session(this.id)
    const isWaiting = session !== null && session.pendingRequests.length > 0
    if (isWaiting) await whenRecorded(session, this.#deps.configFolder).catch(this.#deps.onFault)
    // One that has said nothing may hang, and has nothing to write: it must not take the time that the others need.
    await (isWaiting || !this.#hasSpoken ? this.claude.kill() : this.claude.close())
    await this.ended
  }

  /** Leaves the process running, for another run of the daemon. False if it ends with this one. */
  async detach(): Promise<boolean> {
    if (this.claude.keptId === null || this.isEnding || this.#hasEnded) return false
    this.claude.detach()
    await this.#recorder.settled()
    return true
  }

  async #run(): Promise<Ending> {
    let failure: string | null = null
    let isUseful = this.#hasSpoken
    try {
      for await (const said of this.claude.messages) {
        const { message, end } = splitLineEnd(said)
        this.#hasSpoken = true
        isUseful ||= isInit(message)
        if (isInit(message)) this.#failedServers.report(message).catch(this.#deps.onFault)
        this.#startWatch.end()
        this.response.note(true)
        if (isResult(message)) await this.#noteSnapshot()
        this.#recorder.record({ kind: 'sdk', message }, end)
        this.#deps.sdkLog.write(this, 'output', message)
        if (mayHaveActed(message)) this.#noteBranch()
        if (this.#recorder.hasTurn) this.#expectsTurn = false
        this.input.release()
        this.#onActivity()
        const stored = this.#deps.journal.whenStoring()
        if (stored) await this.#waitForStorage(stored)
      }
    } catch (error) {
      failure = error instanceof Error ? error.message : 'unknown failure'
    }
    this.#hasEnded = true
    this.#startWatch.end()
    const { lastWords } = this.claude
    // Also after a crash: what the process has started may have outlived it.
    await this.claude.close()
    const own = this.#hung ?? (failure === null ? reason('process.ended') : quoted('claude.says', failure))
    const crash = { isUseful, isHung: this.#hung !== null, error: reasonText([own]), why: own, lastWords }
    return recordEnd(this.#purpose, crash, {
      ...this.#deps,
      sessionId: this.id,
      recorder: this.#recorder,
      hooks: this.#hooks,
    })
  }

  /** The state of the workspace belongs to the end of the turn. Bounded time. */
  async #noteSnapshot(): Promise<void> {
    const snapshot = await this.#changes?.settled()
    if (snapshot) this.#recorder.record({ kind: 'snapshot', snapshot })
  }

  #giveUp(why: Reason): void {
    this.#hung = why
    this.claude.kill().catch(this.#deps.onFault)
  }

  /** Backpressure: while nothing can be stored, nothing more is read from the CLI. */
  async #waitForStorage(first: Promise<void>): Promise<void> {
    this.claude.holdOutput(true)
    let next: Promise<void> | null = first
    for (; next && !this.#purpose; next = this.#deps.journal.whenStoring()) await next
    this.claude.holdOutput(false)
  }

  #noteBranch(): void {
    const branch = this.#deps.branchOf(this.#cwd)
    if (branch === this.#branch) return
    this.#branch = branch
    this.write([{ type: 'session.changed', data: { branch } }])
  }
}

/** Whether a tool has run since the message before. */
function mayHaveActed(message: unknown): boolean {
  const { type } = asRecord(message)
  return type === 'user' || type === 'result'
}

function isResult(message: unknown): boolean {
  return asRecord(message)['type'] === 'result'
}

function isInit(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'subtype' in message && message.subtype === 'init'
}
