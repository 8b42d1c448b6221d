/** Messages to sessions: send, cancel, change. */

import type { Bus } from '../bus/port.js'
import { keyOf } from '../inbox/idempotency-key.js'
import { AppendRefused, type Journal } from '../journal/journal.js'
import type { IdSource } from '../lib/id.js'
import type { SendMessage } from '../protocol/api-body.js'
import { HubError } from '../protocol/error.js'
import type { DataOf, EventDraft } from '../protocol/event/event.js'
import type { Session } from '../protocol/session.js'
import type { Actor, WhenBusy } from '../protocol/value.js'
import type { Refusal } from '../store/port/append.js'

export interface MessagesDeps {
  journal: Journal
  bus: Bus
  ids: IdSource
  /** Default for a message to a busy session when its sender does not choose. */
  whenBusy: WhenBusy
}

export interface Messages {
  queued(command: SendMessage, from: Actor): { type: 'message.queued'; data: DataOf<'message.queued'> }
  send(session: Session, command: SendMessage, actor: Actor): Promise<{ messageId: string }>
  cancel(session: Session, messageId: string, reason: string): Promise<void>
  /** Throws if the session takes no messages: it has ended, or runs in a terminal. */
  refuseIfClosed(session: Session): void
  /** The changed message takes its place at the end of the queue, under an id of its own. */
  edit(session: Session, messageId: string, text: string, actor: Actor): Promise<{ messageId: string }>
}

export function createMessages({ journal, bus, ids, whenBusy }: MessagesDeps): Messages {
  const queued: Messages['queued'] = (command, from) => {
    const base = { messageId: ids.next('msg'), whenBusy: command.whenBusy ?? whenBusy, from }
    if ('text' in command) return { type: 'message.queued', data: { ...base, text: command.text } }
    const text = command.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
    return { type: 'message.queued', data: { ...base, text, content: command.content } }
  }

  const send: Messages['send'] = async (session, command, actor) => {
    refuseIfClosed(session)
    const draft = queued(command, actor)
    const { messageId } = draft.data
    const key = keyOf(actor, command)
    const once = key ? { once: { scope: `messages:${session.id}`, value: messageId, ...key } } : {}
    return { messageId: (await appendOnce(journal, session.id, [draft], once)) ?? messageId }
  }

  const cancel: Messages['cancel'] = async ({ id: sessionId, queue }, messageId, reason) => {
    const isQueued = queue.some((message) => message.messageId === messageId)
    if (isQueued && (await bus.call({ type: 'session.cancel_message', sessionId, messageId, reason }))) return
    throw new HubError(
      'message_already_delivered',
      `Message ${messageId} is no longer queued: already delivered or cancelled.`,
      { sessionId, messageId },
    )
  }

  const edit: Messages['edit'] = async (session, messageId, text, actor) => {
    const before = session.queue.find((message) => message.messageId === messageId)
    await cancel(session, messageId, 'Edited.')
    return send(session, { text, ...(before && { whenBusy: before.whenBusy }) }, actor)
  }

  return { queued, send, cancel, refuseIfClosed, edit }
}

function refuseIfClosed({ id: sessionId, kind, state }: Session): void {
  if (kind === 'observed') {
    throw new HubError(
      'message_invalid',
      `Session ${sessionId} runs in a terminal. Type the message there.`,
      {
        sessionId,
      },
    )
  }
  if (state === 'ended') throw hasEnded(sessionId)
}

function hasEnded(sessionId: string): HubError {
  const advice = 'Resume it with "signalbox resume", then retry.'
  return new HubError('session_ended', `Session ${sessionId} has ended. ${advice}`, { sessionId })
}

function isTaken({ externalId, holder }: Refusal & { kind: 'external_id_taken' }): HubError {
  return new HubError(
    'external_id_taken',
    `Session ${holder} has the external id ${JSON.stringify(externalId)} and has not ended. Use that session, stop it, or choose another id.`,
    { externalId, sessionId: holder },
  )
}

function keyTaken(): HubError {
  return new HubError(
    'idempotency_key_taken',
    'This idempotencyKey was already used with another body. Use a new key for each request.',
  )
}

/** Idempotent: returns the value that an earlier request has stored under the same key; null if it was stored now. */
export async function appendOnce(
  journal: Journal,
  sessionId: string,
  drafts: readonly EventDraft[],
  options: Parameters<Journal['append']>[2],
): Promise<string | null> {
  try {
    await journal.append(sessionId, drafts, options)
    return null
  } catch (error) {
    if (!(error instanceof AppendRefused)) throw error
    const { why } = error
    if (why.kind === 'key_used' && !why.isSame) throw keyTaken()
    if (why.kind === 'key_used') return why.value
    if (why.kind === 'external_id_taken') throw isTaken(why)
    throw why.kind === 'session_ended' ? hasEnded(sessionId) : error
  }
}
