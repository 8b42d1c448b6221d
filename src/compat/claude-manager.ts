/** `ClaudeManager`: sessions by an id of the caller's, one callback for everything that happens in them. */

import { speak } from '../dialect/dialect.js'
import { type ManagerEvent, type ManagerState, managerDialect } from '../dialect/manager.js'
import type { Session } from '../library/session.js'
import { homeOf, type Signalbox, type SignalboxOptions } from '../library/signalbox.js'
import { HubError } from '../protocol/error.js'
import type { Delta, SessionEvent } from '../protocol/event.js'
import type { Answer } from '../protocol/request.js'
import type { Decision } from '../protocol/request-event.js'
import type { Answers, PermissionMode, Question } from '../protocol/value.js'
import { ManagerSession } from './manager-session.js'
import { type BoxLease, leaseBox } from './shared-box.js'
import { stopTurn } from './stop-turn.js'

export interface ClaudeManagerOptions extends SignalboxOptions {
  permissionMode?: PermissionMode
  model?: string
  /** Whether what a working folder brings along (`.mcp.json`, settings) may act. The caller names the folders itself. */
  trustWorkspaces?: boolean
}

export interface SendMessageOptions {
  workingDir?: string
  /** Goes on with this conversation of Claude's. Without it a new one begins. */
  claudeSessionId?: string
  permissionMode?: PermissionMode
}

/** A request that waits for `respondPermission` or `respondQuestion`. */
export interface PendingRequest {
  readonly sessionId: string
  readonly requestId: string
  readonly event: ManagerEvent
  readonly questions: readonly Question[]
}

export class ClaudeManager {
  readonly sessions = new Map<string, ManagerSession>()
  readonly pendingPermissions = new Map<string, PendingRequest>()
  readonly pendingQuestions = new Map<string, PendingRequest>()
  /** What a client that connects again must be shown first, by session. */
  readonly pendingEvents = new Map<string, ManagerEvent>()
  readonly #onEvent: (sessionId: string, event: ManagerEvent) => void
  readonly #options: ClaudeManagerOptions
  #lease: BoxLease | null = null
  /** What stopped runs still do: the next run of a session waits for it. */
  readonly #endings = new Map<string, Promise<void>>()
  /** How each conversation was announced: a live process does not say it again. */
  readonly #inits = new Map<string, ManagerEvent>()

  constructor(onEvent: (sessionId: string, event: ManagerEvent) => void, options: ClaudeManagerOptions = {}) {
    this.#onEvent = onEvent
    this.#options = options
  }

  /** Resolves when the turn has ended, however it ended: failures are told as events. */
  async sendMessage(sessionId: string, message: string, options: SendMessageOptions = {}): Promise<void> {
    if (this.sessions.has(sessionId)) this.stop(sessionId)
    const run = new ManagerSession(options.claudeSessionId ?? null)
    run.abortController.signal.addEventListener('abort', () => this.#abandon(sessionId, run), { once: true })
    this.sessions.set(sessionId, run)
    this.#onEvent(sessionId, { type: 'state', state: 'working' })
    try {
      await this.#run(sessionId, run, message, options)
    } catch (error) {
      if (!run.abortController.signal.aborted)
        this.#onEvent(sessionId, { type: 'error', error: messageOf(error) })
    } finally {
      this.#forget(sessionId, run)
    }
  }

  /** Returns at once; the process is made to stop behind it. */
  stop(sessionId: string): void {
    this.sessions.get(sessionId)?.abortController.abort()
  }

  /** The next message begins afresh. */
  newSession(sessionId: string): void {
    this.stop(sessionId)
    this.pendingEvents.delete(sessionId)
  }

  respondPermission(sessionId: string, toolUseId: string, decision: Decision): void {
    const pending = this.pendingPermissions.get(toolUseId)
    if (pending?.sessionId !== sessionId) return
    this.#answer(pending, decision === 'deny' ? { decision, message: 'User denied' } : { decision })
  }

  /** One text or several options answer the first question; a record answers each by its text. */
  respondQuestion(sessionId: string, toolUseId: string, answer: string | string[] | Answers): void {
    const pending = this.pendingQuestions.get(toolUseId)
    if (pending?.sessionId !== sessionId) return
    const isOne = typeof answer === 'string' || Array.isArray(answer)
    const [first] = pending.questions
    this.#answer(pending, { answers: isOne ? { [first?.question ?? '']: answer } : answer })
  }

  /** Ends every process of this manager. */
  async close(): Promise<void> {
    for (const sessionId of this.sessions.keys()) this.stop(sessionId)
    await Promise.all(this.#endings.values())
    await this.#lease?.release()
    this.#lease = null
  }

  async #run(
    sessionId: string,
    run: ManagerSession,
    message: string,
    options: SendMessageOptions,
  ): Promise<void> {
    const { signal } = run.abortController
    await this.#endings.get(sessionId)
    const session = await this.#open(await this.#box(), options)
    run.query = session
    if (signal.aborted) return
    const { messageId } = await session.send(message, { whenBusy: 'replace' })
    const tell = speak(managerDialect)
    let isOurs = false
    let hasInit = false
    let told: ManagerState = 'working'
    for await (const event of session.stream()) {
      if (signal.aborted) return
      isOurs ||= event.type === 'turn.started' && event.data.messageIds.includes(messageId)
      // The end of a turn that was stopped for this one is not told again.
      if (!isOurs && !TOLD_BEFORE.has(event.type)) continue
      const known = event.type === 'turn.started' && !hasInit ? this.#inits.get(session.id) : undefined
      const events = [...tell(event), ...(known ? [known] : [])]
      run.note(event, events)
      this.#notePending(sessionId, event, events)
      for (const theirs of events) {
        if (theirs.type === 'init') {
          hasInit = true
          this.#inits.set(session.id, theirs)
        }
        if (theirs.type === 'state') {
          // The beginning and the end of a run are told by the run itself.
          if (theirs.state === told || theirs.state === 'idle') continue
          told = theirs.state
        }
        this.#onEvent(sessionId, theirs)
      }
    }
  }

  async #open(box: Signalbox, options: SendMessageOptions): Promise<Session> {
    const { workingDir: cwd = process.cwd(), claudeSessionId } = options
    const permissionMode = options.permissionMode ?? this.#options.permissionMode
    const { model, trustWorkspaces = true } = this.#options
    if (trustWorkspaces) await box.trust(cwd)
    if (claudeSessionId === undefined) {
      return box.sessions.create({
        cwd,
        ...(permissionMode && { permissionMode }),
        ...(model !== undefined && { model }),
      })
    }
    const session = await box.sessions.resume(claudeSessionId)
    if (permissionMode) await session.change({ permissionMode })
    return session
  }

  #box(): Promise<Signalbox> {
    this.#lease ??= leaseBox({
      ...this.#options,
      home: homeOf(this.#options, 'manager'),
      // Nothing is kept ready, and what is idle ends soon: a program that has nothing more to do can end.
      config: { policy: 'classic', warm: 0, parkAfterMs: 5_000, ...this.#options.config },
    })
    return this.#lease.box
  }

  #notePending(sessionId: string, event: SessionEvent | Delta, told: readonly ManagerEvent[]): void {
    if (event.type === 'permission.requested' || event.type === 'question.requested') {
      const [theirs] = told
      if (theirs?.type !== 'permission_request' && theirs?.type !== 'askQuestion') return
      const isQuestion = theirs.type === 'askQuestion'
      const pending = {
        sessionId,
        requestId: event.data.requestId,
        event: theirs,
        questions: isQuestion ? theirs.questions : [],
      }
      const place = isQuestion ? this.pendingQuestions : this.pendingPermissions
      place.set(theirs.toolUseId, pending)
      this.pendingEvents.set(sessionId, theirs)
    }
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.#settle(sessionId, ({ requestId }) => requestId === event.data.requestId)
    }
  }

  #settle(sessionId: string, isSettled: (pending: PendingRequest) => boolean): void {
    for (const place of [this.pendingPermissions, this.pendingQuestions]) {
      for (const [toolUseId, pending] of place) {
        if (pending.sessionId !== sessionId || !isSettled(pending)) continue
        place.delete(toolUseId)
        if (this.pendingEvents.get(sessionId) === pending.event) this.pendingEvents.delete(sessionId)
      }
    }
  }

  #answer({ sessionId, requestId }: PendingRequest, answer: Answer): void {
    this.#box()
      .then((box) => box.inbox.answer(requestId, answer))
      .catch((error: unknown) => {
        // Somebody was quicker: the run goes on with that answer.
        if (error instanceof HubError && error.code === 'request_already_resolved') return
        this.#onEvent(sessionId, { type: 'error', error: messageOf(error) })
      })
  }

  /** Forgets a run at once, whatever its process does. Interrupting it also denies what it has asked. */
  #abandon(sessionId: string, run: ManagerSession): void {
    const { query } = run
    if (query) {
      const ending = stopTurn(query).finally(() => this.#endings.delete(sessionId))
      this.#endings.set(sessionId, ending)
    }
    this.#forget(sessionId, run)
  }

  #forget(sessionId: string, run: ManagerSession): void {
    if (this.sessions.get(sessionId) !== run) return
    this.sessions.delete(sessionId)
    this.#settle(sessionId, () => true)
    this.#onEvent(sessionId, { type: 'state', state: 'idle' })
  }
}

const TOLD_BEFORE: ReadonlySet<string> = new Set(['session.started', 'session.ended', 'error.raised'])

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
