/** `ClaudeManager`: sessions by an id of the caller's, one callback for everything that happens in them. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ManagerEvent } from '../dialect/manager.js'
import type { Session } from '../embed/session.js'
import { homeOf, type Signalbox, type SignalboxOptions, warn } from '../embed/signalbox.js'
import { groupBy } from '../lib/group-by.js'
import { HubError } from '../protocol/error.js'
import type { Decision } from '../protocol/event/request-event.js'
import type { Answer, InboxRequest } from '../protocol/request.js'
import type { Answers, PermissionMode } from '../protocol/value.js'
import { ManagerSession } from './manager-session.js'
import { ConversationOpenings } from './open-conversation.js'
import {
  askingEventOf,
  type ConversationId,
  type PendingRequest,
  PendingRequests,
} from './pending-request.js'
import { RunReport } from './run-report.js'
import { leaseSignalbox, type SignalboxLease } from './shared-signalbox.js'
import { stopTurn } from './stop-turn.js'

export interface ClaudeManagerOptions extends SignalboxOptions {
  permissionMode?: PermissionMode
  model?: string
  /** Whether what a working folder brings along (`.mcp.json`, settings) may act. The caller names the folders itself. */
  trustWorkspaces?: boolean
}

export interface SendMessageOptions {
  workingDir?: string
  /** Resumes this conversation of Claude's. Without it a new one begins. */
  claudeSessionId?: string
  permissionMode?: PermissionMode
}

export class ClaudeManager<Id extends ConversationId = string> {
  readonly sessions = new Map<Id | string, ManagerSession>()
  readonly #pending = new PendingRequests<Id>()
  readonly pendingPermissions: Map<string, PendingRequest<Id>> = this.#pending.permissions
  readonly pendingQuestions: Map<string, PendingRequest<Id>> = this.#pending.questions
  /** The event to replay first to a client that reconnects, by session. */
  readonly pendingEvents: Map<string | Id, ManagerEvent> = this.#pending.events
  readonly #callback: (sessionId: Id | string, event: ManagerEvent) => void
  readonly #options: ClaudeManagerOptions
  #lease: SignalboxLease | null = null
  /** Stopped runs that have not finished yet: the next run of the session waits for them. */
  readonly #endings = new Map<Id | string, Promise<void>>()
  readonly #report: RunReport<Id>
  readonly #openings = new ConversationOpenings()
  /** Ends the waiting of each `sendMessage` when the manager is closed. */
  readonly #leaves = new Set<() => void>()
  /** Resolves when the requests that an earlier process of this home has left open are in the maps. Never rejects. */
  readonly ready: Promise<void>

  constructor(
    onEvent: (sessionId: Id | string, event: ManagerEvent) => void,
    options: ClaudeManagerOptions = {},
  ) {
    this.#callback = onEvent
    this.#options = options
    this.#report = new RunReport({
      pending: this.#pending,
      onEvent: (sessionId, event) => this.#onEvent(sessionId, event),
    })
    this.ready = this.#hasEarlierLog() ? this.#loadPending() : Promise.resolve()
  }

  /** Resolves when the turn has ended, however it ended: failures are reported as events. */
  async sendMessage(
    sessionId: Id | string,
    message: string,
    options: SendMessageOptions = {},
  ): Promise<void> {
    if (typeof sessionId !== 'string' && typeof sessionId !== 'number')
      throw new HubError('request_invalid', 'The id of a conversation is a string or a number.')
    this.stop(sessionId)
    const run = this.#begin(sessionId, options.claudeSessionId ?? null)
    this.#onEvent(sessionId, { type: 'state', state: 'working' })
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    this.#leaves.add(leave)
    try {
      await Promise.race([this.#run(sessionId, run, message, options), left])
    } catch (error) {
      if (!run.abortController.signal.aborted)
        this.#onEvent(sessionId, { type: 'error', error: messageOf(error) })
    } finally {
      this.#leaves.delete(leave)
      this.#forget(sessionId, run)
    }
  }

  /** Returns at once; the process is made to stop behind it. Denies what waits. */
  stop(sessionId: Id | string): void {
    this.#runOf(sessionId)?.abortController.abort()
  }

  /** The next message begins afresh. */
  newSession(sessionId: Id | string): void {
    this.stop(sessionId)
    this.pendingEvents.delete(sessionId)
  }

  respondPermission(sessionId: Id | string, toolUseId: string, decision: Decision): void {
    const pending = this.pendingPermissions.get(toolUseId)
    if (!pending || !isSame(pending.sessionId, sessionId)) return
    this.#answer(pending, decision === 'deny' ? { decision, message: 'User denied' } : { decision })
  }

  /** One text or several options answer the first question; a record answers each by its text. */
  respondQuestion(sessionId: Id | string, toolUseId: string, answer: string | string[] | Answers): void {
    const pending = this.pendingQuestions.get(toolUseId)
    if (!pending || !isSame(pending.sessionId, sessionId)) return
    const isOne = typeof answer === 'string' || Array.isArray(answer)
    const [first] = pending.questions
    this.#answer(pending, { answers: isOne ? { [first?.question ?? '']: answer } : answer })
  }

  /**
   * Ends every process of this manager. Requests that wait are not denied: they stay open in the home, and the next
   * manager there loads them, as after a crash. To deny them, call `stop` first.
   */
  async close(): Promise<void> {
    await this.ready
    for (const [sessionId, run] of this.sessions) {
      if (this.#pending.isWaiting(sessionId)) run.query = null
      this.stop(sessionId)
    }
    await Promise.all(this.#endings.values())
    await this.#lease?.release()
    this.#lease = null
    // With a Signalbox that another manager uses too, a turn that waits has not ended.
    for (const leave of this.#leaves) leave()
  }

  /** An error thrown by the callback must not end a run, or the process. */
  #onEvent(sessionId: Id | string, event: ManagerEvent): void {
    try {
      this.#callback(sessionId, event)
    } catch (error) {
      const { onFault = warn } = this.#options
      onFault(error)
    }
  }

  #runOf(sessionId: Id | string): ManagerSession | undefined {
    const run = this.sessions.get(sessionId)
    if (run) return run
    const [, restored] = [...this.sessions].find(([id]) => isSame(id, sessionId)) ?? []
    return restored
  }

  async #run(
    sessionId: Id | string,
    run: ManagerSession,
    message: string,
    options: SendMessageOptions,
  ): Promise<void> {
    const { signal } = run.abortController
    await this.ready
    await this.#endings.get(sessionId)
    if (signal.aborted) return
    const { model, trustWorkspaces = true } = this.#options
    const conversation = {
      id: sessionId,
      cwd: options.workingDir ?? process.cwd(),
      claudeSessionId: options.claudeSessionId,
      permissionMode: options.permissionMode ?? this.#options.permissionMode,
      model,
      trustWorkspaces,
    }
    const session = await this.#openings.open(conversation, () => this.#signalbox())
    run.query = session
    if (signal.aborted) return
    const { messageId } = await session.send(message, { whenBusy: 'replace' })
    // The end of a turn that was stopped for this one is not reported again.
    let isOurs = false
    await this.#report.follow(sessionId, run, session, 'working', (event) => {
      isOurs ||= event.type === 'turn.started' && event.data.messageIds.includes(messageId)
      return isOurs || TOLD_BEFORE.has(event.type)
    })
  }

  /** The database of the home; where there is none, nothing is opened before the first message. */
  #hasEarlierLog(): boolean {
    return existsSync(join(homeOf(this.#options, 'manager'), 'signalbox.db'))
  }

  async #loadPending(): Promise<void> {
    try {
      const signalbox = await this.#signalbox()
      const pending = groupBy(await signalbox.inbox.pending(), ({ sessionId }) => sessionId)
      for (const [id, requests] of pending) {
        const session = await signalbox.sessions.get(id)
        const { externalId, claudeSessionId } = await session.snapshot()
        // A message that was sent meanwhile ends the earlier session.
        if (externalId === null || this.#runOf(externalId)) continue
        const run = this.#begin(externalId, claudeSessionId)
        run.query = session
        void this.#goOn(externalId, run, session, requests)
      }
    } catch {
      // The next message says why the home cannot be used.
      this.#lease = null
    }
  }

  /** Follows a session that an earlier process has left with open requests. */
  async #goOn(
    sessionId: Id | string,
    run: ManagerSession,
    session: Session,
    requests: readonly InboxRequest[],
  ): Promise<void> {
    for (const request of requests) {
      const event = askingEventOf(request)
      this.#pending.add(sessionId, request.id, event)
      this.#onEvent(sessionId, event)
    }
    this.#onEvent(sessionId, { type: 'state', state: 'permission' })
    try {
      // Recovery may end the turn of the earlier process only now.
      do await this.#report.follow(sessionId, run, session, 'permission')
      while (this.#pending.isWaiting(sessionId) && !run.abortController.signal.aborted)
    } catch (error) {
      if (!run.abortController.signal.aborted)
        this.#onEvent(sessionId, { type: 'error', error: messageOf(error) })
    } finally {
      this.#forget(sessionId, run)
    }
  }

  #begin(sessionId: Id | string, claudeSessionId: string | null): ManagerSession {
    const run = new ManagerSession(claudeSessionId)
    run.abortController.signal.addEventListener('abort', () => this.#abandon(sessionId, run), { once: true })
    this.sessions.set(sessionId, run)
    return run
  }

  #signalbox(): Promise<Signalbox> {
    this.#lease ??= leaseSignalbox({
      ...this.#options,
      home: homeOf(this.#options, 'manager'),
      logsCallerIds: true,
      // Nothing is kept ready, and what is idle ends soon: a program that has nothing more to do can end.
      config: { policy: 'classic', warm: 0, parkAfterMs: 5_000, ...this.#options.config },
    })
    return this.#lease.signalbox
  }

  #answer({ sessionId, requestId }: PendingRequest<Id>, answer: Answer): void {
    this.#signalbox()
      .then((signalbox) => signalbox.inbox.answer(requestId, answer))
      .catch((error: unknown) => {
        // Race: another client answered first. The run continues with that answer.
        if (error instanceof HubError && error.code === 'request_already_resolved') return
        this.#onEvent(sessionId, { type: 'error', error: messageOf(error) })
      })
  }

  /** Forgets a run at once, whatever its process does. Interrupting it also denies what it has asked. */
  #abandon(sessionId: Id | string, run: ManagerSession): void {
    const { query } = run
    if (query) {
      const ending = stopTurn(query).finally(() => this.#endings.delete(sessionId))
      this.#endings.set(sessionId, ending)
    }
    this.#forget(sessionId, run)
  }

  #forget(sessionId: Id | string, run: ManagerSession): void {
    if (this.sessions.get(sessionId) !== run) return
    this.sessions.delete(sessionId)
    this.#pending.forget(sessionId)
    this.#onEvent(sessionId, { type: 'state', state: 'idle' })
  }
}

/** An id that was stored is a text: a number of the caller's means the same conversation. */
function isSame(one: ConversationId, other: ConversationId): boolean {
  return String(one) === String(other)
}

const TOLD_BEFORE: ReadonlySet<string> = new Set(['session.started', 'session.ended', 'error.raised'])

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
