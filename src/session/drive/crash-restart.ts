/**
 * Takes over when a process has ended: what it did not read goes to another one, after a pause that grows with each that
 * ends too early.
 */

import { randomUUID } from 'node:crypto'
import type { Clock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { reason as codedReason, reasonText } from '../../protocol/reason/reason.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import type { Session } from '../../protocol/session.js'
import { saysNoConversation } from '../claude/conversation.js'
import { lostConversation } from '../launch.js'
import { giveUpParked, type ParkedRequestDeps } from '../recovery/parked-request.js'
import type { Ending } from '../session-ending.js'
import type { Continuation } from './continuation.js'
import { MAX_STARTS, RestartBackoff } from './restart-backoff.js'
import type { SessionWork } from './session-work.js'

export interface CrashRestartDeps extends ParkedRequestDeps, Pick<SessionWork, 'drivable'> {
  clock: Clock
  continuation: Pick<Continuation, 'goOn' | 'mayGoOn'>
  /** Hands over what is queued, unless the session waits for an answer. */
  deliverRest(sessionId: string): void
  /** No process could be started. */
  fail(sessionId: string, error: unknown): Promise<void>
  onFault(error: unknown): void
}

export class CrashRestart {
  readonly #deps: CrashRestartDeps
  readonly #restarts = new RestartBackoff()
  /** Sessions that wait before their next start, with what cancels the wait. */
  readonly #pauses = new Map<string, () => void>()

  constructor(deps: CrashRestartDeps) {
    this.#deps = deps
  }

  /** After a crash, what was not read goes to another process, unless this one died before it could begin. */
  async takeOver(sessionId: string, ending: Ending): Promise<void> {
    const { drivable, continuation, deliverRest, fail } = this.#deps
    const session = await drivable(sessionId)
    if (!session || ending.kind === 'stopped') return
    await giveUpParked(sessionId, this.#deps)
    if (ending.kind === 'parked') return deliverRest(sessionId)
    const after = await drivable(sessionId)
    if (after && continuation.mayGoOn(after)) return continuation.goOn(sessionId)
    if (ending.isUseful || ending.isHung) return this.#restart(session, ending.why)
    if (saysNoConversation(`${ending.error} ${ending.lastWords}`) && isReplaceable(session))
      return this.#replaceConversation(session)
    await fail(
      sessionId,
      new Error([ending.error, ending.lastWords].filter((text) => text !== '').join('\n')),
    )
  }

  /** A disk without room leaves a record that the CLI cannot read. The session must not be lost with it. */
  async #replaceConversation({ id, claudeSessionId, conversation }: Session): Promise<void> {
    const { asker, journal, deliverRest } = this.#deps
    const { code, message } = lostConversation(claudeSessionId ?? conversation.id)
    await asker.withdraw(id, codedReason('request.record-lost'))
    await journal.append(id, [
      { type: 'session.changed', data: { claudeSessionId: randomUUID(), contextTokens: null } },
      { type: 'error.raised', data: { code, message } },
    ])
    deliverRest(id)
  }

  /** Hands what was not read to another process, after a pause that grows with each that ends too early. */
  async #restart({ id, queue }: Session, ended: ReasonPart): Promise<void> {
    const { clock, journal, deliverRest, fail, onFault } = this.#deps
    const [first] = queue
    if (!first) return deliverRest(id)
    const next = this.#restarts.next(id, first.messageId)
    if (next === null) {
      const reason = `${reasonText([ended])} It was started ${MAX_STARTS} times without reading the message.`
      return fail(id, new HubError('claude_failed', reason))
    }
    const { delayMs, start } = next
    if (delayMs === 0) return deliverRest(id)
    const nextTryAt = new Date(clock.now() + delayMs).toISOString()
    const error = reasonText([ended])
    const conditionDetail = { attempt: start, maxAttempts: MAX_STARTS, nextTryAt, reason: error }
    const tries = { seconds: String(delayMs / 1000), attempt: String(start), max: String(MAX_STARTS) }
    await journal.append(id, [
      { type: 'session.changed', data: { condition: 'retrying', conditionDetail } },
      raiseNotice('warning', 'retry', [ended, codedReason('notice.process-retry', tries)]),
    ])
    this.#pauses.set(
      id,
      clock.after(delayMs, () => {
        this.#pauses.delete(id)
        journal
          .append(id, [{ type: 'session.changed', data: { condition: null } }])
          .then(() => deliverRest(id))
          .catch(onFault)
      }),
    )
  }

  isPausing(sessionId: string): boolean {
    return this.#pauses.has(sessionId)
  }

  endPause(sessionId: string): void {
    this.#pauses.get(sessionId)?.()
    this.#pauses.delete(sessionId)
    this.#restarts.forget(sessionId)
  }

  /** A turn has ended as it should: later crashes count from the beginning. */
  wentWell(sessionId: string): void {
    this.#restarts.forget(sessionId)
  }

  close(): void {
    for (const cancel of this.#pauses.values()) cancel()
    this.#pauses.clear()
  }
}

/** An adopted conversation without a turn of ours is not replaced by a new one: the user chose that one. */
function isReplaceable({ conversation, turns }: Session): boolean {
  return conversation.kind === 'new' || turns > 0
}
