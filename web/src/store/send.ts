/** Sends answers and messages exactly once. Without a connection they are queued and sent after reconnecting. */

import { type Answer, HubError, type SendMessage } from '../../../src/protocol/index.js'
import { errorLabel } from '../i18n/server-text.js'
import { listOffline, newKey, type OfflineItem, removeOffline, saveOffline } from './offline-queue.js'
import { refetch } from './refetch.js'
import { loadRequest } from './request.js'
import { client, getState, type OutgoingAnswer, setState } from './state.js'
import { isUnreachable } from './unreachable.js'

/** Resolves with an error message, or with an empty string. */
export async function sendAnswer(requestId: string, body: Answer): Promise<string> {
  if (getState().outgoing.get(requestId)?.state === 'sending') return ''
  // Idempotency: a retry has the same key.
  const key = body.idempotencyKey ?? newKey()
  const sent = { ...body, idempotencyKey: key }
  setOutgoing(requestId, { body: sent, state: 'sending', isPersisted: false })
  try {
    await client.answerRequest({ params: { id: requestId }, body: sent })
    void removeOffline(key)
    await refetch(() => loadRequest(requestId))
    return ''
  } catch (error) {
    if (isUnreachable(error)) {
      const isPersisted = await saveOffline({ key, kind: 'answer', requestId, body: sent })
      setOutgoing(requestId, { body: sent, state: 'unsent', isPersisted })
      return ''
    }
    void removeOffline(key)
    setOutgoing(requestId, null)
    // Another client answered first: show its answer.
    if (error instanceof HubError && error.code === 'request_already_resolved') {
      await refetch(() => loadRequest(requestId))
      return ''
    }
    return errorLabel(error)
  }
}

export function undoAnswer(requestId: string): void {
  const key = getState().outgoing.get(requestId)?.body.idempotencyKey
  if (key !== undefined) void removeOffline(key)
  setOutgoing(requestId, null)
}

function setOutgoing(requestId: string, value: OutgoingAnswer | null): void {
  const outgoing = new Map(getState().outgoing)
  if (value) outgoing.set(requestId, value)
  else outgoing.delete(requestId)
  setState({ outgoing })
}

export async function sendMessage(sessionId: string, body: SendMessage): Promise<void> {
  const key = body.idempotencyKey ?? newKey()
  const message = { ...body, idempotencyKey: key }
  try {
    await client.sendMessage({ params: { id: sessionId }, body: message })
    void removeOffline(key)
  } catch (error) {
    if (!isUnreachable(error)) {
      void removeOffline(key)
      throw error
    }
    const isPersisted = await saveOffline({ key, kind: 'message', sessionId, body: message })
    showUnsent({ key, kind: 'message', sessionId, body: message }, isPersisted)
  }
}

export function cancelUnsent(key: string): void {
  void removeOffline(key)
  setState({ unsent: getState().unsent.filter((message) => message.key !== key) })
}

function showUnsent(item: OfflineItem, isPersisted: boolean): void {
  if (item.kind === 'answer') {
    if (getState().outgoing.get(item.requestId)?.state === 'sending') return
    setOutgoing(item.requestId, { body: item.body, state: 'unsent', isPersisted })
    return
  }
  const remaining = getState().unsent.filter(({ key }) => key !== item.key)
  setState({ unsent: [...remaining, { ...item, isPersisted }] })
}

/** Shows what the page could not send before it was closed. */
export async function restoreUnsent(): Promise<void> {
  for (const item of await listOffline()) showUnsent(item, true)
}

/** Flushes the offline queue. Called after reconnecting. */
export async function sendUnsent(): Promise<void> {
  await restoreUnsent()
  // Order matters: a message that arrives before an answer would cancel the request.
  const answers = [...getState().outgoing].filter(([, { state }]) => state === 'unsent')
  await Promise.all(answers.map(([id, { body }]) => sendAnswer(id, body)))
  for (const { key, sessionId, body } of getState().unsent) {
    setState({ unsent: getState().unsent.filter((message) => message.key !== key) })
    await sendMessage(sessionId, body).catch(() => {})
  }
}
