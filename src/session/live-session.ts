/** A session with a live process: its input, its output, and how it ends. */

import { setTimeout as wait } from 'node:timers/promises'
import type { Inbox } from '../inbox/inbox.js'
import type { Jail } from '../jail/jail.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import { type IdSource, uuidOf } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import { asRecord } from '../lib/read-json.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { EffectivePolicy } from '../policy/call.js'
import type { Agents } from '../protocol/agent.js'
import type { LiveChange, Rewound } from '../protocol/api-body.js'
import { HubError } from '../protocol/error.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { JailInForce } from '../protocol/jail.js'
import type { Session } from '../protocol/session.js'
import { ownNameOf } from '../protocol/tool.js'
import type { Actor } from '../protocol/value.js'
import type { Store } from '../store/port.js'
import { PROGRAM, type ToolRegistry } from '../tool/registry.js'
import { createSessionTools } from '../tool/session-tools.js'
import { FailedServers } from './claude/failed-server.js'
import { CONTROL_MS, LimitedClaude, notResponding } from './claude/limited.js'
import type { Claude, ClaudeCallbacks } from './claude/port.js'
import type { SdkLog } from './claude/sdk-log.js'
import { StartWatch } from './claude/start-watch.js'
import { admittedCallbacks } from './gate/admitted-callbacks.js'
import { createElicit } from './gate/elicit.js'
import { createGate, type Gate } from './gate/gate.js'
import { createHookedGate } from './gate/hooked-gate.js'
import { type HookDeps, SessionHooks, type StartSource } from './gate/session-hooks.js'
import { type JailSettings, SessionJail } from './gate/session-jail.js'
import { secretsTouched } from './gate/touched-secret.js'
import { isVerbatim } from './gate/verbatim.js'
import { Outbox, type OutgoingMessage } from './outbox.js'
import { hookEnds } from './recovery/recovery-drafts.js'
import { type MessageEnd, Recorder } from './translate/recorder.js'
import { newTranslationState } from './translate/state.js'
import type { Judgement } from './translate/tool.js'

export interface LiveSessionDeps {
  journal: Journal
  inbox: Inbox
  clock: Clock
  ids: IdSource
  sdkLog: SdkLog
  /** Values that are redacted in logs and for viewers. */
  secrets: SecretSet
  store: Pick<Store, 'addSecrets'>
  toolsOf(sessionId: string): ToolRegistry
  /** Those of the configuration. */
  agents: Agents
  /** Log that tools write to. */
  toolLog: Log
  hooks: HookDeps
  /** Distinguishes the processes of this home from those of another. */
  mark: string
  /** The policy in force for calls of a session now. Rejects if it cannot be read. */
  policyFor(session: Session): Promise<EffectivePolicy>
  jail: Jail
  /** The jail settings of the configuration and of the session's workspace. Rejects if they cannot be read. */
  jailSettingsFor(session: Session): Promise<JailSettings>
  /** The branch that is checked out in a folder; null where there is none. */
  branchOf(cwd: string): string | null
  onFault(error: unknown): void
}

/** How the process was started, as far as the gate depends on it. */
export interface GateContext {
  /** The home of the user that the CLI runs as. */
  home: string
  serverSource(server: string): string
  /** The environment of the CLI. */
  env: Readonly<Record<string, string>>
  /** Why calls must not be wrapped into the jail; null if they may. `claudeFolders`: what the CLI may read besides. */
  jailObstacle(claudeFolders: readonly string[]): string | null
}

/** A working process that has said nothing for this long is asked whether it still reacts. */
export const SILENT_MS = 60_000
const INTERRUPT_MS = 5_000
const NOT_STORED = 'The decision could not be stored, so the call does not run.'
const EXPECT_MS = 30_000

/** How it ended. `isUseful`: the process had begun to work, so another one may take over what is still queued. */
export type Ending =
  | { kind: 'stopped' }
  | { kind: 'parked' }
  | { kind: 'crashed'; isUseful: boolean; isHung: boolean; error: string; lastWords: string }

export interface Opening {
  session: Session
  source: StartSource
  place: GateContext
  open(callbacks: ClaudeCallbacks): Promise<Claude>
  /** Called after everything that happens. */
  onActivity(): void
  /** Whether a message must not be sent any more. */
  isCancelled(messageId: string): boolean
}

/** A process that is there, but that no session uses yet. */
export interface OpenedSession {
  /** The session uses it from now on. `session` is the newest snapshot. */
  begin(session: Session): LiveSession
  /** Ends it: it was given nothing, and has done nothing. */
  discard(): Promise<void>
}

/** Rejects if the process cannot even be tried. */
export async function openSession(opening: Opening, deps: LiveSessionDeps): Promise<OpenedSession> {
  const { session, open, onActivity, isCancelled } = opening
  const recorder = new Recorder(newTranslationState(session), { sessionId: session.id, ...deps })
  const { callbacks, hooks, jail, mayRead } = createCallbacks(opening, recorder, deps)
  const jailInForce = await jail.told()
  let admit = (_isAdmitted: boolean) => {}
  const isAdmitted = new Promise<boolean>((resolve) => {
    admit = resolve
  })
  const claude = new LimitedClaude(await open(admittedCallbacks(callbacks, isAdmitted)), deps.clock)
  return {
    begin(newest) {
      const more = { ...deps, mayRead, jailInForce, isCancelled }
      const live = new LiveSession(newest, claude, recorder, hooks, more, onActivity)
      void live.ended.finally(() => jail.end())
      admit(true)
      return live
    },
    async discard() {
      admit(false)
      jail.end()
      await claude.kill()
    },
  }
}

/** Joins what answers the CLI: the gate, the hooks around it, and our tools. */
function createCallbacks(
  { session, source, place }: Opening,
  recorder: Recorder,
  deps: LiveSessionDeps,
): { callbacks: ClaudeCallbacks; hooks: SessionHooks; jail: SessionJail; mayRead: Gate['mayRead'] } {
  const { journal, clock, inbox, ids, mark } = deps
  const { id: sessionId, cwd } = session
  const judged = (judgement: Judgement) => recorder.record({ kind: 'judged', judgement })
  const completed = new Set<string | null>()
  const jail = new SessionJail({
    jail: deps.jail,
    workspace: cwd,
    env: place.env,
    settings: () => deps.jailSettingsFor(session),
    obstacle: place.jailObstacle,
    write: (drafts) => recorder.write(drafts),
    unjailed: (toolUseId) => recorder.record({ kind: 'unjailed', toolUseId }),
  })
  const gate = createGate({
    sessionId,
    cwd,
    home: place.home,
    serverSource: place.serverSource,
    isProgramTool(tool) {
      const name = ownNameOf(tool)
      return name !== null && deps.toolsOf(sessionId).sourceOf(name) === PROGRAM
    },
    inbox,
    agents: deps.agents,
    isBash: place.env['CLAUDE_CODE_SHELL']?.endsWith('/bash') ?? false,
    ...(place.env['PATH'] !== undefined && { path: place.env['PATH'] }),
    jail,
    now: () => new Date(clock.now()).toISOString(),
    current: async () => {
      const { grants } = (await journal.session(sessionId)) ?? session
      return { permissionMode: recorder.mode, grants, policy: await deps.policyFor(session) }
    },
    judged,
    modeChosen: (mode, by) => recorder.record({ kind: 'mode', mode, by }),
  })
  const hooks = new SessionHooks({
    ...deps.hooks,
    cwd,
    source,
    ids,
    mark,
    write: (drafts) => recorder.write(drafts),
    ran: (toolUseId, durationMs) => recorder.record({ kind: 'ran', toolUseId, durationMs }),
    hasCompleted: (toolUseId) => completed.has(toolUseId),
    afterCall: (event) => jail.after(event),
  })
  const hookedGate = createHookedGate({
    gate,
    hooks,
    requested: (call) => recorder.record({ kind: 'requested', call }),
    changed: (toolUseId, input) => recorder.record({ kind: 'changed', toolUseId, input }),
    judged,
  })
  const preToolUse: ClaudeCallbacks['preToolUse'] = async (call, signal) => {
    const fresh = deps.secrets.learn(await secretsTouched(call.input, call.cwd ?? cwd), 'file')
    if (fresh.length > 0) await deps.store.addSecrets(sessionId, fresh, 'file')
    const decision = await hookedGate(call, signal)
    if (decision.decision !== 'allow' || (await recorder.isStored())) return decision
    return { ...decision, decision: 'deny', reason: NOT_STORED }
  }
  // No tool starts whose verdict is not stored.
  const canUseTool: ClaudeCallbacks['canUseTool'] = async (call) => {
    const reply = await gate.canUseTool(call)
    return !reply.allow || (await recorder.isStored()) ? reply : { allow: false, message: NOT_STORED }
  }
  const callTool = createSessionTools({
    registry: () => deps.toolsOf(sessionId),
    sessionId,
    workspace: cwd,
    clock,
    log: deps.toolLog,
    onProgress({ toolUseId, text }) {
      if (toolUseId !== null) recorder.write([{ type: 'tool.progressed', data: { toolUseId, text } }])
    },
    async onCompletion({ toolUseId, result, success }) {
      recorder.write([{ type: 'completion.recorded', data: { toolUseId, result, success } }])
      await recorder.settled()
      completed.add(toolUseId)
    },
  })
  const hook: ClaudeCallbacks['hook'] = (event, input, signal) => hooks.answer(event, input, signal)
  const elicit = createElicit({ sessionId, inbox })
  return { hooks, jail, mayRead: gate.mayRead, callbacks: { preToolUse, canUseTool, elicit, hook, callTool } }
}

export class LiveSession {
  readonly id: string
  /** The caller's own id of the conversation; it can change while the process lives. */
  externalId: string | null
  readonly claude: Claude
  /** Settles when the process is gone and everything about it is stored. */
  readonly ended: Promise<Ending>
  readonly #recorder: Recorder
  readonly #hooks: SessionHooks
  readonly #deps: LiveSessionDeps & Pick<Gate, 'mayRead'> & Pick<Opening, 'isCancelled'>
  readonly #outbox: Outbox
  readonly #onActivity: () => void
  readonly #cwd: string
  /** As last written. */
  #branch: string | null
  /** Why it is being ended, where that is on purpose. */
  #purpose: { kind: 'stopped' | 'suspended' | 'parked'; reason: string } | null = null
  #hasEnded = false
  #hasSpoken = false
  #expectsTurn = false
  readonly #startWatch: StartWatch
  readonly #failedServers: FailedServers
  /** Why it was given up, where it did not react. */
  #hung: string | null = null
  #isResponding = true

  constructor(
    { id, externalId, cwd, branch }: Session,
    claude: Claude,
    recorder: Recorder,
    hooks: SessionHooks,
    deps: LiveSessionDeps &
      Pick<Gate, 'mayRead'> &
      Pick<Opening, 'isCancelled'> & { jailInForce: JailInForce | null },
    onActivity: () => void,
  ) {
    this.id = id
    this.externalId = externalId
    this.#cwd = cwd
    this.#branch = branch
    this.#hooks = hooks
    this.claude = claude
    this.#recorder = recorder
    this.#deps = deps
    this.#onActivity = onActivity
    this.#outbox = new Outbox({
      isBusy: () => recorder.isBusy,
      hasTurn: () => recorder.hasTurn,
      interrupt: () => this.interrupt(),
      isCancelled: (messageId) => deps.isCancelled(messageId),
      handOver: (message) => this.#handOver(message),
    })
    this.#startWatch = new StartWatch({
      clock: deps.clock,
      write: (drafts) => recorder.write(drafts),
      giveUp: (reason) => this.#giveUp(reason),
    })
    this.#failedServers = new FailedServers({
      inspect: () => claude.inspect('mcp'),
      write: (drafts) => recorder.write(drafts),
      hasEnded: () => this.#hasEnded,
    })
    const { jailInForce: jail } = deps
    recorder.write([{ type: 'session.changed', data: { process: 'live', ...(jail && { jail }) } }])
    this.#noteBranch()
    this.ended = this.#run()
  }

  async send(message: OutgoingMessage): Promise<void> {
    await this.#outbox.add({ ...message, isVerbatim: await isVerbatim(message, this.#deps.mayRead) })
  }

  #handOver({ messageId, text, content, isVerbatim: asWritten = true }: OutgoingMessage): void {
    // It stays queued, for the next process.
    if (this.#hasEnded || this.isEnding) return
    const message = {
      uuid: uuidOf(messageId),
      content: content ?? text,
      ...(asWritten && { isVerbatim: true as const }),
    }
    // Send first: a user waits for the answer, and the bookkeeping can follow.
    this.claude.send(message)
    this.#startWatch.begin()
    this.#recorder.record({ kind: 'sent', messageId })
    this.#deps.sdkLog.write(this, 'input', message)
  }

  /** Whether the process was given this message and has not read it. */
  hasSent(messageId: string): boolean {
    return this.#recorder.hasSent(messageId)
  }

  /** Whether this message waits for the running turn to end. */
  isHolding(messageId: string): boolean {
    return this.#outbox.isHeld(messageId)
  }

  /** As if this message had never been handed in; only while it was not sent. */
  forget(messageId: string): void {
    this.#outbox.forget(messageId)
  }

  /**
   * Asks Claude Code to cancel a message that it was given. `unread`: the process ended first. Race: the request can
   * overtake the message (2.1.325). It is then refused, and the message is cancelled when it arrives.
   */
  async cancelSent(messageId: string, reason: string): Promise<MessageEnd | 'unread'> {
    const end = this.#recorder.endOf(messageId)
    this.#recorder.record({ kind: 'cancelling', messageId, reason })
    try {
      // A process that is killed meanwhile may never answer.
      const isEnded = this.ended.then(() => false)
      if (await Promise.race([this.claude.cancel(uuidOf(messageId)), isEnded]))
        this.#recorder.record({ kind: 'cancelled', messageId })
    } catch (error) {
      // A process that says nothing in time. One that refuses because it ends is waited for below.
      if (error instanceof HubError) throw error
    }
    const how = await this.#within(CONTROL_MS, Promise.race([end, this.ended.then(() => 'unread' as const)]))
    await this.#recorder.settled()
    return how
  }

  #within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
    return new Promise((resolve, reject) => {
      const cancel = this.#deps.clock.after(ms, () => reject(notResponding()))
      work.then(resolve, reject).finally(cancel)
    })
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
    const asked = this.claude.interrupt().then(
      () => 'done' as const,
      () => 'refused' as const,
    )
    const late = new AbortController()
    const answer = await Promise.race([
      asked,
      this.ended,
      wait(INTERRUPT_MS, 'late' as const, { signal: late.signal }),
    ])
    late.abort()
    if (answer !== 'late' && answer !== 'refused') return
    // A process that refuses is about to end, which stops the turn as well; one that says nothing may be stuck.
    if (answer === 'refused' && (await Promise.race([this.ended, wait(INTERRUPT_MS, null)]))) return
    throw notResponding()
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
        this.#noteResponding(true)
        this.#recorder.record({ kind: 'sdk', message })
        this.#deps.sdkLog.write(this, 'output', message)
        if (mayHaveActed(message)) this.#noteBranch()
        if (this.#recorder.hasTurn) this.#expectsTurn = false
        this.#outbox.release()
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
    return this.#tellEnd(error, lastWords, isUseful)
  }

  #giveUp(reason: string): void {
    this.#hung = reason
    this.claude.kill().catch(this.#deps.onFault)
  }

  /** Asks a process that has been silent in its work whether it still reacts, and says so in the session. */
  async probe(): Promise<void> {
    const reacts = await this.claude.inspect('mcp').then(
      () => true,
      () => false,
    )
    if (!this.#hasEnded) this.#noteResponding(reacts)
  }

  #noteResponding(isResponding: boolean): void {
    if (isResponding === this.#isResponding) return
    this.#isResponding = isResponding
    const condition = isResponding ? null : ('not_responding' as const)
    this.write([{ type: 'session.changed', data: { condition } }])
    if (isResponding) return
    const text = 'Claude Code is not responding. Stop the session to end its process.'
    this.write([{ type: 'notice.raised', data: { level: 'warning', topic: 'not_responding', text } }])
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

  /** Ends our hooks, and those of the CLI for which no end will be reported. */
  async #endHooks(): Promise<void> {
    try {
      await this.#hooks.end()
      await this.#recorder.settled()
      const session = await this.#deps.journal.session(this.id)
      const ends = session ? hookEnds(session, 'The session ended while it ran.') : []
      if (ends.length > 0) this.write(ends)
    } catch (error) {
      this.#deps.onFault(error)
    }
  }

  async #closeRequests(purpose: { kind: string; reason: string } | null): Promise<void> {
    const { inbox, onFault } = this.#deps
    try {
      if (purpose === null) await inbox.park(this.id, 'Claude Code ended before anybody answered.')
      else if (purpose.kind === 'suspended') await inbox.park(this.id, purpose.reason)
      else await inbox.withdraw(this.id, purpose.reason)
    } catch (error) {
      onFault(error)
    }
  }

  async #tellEnd(error: string, lastWords: string, isUseful: boolean): Promise<Ending> {
    const purpose = this.#purpose
    await this.#endHooks()
    await this.#closeRequests(purpose)
    this.#recorder.record({
      kind: 'closed',
      stopReason: purpose ? 'interrupted' : 'crashed',
      errors: purpose ? [] : [error, lastWords].filter((text) => text !== ''),
    })
    this.write([
      { type: 'session.changed', data: { process: purpose?.kind === 'parked' ? 'parked' : 'none' } },
    ])
    await this.#recorder.settled()
    if (purpose) return { kind: purpose.kind === 'parked' ? 'parked' : 'stopped' }
    return { kind: 'crashed', isUseful, isHung: this.#hung !== null, error, lastWords }
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
