/** Messages as CloudEvents 1.0, for programs: webhooks and commands get the same document. */

import type { OutgoingMessage, SettledMessage } from './port.js'

export interface CloudEvent {
  specversion: '1.0'
  id: string
  source: string
  type: string
  subject?: string
  time: string
  datacontenttype: 'application/json'
  data: object
}

export function eventOfMessage(message: OutgoingMessage, source: string): CloudEvent {
  const { id, at, kind, session, requestId, title, body, severity, isReminder, count, url, answerUrl } =
    message
  return {
    specversion: '1.0',
    id,
    source,
    type: `signalbox.notification.${kind}`,
    ...(session && { subject: session.id }),
    time: at,
    datacontenttype: 'application/json',
    data: {
      kind,
      title,
      body,
      severity,
      isReminder,
      count,
      session,
      requestId,
      url,
      answerUrl,
      actions: message.actions.map(({ decision, token, url: answer }) => ({ decision, token, url: answer })),
    },
  }
}

export function eventOfSettled(
  { id, requestId, title, text }: SettledMessage,
  { source, at }: { source: string; at: string },
): CloudEvent {
  return {
    specversion: '1.0',
    id: `${id}.settled`,
    source,
    type: 'signalbox.notification.settled',
    time: at,
    datacontenttype: 'application/json',
    data: { notificationId: id, requestId, title, text },
  }
}
