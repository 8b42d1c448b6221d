/**
 * Recovery after a start: closes what the previous run left open, and resumes its sessions. Clients are served meanwhile;
 * a session that a client asks for is recovered first.
 */

import { setTimeout as wait } from 'node:timers/promises'
import type { Clock } from '../../lib/clock.js'
import { Limit } from '../../lib/limit.js'
import type { DataOf, EventDraft } from '../../protocol/event/event.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { type Reason, reason, reasonIn, saying } from '../../protocol/reason/reason.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { storageUnavailable } from '../../protocol/storage.js'
import type { RunnerStore } from '../../store/port/runner-store.js'
import { cutConversation, findConversation } from '../claude/conversation.js'
import { findOpenEnds } from './open-end.js'
import { answerOf, giveUpParked, type ParkedRequestDeps } from './parked-request.js'
import { recoveryDrafts, waitingCalls } from './recovery-drafts.js'
import { RecoveryQueue } from './recovery-queue.js'
import { ResumeGuard } from './resume-guard.js'
import { uncertainForms, uncertainNotices, unusedAnswers } from './unused-answer.js'

/** How long a start waits for the recovery of a few sessions; many are recovered while it serves clients. */
const RECOVER_FIRST_MS = 300
/** How often a client that waits for a session looks whether anything can be stored. */
const LOOK_MS = 100
const RECOVERING = 16

export interface StartupRecoveryDeps extends ParkedRequestDeps {
  store: RunnerStore
  clock: Clock
  /** Only its sessions are recovered: others may be running elsewhere. */
  machine: string
  onRestart: 'continue' | 'ask'
  onFault(error: unknown): void
  /** Runs work of a session behind the work that was given before. */
  behind(sessionId: string, work: () => Promise<void>): Promise<void>
  /** Whether the process of a session runs, or nothing is left to do. */
  hasStarted(sessionId: string): Promise<boolean>
  /** Resumes the turn that was cut off, then delivers queued messages. */
  continueTurn(sessionId: string): void
  /** Delivers queued messages. */
  deliver(sessionId: string): void
}

interface CutOff {
  session: Session
  /** Calls that the agent makes again: they waited for the user, or for an answer that was given. */
  calls: readonly InboxRequest[]
}

export class StartupRecovery {
  readonly #deps: StartupRecoveryDeps
  /** Looking for transcripts opens files: not thousands at once. */
  readonly #recovering = new Limit(RECOVERING)
  readonly #queue = new RecoveryQueue()
  readonly #resumes: ResumeGuard
  /** Sessions as the previous run has left them, until they are resumed. */
  readonly #cutOff = new Map<string, CutOff>()
  #attached: ReadonlySet<string> = new Set()
  /** End of the log that the previous run has written. */
  #upTo = 0
  #closing: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(deps: StartupRecoveryDeps) {
    this.#deps = deps
    this.#resumes = new ResumeGuard(deps)
  }

  /**
   * Finds the sessions to recover. Work that others give a session afterwards waits until it is recovered. `attached`: sessions
   * whose processes still run.
   */
  async prepare(attached: ReadonlySet<string>): Promise<void> {
    const { store } = this.#deps
    this.#attached = attached
    await this.#resumes.load()
    this.#upTo = await store.lastPosition()
    const active = (await store.activeSessions()).filter((id) => !attached.has(id))
    this.#queue.add(active)
    for (const sessionId of active) this.#resumeRecovered(sessionId)
  }

  async start(): Promise<void> {
    const { isLong } = this.#queue
    const isRecovered = this.#queue.run((ids) => this.#recover(ids))
    this.#closing = isRecovered.then(() => this.#closeOpenEnds(this.#upTo)).catch(this.#deps.onFault)
    if (!isLong) await Promise.race([isRecovered, wait(RECOVER_FIRST_MS)])
  }

  async recovered(sessionId: string): Promise<void> {
    const { storage } = this.#deps.store
    const isRecovered = this.#queue.recovered(sessionId)
    while (!this.#queue.isRecovered(sessionId)) {
      if (storage.problem) throw storageUnavailable(storage.problem)
      await Promise.race([isRecovered, wait(LOOK_MS)])
    }
  }

  async recoveredAll(sessionIds: readonly string[]): Promise<boolean> {
    const { storage } = this.#deps.store
    const waiting = sessionIds.filter((id) => !this.#queue.isRecovered(id))
    if (waiting.length === 0) return false
    const areRecovered = Promise.all(waiting.map((id) => this.#queue.looked(id))).then(() => true)
    while (!storage.problem) if (await Promise.race([areRecovered, wait(LOOK_MS, false)])) return true
    return false
  }

  /** A turn of the session has ended: a later crash is not put down to it. */
  wentWell(sessionId: string): void {
    this.#resumes.forget(sessionId)
  }

  /** Nothing more is resumed. */
  stop(): void {
    this.#isStopped = true
    this.#queue.close()
  }

  async idle(): Promise<void> {
    await this.#closing
  }

  /** A daemon that stops has not crashed: its sessions are not counted. */
  async close(): Promise<void> {
    await this.#resumes.close()
  }

  /**
   * Before a client can send or answer: pending requests are parked and open ends are closed, for many
   * sessions in one commit. Work that needs the transcripts of Claude Code comes afterwards, for each session
   * before anything else of it.
   */
  async #recover(sessionIds: readonly string[]): Promise<void> {
    await Promise.all(sessionIds.map((sessionId) => this.#recoverSession(sessionId)))
  }

  /** One session that cannot be recovered does not keep the others from it. */
  async #recoverSession(sessionId: string): Promise<void> {
    const { asker, journal, store } = this.#deps
    try {
      const session = await store.session(sessionId)
      if (!session) return
      await asker.park(session.id, 'Signalbox was restarted before an answer.')
      const unused = await unusedAnswers(session, store)
      const answered = unused.filter(({ mayCountAgain }) => mayCountAgain).map(({ request }) => request.id)
      await asker.parkAnswered(
        session.id,
        answered,
        'Signalbox was restarted before the agent had the answer.',
      )
      const drafts = [
        ...(await this.#damagedRequests(session)),
        ...recoveryDrafts(session),
        ...uncertainNotices(unused),
        ...(await uncertainForms(session, store)),
      ]
      if (drafts.length > 0) await journal.append(session.id, drafts)
      const calls = unused.flatMap(({ request, isUncertain }) => (isUncertain ? [] : [request]))
      this.#cutOff.set(sessionId, { session, calls: [...(await this.#pending(session)), ...calls] })
    } catch (error) {
      await this.#unrecovered(sessionId, error)
    }
  }

  #resumeRecovered(sessionId: string): void {
    this.#deps
      .behind(sessionId, async () => {
        await this.#queue.released(sessionId)
        const left = this.#cutOff.get(sessionId)
        this.#cutOff.delete(sessionId)
        if (left) await this.#recovering.run(() => this.#resumeSession(left))
      })
      .catch((error: unknown) => this.#unrecovered(sessionId, error))
  }

  /** Read before a client can answer them. */
  async #pending({ id, pendingRequests }: Session): Promise<InboxRequest[]> {
    return pendingRequests.length === 0 ? [] : this.#deps.store.requests({ sessionId: id, state: 'pending' })
  }

  /** A request whose row cannot be read cannot be answered: it is denied, and the session says why. */
  async #damagedRequests({ pendingRequests }: Session): Promise<EventDraft[]> {
    const drafts: EventDraft[] = []
    for (const requestId of pendingRequests) {
      if (await this.#deps.store.request(requestId)) continue
      const message = `Request ${requestId} is damaged in the database. It was denied.`
      const data = { requestId, by: 'shutdown', who: null, via: null, reason: message } as const
      drafts.push(
        { type: 'error.raised', data: { code: 'storage_damaged', message } },
        requestId.startsWith('que_')
          ? { type: 'question.resolved', data: { ...data, answers: null } }
          : { type: 'permission.resolved', data: { ...data, decision: 'deny', rule: null, message } },
      )
    }
    return drafts
  }

  async #resumeSession({ session, calls }: CutOff): Promise<void> {
    const { journal, onRestart, continueTurn, deliver } = this.#deps
    if (this.#isStopped) return
    await this.#forgetFailedCalls(session, calls)
    await giveUpParked(session.id, this.#deps)
    if (session.state === 'ended') return
    if (session.stopping) return this.#end(session.id, session.stopping)
    if (session.parentToolUseId !== null) return this.#endForsaken(session.id)
    const now = (await journal.session(session.id)) ?? session
    const goesOn = onRestart === 'continue' && (session.turn !== null || now.parkedRequests.length > 0)
    const answer = answerOf(now)
    const isContinued = goesOn || answer !== undefined
    if (!isContinued && (now.queue.length === 0 || now.pendingRequests.length > 0))
      return this.#resumes.forget(session.id)
    await this.#resumes.resume({
      sessionId: session.id,
      what: answer ?? (goesOn ? 'turn' : (now.queue[0]?.messageId ?? '')),
      resume: () => (isContinued ? continueTurn(session.id) : deliver(session.id)),
      pause: (crashes, ms) =>
        this.#noteCrashes(
          session.id,
          crashes,
          'warning',
          reason('notice.crash-loop-next', { seconds: String(ms / 1000) }),
        ),
      // Queued work is kept: the user decides whether it is retried.
      hold: (crashes) => this.#noteCrashes(session.id, crashes, 'error', reason('notice.crash-loop-held')),
    })
  }

  async #noteCrashes(
    sessionId: string,
    crashes: number,
    level: 'warning' | 'error',
    next: Reason,
  ): Promise<void> {
    const why = [reason('notice.crash-loop', { count: String(crashes) }), next]
    await this.#deps.journal.append(sessionId, [raiseNotice(level, 'crash_loop', why)])
  }

  async #unrecovered(sessionId: string, error: unknown): Promise<void> {
    const { journal, onFault } = this.#deps
    onFault(error)
    const problem = error instanceof Error ? error.message : 'unknown failure'
    const message = `This session could not be recovered after a restart: ${problem}`
    await journal
      .append(sessionId, [{ type: 'error.raised', data: { code: 'storage_damaged', message } }])
      .catch(onFault)
  }

  /** Ends that were lost before this start, also those that the snapshots have forgotten. Once for each part of the log. */
  async #closeOpenEnds(upTo: number): Promise<void> {
    const { store, journal, machine } = this.#deps
    const after = await store.recoveredUpTo()
    if (after >= upTo || this.#isStopped) return
    for (const [sessionId, drafts] of await findOpenEnds(store, { after, upTo })) {
      if (this.#isStopped) return
      const session = await journal.session(sessionId)
      if (session?.kind !== 'managed' || session.machine !== machine) continue
      if (this.#attached.has(sessionId)) continue
      await journal.append(sessionId, drafts).catch((error: unknown) => this.#unrecovered(sessionId, error))
    }
    await store.setRecovered(upTo)
  }

  /**
   * A CLI that lost its daemon records the call as failed and continues from there. A call that waits for the
   * user, or for its answer, must be asked again, so the transcript is truncated after the call.
   */
  async #forgetFailedCalls(session: Session, calls: readonly InboxRequest[]): Promise<void> {
    if (calls.length === 0) return
    const { configFolder } = this.#deps
    const found = await findConversation(configFolder, session.claudeSessionId ?? session.conversation.id)
    if (found) await cutConversation(found.path, waitingCalls(session, calls))
  }

  /** Ends a session that was called as an agent: its caller is gone and no client waits for the result. */
  async #endForsaken(sessionId: string): Promise<void> {
    await this.#end(sessionId, { outcome: 'interrupted', ...saying(reason('end.caller-lost')) })
  }

  async #end(sessionId: string, data: DataOf<'session.ended'>): Promise<void> {
    await this.#deps.asker.withdraw(sessionId, reasonIn(data))
    await this.#deps.journal.append(sessionId, [{ type: 'session.ended', data }])
  }
}
