/** A session with a live process: what it is given, what it says, and how it ends. */

import type { Inbox } from '../inbox/inbox.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { uuidOf } from '../lib/id.js'
import { asRecord } from '../lib/read-json.js'
import type { LiveChange, Rewound } from '../protocol/api-body.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { JailInForce } from '../protocol/jail.js'
import type { Session } from '../protocol/session.js'
import type { Actor } from '../protocol/value.js'
import { FailedServers } from './claude/failed-server.js'
import { interruptTurn } from './claude/interrupt.js'
import type { Claude } from './claude/port.js'
import { ResponseWatch } from './claude/response-watch.js'
import type { SdkLog } from './claude/sdk-log.js'
import { StartWatch } from './claude/start-watch.js'
import type { Gate } from './gate/gate.js'
import type { SessionHooks } from './gate/session-hooks.js'
import { MessageInput } from './message-input.js'
import { type Ending, type EndPurpose, recordEnd } from './session-ending.js'
import type { Recorder } from './translate/recorder.js'

const EXPECT_MS = 30_000

export interface LiveSessionDeps {
  journal: Journal
  inbox: Inbox
  clock: Clock
  sdkLog: SdkLog
  /** The branch that is checked out in a folder; null where there is none. */
  branchOf(cwd: string): string | null
  onFault(error: unknown): void
}

/** Its own process, and what was opened with it. */
export interface LiveSessionParts extends Pick<Gate, 'mayRead'> {
  claude: Claude
  recorder: Recorder
  hooks: SessionHooks
  jailInForce: JailInForce | null
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
  #hung: string | null = null

  constructor({ id, externalId, cwd, branch }: Session, parts: LiveSessionParts, deps: LiveSessionDeps) {
    const { claude, recorder, hooks, jailInForce: jail, mayRead, isCancelled, onActivity } = parts
    this.id = id
    this.externalId = externalId
    this.#cwd = cwd
    this.#branch = branch
    this.#hooks = hooks
    this.claude = claude
    this.#recorder = recorder
    this.#deps = deps
    this.#onActivity = onActivity
    const write = (drafts: readonly EventDraft[]) => recorder.write(drafts)
    const hasEnded = () => this.#hasEnded
    this.#startWatch = new StartWatch({ clock: deps.clock, write, giveUp: (reason) => this.#giveUp(reason) })
    this.#failedServers = new FailedServers({ inspect: () => claude.inspect('mcp'), write, hasEnded })
    this.response = new ResponseWatch({ claude, write, hasEnded })
    this.input = new MessageInput({
      claude,
      recorder,
      clock: deps.clock,
      mayRead,
      isCancelled,
      interrupt: () => this.interrupt(),
      isOver: () => this.#hasEnded || this.isEnding,
      ended: () => this.ended,
      onSent: (message) => {
        this.#startWatch.begin()
        deps.sdkLog.write(this, 'input', message)
      },
    })
    write([{ type: 'session.changed', data: { process: 'live', ...(jail && { jail }) } }])
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

  /** Restores files to their state before a message of the user. */
  async rewind(messageId: string, isDryRun: boolean, by: Actor): Promise<Rewound> {
    const rewound = await this.claude.rewind(uuidOf(messageId), isDryRun)
    if (!isDryRun) this.write([{ type: 'files.rewound', data: { messageId, ...rewound, by } }])
    return rewound
  }

  /** Writes an event, in order with the messages of the CLI. */
  write(drafts: readonly EventDraft[]): void {
    this.#recorder.write(drafts)
  }

  /** Ends the process. Running work counts as interrupted, not as failed. */
  async end(kind: 'stopped' | 'parked', reason: string): Promise<void> {
    this.#purpose ??= { kind, reason }
    await this.claude.close()
    await this.ended
  }

  /** Kills a process that has done nothing yet and may hang: asking it to end would only take time. */
  async abandon(reason: string): Promise<void> {
    this.#purpose ??= { kind: 'parked', reason }
    await this.claude.kill()
    await this.ended
  }

  /**
   * Ends the process with the daemon. A turn that waits for the user is left open, so that another process
   * can resume it: the CLI would record an interrupt as the user's own.
   */
  async suspend(reason: string): Promise<void> {
    const { inbox, journal } = this.#deps
    this.#purpose ??= { kind: 'suspended', reason }
    // The process ends also where that cannot be stored.
    await inbox.park(this.id, reason).catch(this.#deps.onFault)
    const isWaiting = ((await journal.session(this.id))?.pendingRequests ?? []).length > 0
    // One that has said nothing may hang, and has nothing to write: it must not take the time that the others need.
    await (isWaiting || !this.#hasSpoken ? this.claude.kill() : this.claude.close())
    await this.ended
  }

  async #run(): Promise<Ending> {
    let failure: string | null = null
    let isUseful = false
    try {
      for await (const message of this.claude.messages) {
        this.#hasSpoken = true
        isUseful ||= isInit(message)
        if (isInit(message)) this.#failedServers.report(message).catch(this.#deps.onFault)
        this.#startWatch.end()
        this.response.note(true)
        this.#recorder.record({ kind: 'sdk', message })
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
    const error = this.#hung ?? failure ?? 'The Claude Code process ended by itself.'
    const crash = { isUseful, isHung: this.#hung !== null, error, lastWords }
    return recordEnd(this.#purpose, crash, {
      ...this.#deps,
      sessionId: this.id,
      recorder: this.#recorder,
      hooks: this.#hooks,
    })
  }

  #giveUp(reason: string): void {
    this.#hung = reason
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

function isInit(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'subtype' in message && message.subtype === 'init'
}
