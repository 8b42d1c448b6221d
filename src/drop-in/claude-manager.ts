/** `ClaudeManager`: sessions by an id of the caller's, one callback for everything that happens in them. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { speak } from '../dialect/dialect.js'
import { type ManagerEvent, type ManagerState, managerDialect } from '../dialect/manager.js'
import type { Session } from '../embed/session.js'
import { homeOf, type Signalbox, type SignalboxOptions, warn } from '../embed/signalbox.js'
import { groupBy } from '../lib/group-by.js'
import { EXTERNAL_ID } from '../protocol/choice.js'
import { HubError } from '../protocol/error.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { Decision } from '../protocol/event/request-event.js'
import type { Answer, InboxRequest } from '../protocol/request.js'
import type { Answers, PermissionMode, Question } from '../protocol/value.js'
import { ManagerSession } from './manager-session.js'
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

/** A caller's own id of a conversation. One that was stored by an earlier process comes back as text. */
type ConversationId = string | number

/** A request that waits for `respondPermission` or `respondQuestion`. */
export interface PendingRequest<Id extends ConversationId = string> {
  readonly sessionId: Id | string
  readonly requestId: string
  readonly event: ManagerEvent
  readonly questions: readonly Question[]
}

export class ClaudeManager<Id extends ConversationId = string> {
  readonly sessions = new Map<Id | string, ManagerSession>()
  readonly pendingPermissions = new Map<string, PendingRequest<Id>>()
  readonly pendingQuestions = new Map<string, PendingRequest<Id>>()
  /** The event to replay first to a client that reconnects, by session. */
  readonly pendingEvents = new Map<Id | string, ManagerEvent>()
  readonly #callback: (sessionId: Id | string, event: ManagerEvent) => void
  readonly #options: ClaudeManagerOptions
  #lease: SignalboxLease | null = null
  /** Stopped runs that have not finished yet: the next run of the session waits for them. */
  readonly #endings = new Map<Id | string, Promise<void>>()
  /** How each conversation was announced: a live process does not say it again. */
  readonly #inits = new Map<string, ManagerEvent>()
  /** Sessions that are being opened, by id: the next message of the same id waits. */
  readonly #openings = new Map<Id | string, Promise<Session>>()
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
      if (this.#isWaiting(sessionId)) run.query = null
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
    const session = await this.#openInTurn(sessionId, options)
    run.query = session
    if (signal.aborted) return
    const { messageId } = await session.send(message, { whenBusy: 'replace' })
    // The end of a turn that was stopped for this one is not reported again.
    let isOurs = false
    await this.#tell(sessionId, run, session, 'working', (event) => {
      isOurs ||= event.type === 'turn.started' && event.data.messageIds.includes(messageId)
      return isOurs || TOLD_BEFORE.has(event.type)
    })
  }

  /** Passes on what happens in a session until its turn ends. */
  async #tell(
    sessionId: Id | string,
    run: ManagerSession,
    session: Session,
    state: ManagerState,
    isOurs: (event: SessionEvent | Delta) => boolean = () => true,
  ): Promise<void> {
    const { signal } = run.abortController
    const tell = speak(managerDialect)
    let hasInit = false
    let told = state
    for await (const event of session.stream()) {
      if (signal.aborted) return
      if (!isOurs(event)) continue
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
          // The run itself reports its beginning and its end.
          if (theirs.state === told || theirs.state === 'idle') continue
          told = theirs.state
        }
        this.#onEvent(sessionId, theirs)
      }
    }
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
      const event = eventOf(request)
      this.#addPending(sessionId, request.id, event)
      this.#onEvent(sessionId, event)
    }
    this.#onEvent(sessionId, { type: 'state', state: 'permission' })
    try {
      // Recovery may end the turn of the earlier process only now.
      do await this.#tell(sessionId, run, session, 'permission')
      while (this.#isWaiting(sessionId) && !run.abortController.signal.aborted)
    } catch (error) {
      if (!run.abortController.signal.aborted)
        this.#onEvent(sessionId, { type: 'error', error: messageOf(error) })
    } finally {
      this.#forget(sessionId, run)
    }
  }

  #isWaiting(sessionId: Id | string): boolean {
    const all = [...this.pendingPermissions.values(), ...this.pendingQuestions.values()]
    return all.some((pending) => pending.sessionId === sessionId)
  }

  #begin(sessionId: Id | string, claudeSessionId: string | null): ManagerSession {
    const run = new ManagerSession(claudeSessionId)
    run.abortController.signal.addEventListener('abort', () => this.#abandon(sessionId, run), { once: true })
    this.sessions.set(sessionId, run)
    return run
  }

  /** Race: two messages of one id must not open two sessions at once, for one of them would be refused. */
  async #openInTurn(sessionId: Id | string, options: SendMessageOptions): Promise<Session> {
    const before = this.#openings.get(sessionId)
    const opening = Promise.resolve(before?.catch(() => {})).then(async () =>
      this.#open(await this.#signalbox(), sessionId, options),
    )
    this.#openings.set(sessionId, opening)
    try {
      return await opening
    } finally {
      if (this.#openings.get(sessionId) === opening) this.#openings.delete(sessionId)
    }
  }

  async #open(signalbox: Signalbox, sessionId: Id | string, options: SendMessageOptions): Promise<Session> {
    const { workingDir: cwd = process.cwd(), claudeSessionId } = options
    const externalId = EXTERNAL_ID.test(String(sessionId)) ? String(sessionId) : undefined
    const permissionMode = options.permissionMode ?? this.#options.permissionMode
    const { model, trustWorkspaces = true } = this.#options
    if (trustWorkspaces) await signalbox.trust(cwd)
    if (externalId !== undefined) await endOthers(signalbox, externalId, claudeSessionId)
    if (claudeSessionId === undefined) {
      return signalbox.sessions.create({
        cwd,
        ...(externalId !== undefined && { externalId }),
        ...(permissionMode && { permissionMode }),
        ...(model !== undefined && { model }),
      })
    }
    const [known] = await signalbox.sessions.list({ claudeSessionId, kind: 'managed', limit: 1 })
    // First, so that one that has ended is not refused because of the id it had.
    if (known && externalId !== undefined && known.externalId !== externalId)
      await (await signalbox.sessions.get(known.id)).change({ externalId })
    const session = await signalbox.sessions.resume(claudeSessionId)
    if (!known && externalId !== undefined) await session.change({ externalId })
    if (permissionMode) await session.change({ permissionMode })
    return session
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

  #notePending(sessionId: Id | string, event: SessionEvent | Delta, told: readonly ManagerEvent[]): void {
    if (event.type === 'permission.requested' || event.type === 'question.requested') {
      const [theirs] = told
      if (theirs?.type !== 'permission_request' && theirs?.type !== 'askQuestion') return
      this.#addPending(sessionId, event.data.requestId, theirs)
    }
    if (event.type === 'permission.resolved' || event.type === 'question.resolved') {
      this.#settle(sessionId, ({ requestId }) => requestId === event.data.requestId)
    }
  }

  #addPending(sessionId: Id | string, requestId: string, event: AskingEvent): void {
    const isQuestion = event.type === 'askQuestion'
    const place = isQuestion ? this.pendingQuestions : this.pendingPermissions
    place.set(event.toolUseId, { sessionId, requestId, event, questions: isQuestion ? event.questions : [] })
    this.pendingEvents.set(sessionId, event)
  }

  #settle(sessionId: Id | string, isSettled: (pending: PendingRequest<Id>) => boolean): void {
    for (const place of [this.pendingPermissions, this.pendingQuestions]) {
      for (const [toolUseId, pending] of place) {
        if (pending.sessionId !== sessionId || !isSettled(pending)) continue
        place.delete(toolUseId)
        if (this.pendingEvents.get(sessionId) === pending.event) this.pendingEvents.delete(sessionId)
      }
    }
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
    this.#settle(sessionId, () => true)
    this.#onEvent(sessionId, { type: 'state', state: 'idle' })
  }
}

/** An id that was stored is a text: a number of the caller's means the same conversation. */
function isSame(one: ConversationId, other: ConversationId): boolean {
  return String(one) === String(other)
}

type AskingEvent = ManagerEvent & { type: 'permission_request' | 'askQuestion' }

function eventOf({ id, kind, toolName, input: toolInput, questions, toolUseId }: InboxRequest): AskingEvent {
  const asked = { toolUseId: toolUseId ?? id }
  return kind === 'question'
    ? { type: 'askQuestion', questions, ...asked }
    : { type: 'permission_request', toolName, toolInput, ...asked }
}

/** A conversation begins afresh: the session that had its id ends. */
async function endOthers(
  signalbox: Signalbox,
  externalId: string,
  claudeSessionId: string | undefined,
): Promise<void> {
  for (const held of await signalbox.sessions.list({ externalId })) {
    if (held.state === 'ended' || held.claudeSessionId === claudeSessionId) continue
    await (await signalbox.sessions.get(held.id)).close()
  }
}

const TOLD_BEFORE: ReadonlySet<string> = new Set(['session.started', 'session.ended', 'error.raised'])

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
