/** Sends answers and messages once each; what finds no connection is kept and sent when there is one again. */

import { type Answer, HubError, type SendMessage } from '../../../src/protocol/index.js'
import { allKept, forget, type Kept, keep, newKey } from './offline-queue.js'
import { loadRequest } from './request.js'
import { change, client, current, type Sending } from './state.js'

/** Resolves with what went wrong, in words, or with nothing. */
export async function answer(requestId: string, body: Answer): Promise<string> {
  if (current().sending.get(requestId)?.state === 'sending') return ''
  // An answer that is sent again is the same answer.
  const key = body.idempotencyKey ?? newKey()
  const kept = { ...body, idempotencyKey: key }
  setSending(requestId, { body: kept, state: 'sending', isKept: false })
  try {
    await client.answerRequest({ params: { id: requestId }, body: kept })
    void forget(key)
    await loadRequest(requestId)
    return ''
  } catch (error) {
    if (isUnreachable(error)) {
      const isKept = await keep({ key, kind: 'answer', requestId, body: kept })
      setSending(requestId, { body: kept, state: 'held', isKept })
      return ''
    }
    void forget(key)
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
  const key = current().sending.get(requestId)?.body.idempotencyKey
  if (key !== undefined) void forget(key)
  setSending(requestId, null)
}

function setSending(requestId: string, value: Sending | null): void {
  const sending = new Map(current().sending)
  if (value) sending.set(requestId, value)
  else sending.delete(requestId)
  change({ sending })
}

export async function sendMessage(sessionId: string, body: SendMessage): Promise<void> {
  const key = body.idempotencyKey ?? newKey()
  const message = { ...body, idempotencyKey: key }
  try {
    await client.sendMessage({ params: { id: sessionId }, body: message })
    void forget(key)
  } catch (error) {
    if (!isUnreachable(error)) {
      void forget(key)
      throw error
    }
    const isKept = await keep({ key, kind: 'message', sessionId, body: message })
    hold({ key, kind: 'message', sessionId, body: message }, isKept)
  }
}

export function takeBackMessage(key: string): void {
  void forget(key)
  change({ held: current().held.filter((message) => message.key !== key) })
}

function hold(item: Kept, isKept: boolean): void {
  if (item.kind === 'answer') {
    if (current().sending.get(item.requestId)?.state === 'sending') return
    setSending(item.requestId, { body: item.body, state: 'held', isKept })
    return
  }
  const others = current().held.filter(({ key }) => key !== item.key)
  change({ held: [...others, { ...item, isKept }] })
}

/** Shows what an earlier life of the page could not send. */
export async function restoreHeld(): Promise<void> {
  for (const item of await allKept()) hold(item, true)
}

/** Called when there is a connection again. */
export async function sendHeld(): Promise<void> {
  await restoreHeld()
  // Answers first: a message that overtakes one would take back what was asked.
  const answers = [...current().sending].filter(([, { state }]) => state === 'held')
  await Promise.all(answers.map(([id, { body }]) => answer(id, body)))
  for (const { key, sessionId, body } of current().held) {
    change({ held: current().held.filter((message) => message.key !== key) })
    await sendMessage(sessionId, body).catch(() => {})
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof HubError && error.code === 'daemon_unreachable'
}
