/** `signalbox inbox --follow`: requests as they come, answered here with single keys where a user is at the terminal. */

import type { Client } from '../../client/client.js'
import { HubError } from '../../protocol/error.js'
import type { InboxRequest } from '../../protocol/request.js'
import { pendingRequests } from '../all-requests.js'
import { Asker } from '../ask/answer-request.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'
import { followChanges } from './live-list.js'
import { sessionsOf } from './request-session.js'
import { requestText, requestTitle, whereText } from './request-text.js'

const TYPES = [
  'permission.requested',
  'question.requested',
  'permission.resolved',
  'question.resolved',
  'request.held',
  'request.released',
] as const

export async function followInbox(
  client: Client,
  options: { json?: boolean; utc?: boolean },
  terminal: Terminal,
): Promise<number> {
  const left = new AbortController()
  const leave = () => left.abort()
  process.once('SIGINT', leave).once('SIGTERM', leave)
  const asker = new Asker(client, terminal, async (request) => {
    const session = (await sessionsOf(client, [request])).get(request.sessionId)
    return session ? whereText(session) : ''
  })
  const isAsking = terminal.isInteractive && !options.json
  let known = new Map<string, InboxRequest>()
  let isLost = false

  const show = async (request: InboxRequest) => {
    if (options.json) terminal.json({ request })
    else if (isAsking) asker.add(request)
    else {
      const session = (await sessionsOf(client, [request])).get(request.sessionId)
      const { columns: width } = terminal
      const { utc = false } = options
      terminal.out(requestText(request, { width, now: Date.now(), shortId: request.id, session, utc }))
    }
  }
  const settle = async (request: InboxRequest) => {
    asker.settle(request.id)
    const answered = await client.getRequest({ params: { id: request.id } }).catch(() => null)
    if (options.json && answered) terminal.json(answered)
    else if (!options.json) terminal.note(terminal.color.dim(settledText(answered?.request ?? request)))
  }
  const refresh = async () => {
    const requests = await pendingRequests(client).catch((error: unknown) => {
      if (error instanceof HubError && error.code === 'daemon_unreachable') return null
      throw error
    })
    if (!requests) return
    isLost = false
    const before = known
    known = new Map(requests.map((request) => [request.id, request]))
    for (const request of before.values()) if (!known.has(request.id)) await settle(request)
    for (const request of requests) if (!before.has(request.id)) await show(request)
  }
  const onLost = () => {
    if (!isLost) terminal.note(terminal.color.dim('The daemon is not responding. Retrying.'))
    isLost = true
  }
  try {
    if (!options.json) terminal.note(terminal.color.dim('Following the inbox. Press Ctrl-C to leave.'))
    await followChanges(client, refresh, left.signal, { types: TYPES, onLost })
  } finally {
    asker.close()
    process.off('SIGINT', leave).off('SIGTERM', leave)
  }
  return EXIT.interrupted
}

function settledText(request: InboxRequest): string {
  const { resolution } = request
  const who = resolution?.who ?? resolution?.by
  const what = resolution?.decision === 'deny' ? 'Denied' : resolution?.decision ? 'Allowed' : 'Answered'
  return resolution ? `${what} by ${who}: ${requestTitle(request)}` : `Gone: ${requestTitle(request)}`
}
