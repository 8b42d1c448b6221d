/** Sends answers and messages once each; what finds no connection is kept and sent when there is one again. */

import { type Answer, HubError, type SendMessage } from '../../../src/protocol/index.js'
import { loadRequest } from './request.js'
import { change, client, current, type Sending } from './state.js'

/** Resolves with what went wrong, in words, or with nothing. */
export async function answer(requestId: string, body: Answer): Promise<string> {
  if (current().sending.get(requestId)?.state === 'sending') return ''
  // An answer that is sent again is the same answer.
  const kept = { ...body, idempotencyKey: body.idempotencyKey ?? crypto.randomUUID() }
  setSending(requestId, { body: kept, state: 'sending' })
  try {
    await client.answerRequest({ params: { id: requestId }, body: kept })
    await loadRequest(requestId)
    return ''
  } catch (error) {
    if (isUnreachable(error)) {
      setSending(requestId, { body: kept, state: 'held' })
      return ''
    }
    setSending(requestId, null)
    // Somebody was quicker: what they said is shown.
    if (error instanceof HubError && error.code === 'request_already_resolved') {
      await loadRequest(requestId)
      return ''
    }
    return error instanceof Error ? error.message : String(error)
  }
}

export function takeBackAnswer(requestId: string): void {
  setSending(requestId, null)
}

function setSending(requestId: string, value: Sending | null): void {
  const sending = new Map(current().sending)
  if (value) sending.set(requestId, value)
  else sending.delete(requestId)
  change({ sending })
}

export async function sendMessage(sessionId: string, body: SendMessage): Promise<void> {
  const key = body.idempotencyKey ?? crypto.randomUUID()
  const message = { ...body, idempotencyKey: key }
  try {
    await client.sendMessage({ params: { id: sessionId }, body: message })
  } catch (error) {
    if (!isUnreachable(error)) throw error
    waiting.set(key, message)
    const text = 'text' in body ? body.text : ''
    change({ held: [...current().held, { key, sessionId, text }] })
  }
}

const waiting = new Map<string, SendMessage>()

export function takeBackMessage(key: string): void {
  waiting.delete(key)
  change({ held: current().held.filter((message) => message.key !== key) })
}

/** Called when there is a connection again. */
export async function sendHeld(): Promise<void> {
  for (const [id, { state, body }] of current().sending) if (state === 'held') void answer(id, body)
  for (const { key, sessionId } of current().held) {
    const body = waiting.get(key)
    takeBackMessage(key)
    if (body) await sendMessage(sessionId, body).catch(() => {})
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof HubError && error.code === 'daemon_unreachable'
}
