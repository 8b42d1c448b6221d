/** Pending requests, and those resolved since the page was opened. */

import { refetch } from './refetch.js'
import { client, getState, setState } from './state.js'

const MAX_ANSWERED = 50

/** Race: events can arrive while the list of requests is being fetched. The last event of a request overrides the list. */
let seen = new Map<string, 'requested' | 'resolved'>()

export function resetSeen(): void {
  seen = new Map()
}

export function lastSeen(id: string): 'requested' | 'resolved' | undefined {
  return seen.get(id)
}

export function noteSeen(id: string, state: 'requested' | 'resolved'): void {
  seen.set(id, state)
  void refetch(() => loadRequest(id))
}

/** Fetches one request and moves it to the pending or the answered ones. */
export async function loadRequest(id: string): Promise<void> {
  const { request } = await client.getRequest({ params: { id } })
  const { requests, answered, outgoing } = getState()
  if (request.state === 'pending') {
    if (seen.get(id) !== 'resolved') setState({ requests: new Map(requests).set(id, request) })
    return
  }
  const pending = new Map(requests)
  pending.delete(id)
  const resolved = new Map(answered).set(id, request)
  for (const oldest of [...resolved.keys()].slice(0, -MAX_ANSWERED)) resolved.delete(oldest)
  const remaining = new Map(outgoing)
  remaining.delete(id)
  setState({ requests: pending, answered: resolved, outgoing: remaining })
}
