/** Hands queued messages to the processes of their sessions, in order. A process is started where there is none. */

import type { Asker } from '../../inbox/asker.js'
import type { Journal } from '../../journal/journal.js'
import { abortable } from '../../lib/abortable.js'
import { uuidOf } from '../../lib/id.js'
import { HubError } from '../../protocol/error.js'
import { reason } from '../../protocol/reason/reason.js'
import type { QueuedMessage, Session } from '../../protocol/session.js'
import type { RunnerStore } from '../../store/port/runner-store.js'
import { appendUnlessRefused } from '../append-unless-refused.js'
import { findConversation, messagesIn } from '../claude/conversation.js'
import type { OutgoingMessage } from '../outbox.js'
import type { SessionWork } from './session-work.js'

export interface DeliveryDeps extends SessionWork {
  journal: Journal
  asker: Asker
  store: Pick<RunnerStore, 'readSession'>
  configFolder: string
  /** Whether the session waits before its next start. */
  isPausing(sessionId: string): boolean
  /** No process could be started. */
  fail(sessionId: string, error: unknown): Promise<void>
  onFault(error: unknown): void
}

export class Delivery {
  readonly #deps: DeliveryDeps

  constructor(deps: DeliveryDeps) {
    this.#deps = deps
  }

  /** Hands everything that waits to the session's process, in its order; the process is started if there is none. */
  deliver(sessionId: string): void {
    const { sequencer, starts, fail } = this.#deps
    sequencer
      .run(sessionId, () => starts.deliver(sessionId, (signal) => this.#handOver(sessionId, signal)))
      .catch((error: unknown) => fail(sessionId, error))
  }

  /** Hands over what waits, unless the session waits for an answer itself: then its turn comes first. */
  deliverRest(sessionId: string): void {
    const { sequencer, drivable, onFault } = this.#deps
    sequencer
      .run(sessionId, async () => {
        const session = await drivable(sessionId)
        if (session?.pendingRequests.length === 0) this.deliver(sessionId)
      })
      .catch(onFault)
  }

  /** With the last message cancelled, nothing waits for a slot any more. */
  async endNeedless(sessionId: string): Promise<void> {
    const { journal, starts } = this.#deps
    const session = await journal.session(sessionId)
    if (session?.queue.length === 0 && session.condition === 'waiting_for_slot') {
      starts.endDelivery(sessionId)
      // One that was queued in this moment is delivered all the same.
      this.deliver(sessionId)
    }
  }

  /**
   * Runs `work` next, in place of a start that may wait for a slot. Messages that come meanwhile are passed on
   * afterwards.
   */
  async instead<Result>(sessionId: string, work: () => Promise<Result>): Promise<Result> {
    const { sequencer, starts } = this.#deps
    try {
      return await starts.without(sessionId, () => sequencer.run(sessionId, work))
    } finally {
      this.deliverRest(sessionId)
    }
  }

  async #handOver(sessionId: string, signal: AbortSignal): Promise<void> {
    const { fleet, drivable, isPausing } = this.#deps
    const before = await drivable(sessionId)
    // The command that prepares a worktree comes first; its end delivers what waits.
    if (before?.worktree?.setup === 'running') return
    // A pause between two starts holds for messages that come meanwhile too.
    if (!before || before.queue.length === 0 || isPausing(sessionId)) return
    await fleet.refresh(sessionId)
    const hasRead = !fleet.get(sessionId) && (await this.#noteRead(before, signal))
    const live = await fleet.ensure(sessionId, hasRead ? 'continue' : 'message', signal)
    // Race: during the start messages may have been cancelled, which are not sent, or added, which are.
    const after = await drivable(sessionId)
    if (!live || !after) return
    for (const message of after.queue) {
      const whole = await this.#withContent(sessionId, message)
      signal.throwIfAborted()
      await abortable(live.input.send(whole), signal)
    }
    fleet.recheck(sessionId)
  }

  /**
   * Deduplicates: a message that a previous process wrote to the transcript was read, even if that was never
   * reported. The CLI (2.1.325) ignores it when it is sent again, so the turn that it began is continued
   * instead. Resolves with whether there are any.
   */
  async #noteRead(
    { id, queue, claudeSessionId, conversation }: Session,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { asker, journal, configFolder } = this.#deps
    await abortable(asker.lapse(id, reason('request.other-message')), signal)
    const find = async () => {
      const found = await findConversation(configFolder, claudeSessionId ?? conversation.id)
      if (!found) return []
      const ids = queue.map(({ messageId }) => messageId)
      const written = await messagesIn(found.path, ids.map(uuidOf))
      return ids.filter((messageId) => written.has(uuidOf(messageId)))
    }
    const read = await abortable(find(), signal)
    await Promise.all(
      read.map((messageId) =>
        appendUnlessRefused(journal, id, { type: 'message.delivered', data: { messageId } }),
      ),
    )
    return read.length > 0
  }

  /** The snapshot holds the beginning of the text; the rest and pictures are read from the log. */
  async #withContent(sessionId: string, message: QueuedMessage): Promise<OutgoingMessage> {
    if (!message.hasContent) return message
    const [stored] = await this.#deps.store.readSession(sessionId, { after: message.seq - 1, limit: 1 })
    if (stored?.event.type === 'message.queued' && stored.event.data.messageId === message.messageId)
      return stored.event.data
    throw new HubError('storage_damaged', `Message ${message.messageId} is damaged in the database.`)
  }
}
