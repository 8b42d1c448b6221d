/** Requests whose process is gone: they are parked, answered later, given up, or denied. */

import { AppendRefused, type Journal } from '../journal/journal.js'
import type { EventDraft } from '../protocol/event/event.js'
import { raiseNotice } from '../protocol/event/notice.js'
import { reason as codedReason, quoted, type Reason } from '../protocol/reason/reason.js'
import type { InboxRequest } from '../protocol/request.js'
import { isAnswered } from '../protocol/value.js'
import type { RunnerStore } from '../store/port/runner-store.js'
import { deny, explained, unlessRefused } from './resolution.js'

export interface ParkedRequestsDeps {
  journal: Journal
  store: Pick<RunnerStore, 'session' | 'request' | 'requests'>
  /** Abandons the call that waits for a request, if there is one. */
  leave(requestId: string): void
}

export class ParkedRequests {
  readonly #deps: ParkedRequestsDeps

  constructor(deps: ParkedRequestsDeps) {
    this.#deps = deps
  }

  async park(sessionId: string, reason: string): Promise<void> {
    const pending = await this.#pending(sessionId)
    for (const { id } of pending) this.#deps.leave(id)
    const unparked = pending.filter(({ isParked }) => !isParked)
    await Promise.all(unparked.map(({ id }) => this.#park(sessionId, id, reason)))
  }

  async #park(sessionId: string, requestId: string, reason: string): Promise<void> {
    const { journal, store } = this.#deps
    try {
      await journal.append(sessionId, [{ type: 'request.parked', data: { requestId, reason } }])
    } catch (error) {
      if (!(error instanceof AppendRefused)) throw error
      // Race: the answer was quicker, and nothing waits for it any more.
      const request = await store.request(requestId)
      if (isAnswered(request?.resolution?.by)) await this.parkAnswered(sessionId, [requestId], reason)
    }
  }

  async parkAnswered(sessionId: string, requestIds: readonly string[], reason: string): Promise<void> {
    for (const requestId of requestIds)
      await this.#append(sessionId, { type: 'request.parked', data: { requestId, reason, answered: true } })
  }

  async lapse(sessionId: string, why: string | Reason): Promise<void> {
    const { journal, store } = this.#deps
    const { reason: text } = explained(why)
    const { parkedRequests = [] } = (await store.session(sessionId)) ?? {}
    for (const requestId of parkedRequests) {
      const request = await store.request(requestId)
      if (!request) continue
      const { state, title, resolution } = request
      if (state === 'pending') await deny(journal, sessionId, requestId, 'shutdown', why)
      else
        await this.#append(
          sessionId,
          { type: 'request.lapsed', data: { requestId, reason: text } },
          // The user must not wait for what will not happen.
          ...(isAnswered(resolution?.by) ? [unusedNotice(title, why)] : []),
        )
    }
  }

  async withdraw(sessionId: string, why: string | Reason): Promise<void> {
    const { journal } = this.#deps
    const pending = await this.#pending(sessionId)
    await Promise.all(pending.map(({ id }) => deny(journal, sessionId, id, 'shutdown', why)))
    await this.lapse(sessionId, why)
  }

  #pending(sessionId: string): Promise<InboxRequest[]> {
    return this.#deps.store.requests({ sessionId, state: 'pending' })
  }

  /** Race: losing to another client is fine. */
  async #append(sessionId: string, ...drafts: EventDraft[]): Promise<void> {
    await this.#deps.journal.append(sessionId, drafts).catch(unlessRefused)
  }
}

function unusedNotice(title: string, why: string | Reason): EventDraft {
  const because = typeof why === 'string' ? quoted('user.says', why) : why
  return raiseNotice('warning', 'answer_unused', [codedReason('notice.answer-unused', { title }), because])
}
