/** Keeps what waits for a person, and what was answered while this page looked on. */

import { change, client, current } from './state.js'

const MAX_ANSWERED = 50

/** Requests that events have spoken of since the last list was asked for: they know better than the list. */
let heard = new Map<string, 'requested' | 'resolved'>()

export function hearAnew(): void {
  heard = new Map()
}

export function heardOf(id: string): 'requested' | 'resolved' | undefined {
  return heard.get(id)
}

export function hear(id: string, what: 'requested' | 'resolved'): void {
  heard.set(id, what)
  void loadRequest(id)
}

/** Asks how a request stands, and puts it where it belongs. */
export async function loadRequest(id: string): Promise<void> {
  const { request } = await client.getRequest({ params: { id } })
  const { requests, answered, sending } = current()
  if (request.state === 'pending') {
    if (heard.get(id) !== 'resolved') change({ requests: new Map(requests).set(id, request) })
    return
  }
  const pending = new Map(requests)
  pending.delete(id)
  const done = new Map(answered).set(id, request)
  for (const old of [...done.keys()].slice(0, -MAX_ANSWERED)) done.delete(old)
  const left = new Map(sending)
  left.delete(id)
  change({ requests: pending, answered: done, sending: left })
}
