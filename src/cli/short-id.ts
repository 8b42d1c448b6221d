/** Ids may be shortened to any beginning that only one thing has. */

import type { Client } from '../client/client.js'
import { HubError } from '../protocol/error.js'

export async function findSessionId(client: Client, short: string): Promise<string> {
  // Claude's own ids are taken as they are.
  if (isWhole(short) || /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(short)) return short
  const { sessions } = await client.listSessions({ query: { limit: 1_000 } })
  return theOnly(short, sessions, () => new HubError('session_not_found', `No session starts with ${short}.`))
}

export async function findRequestId(client: Client, short: string): Promise<string> {
  if (isWhole(short)) return short
  const { requests } = await client.listRequests({ query: { limit: 1_000, state: 'pending' } })
  return theOnly(
    short,
    requests,
    () => new HubError('request_not_found', `No pending request starts with ${short}.`),
  )
}

export function theOnly(short: string, things: readonly { id: string }[], missing: () => HubError): string {
  const found = things
    .map((thing) => thing.id)
    .filter((id) => id.startsWith(short) || id.slice(4).startsWith(short))
  const [id] = found
  if (id === undefined) throw missing()
  if (found.length === 1) return id
  throw new HubError(
    'request_invalid',
    `${short} is not enough: ${found.length} ids start like that. Give more of it.`,
  )
}

/** A prefix of three letters and 26 characters. */
function isWhole(id: string): boolean {
  return /^[a-z]{3}_.{26}$/.test(id)
}
