/**
 * Ids may be shortened to any start or end that only one thing has. Their starts are times, so lists show the end, which
 * is random. A session is also found by its external id.
 */

import type { Client } from '../client/client.js'
import { EXTERNAL_ID } from '../protocol/choice.js'
import { HubError } from '../protocol/error.js'
import { pendingRequests } from './all-requests.js'
import { allSessions } from './all-sessions.js'

export async function findSessionId(client: Client, short: string): Promise<string> {
  if (isWhole(short)) return short
  const named = await findNamed(client, short)
  // Claude's own ids are taken as they are.
  if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(short)) return named?.id ?? short
  if (named) {
    const { sessions } = await allSessions(client)
    const isAmbiguous = sessions.some(({ id }) => id !== named.id && startsWith(id, short))
    if (!isAmbiguous) return named.id
    throw new HubError(
      'request_invalid',
      `${short} is ambiguous: it is an external id, and other ids start with it. Use the full id, ${named.id} or another.`,
    )
  }
  // Lists leave ended sessions out: a short id from one means a session that has not ended.
  const { sessions: open } = await allSessions(client, { ended: 'false' })
  const [id, ...others] = matching(short, open)
  if (id !== undefined && others.length === 0) return id
  const { sessions } = await allSessions(client)
  return theOnly(
    short,
    sessions,
    () =>
      new HubError(
        'session_not_found',
        `No session id starts or ends with ${short}. List sessions with "signalbox sessions --all".`,
      ),
  )
}

/** The session with this external id that has not ended, or else the newest that has. */
async function findNamed(client: Client, externalId: string) {
  if (!EXTERNAL_ID.test(externalId)) return undefined
  const { sessions } = await client.listSessions({ query: { externalId, limit: 1_000 } })
  return sessions.find(({ state }) => state !== 'ended') ?? sessions[0]
}

function startsWith(id: string, short: string): boolean {
  return id.startsWith(short) || id.slice(4).startsWith(short)
}

export async function findRequestId(client: Client, short: string): Promise<string> {
  if (isWhole(short)) return short
  return theOnly(
    short,
    await pendingRequests(client),
    () =>
      new HubError(
        'request_not_found',
        `No pending request id starts or ends with ${short}. List them with "signalbox inbox".`,
      ),
  )
}

/** Starts before ends. */
function matching(short: string, things: readonly { id: string }[]): string[] {
  const ids = things.map((thing) => thing.id)
  const starting = ids.filter((id) => startsWith(id, short))
  return starting.length > 0 ? starting : ids.filter((id) => endsWith(id, short))
}

export function theOnly(short: string, things: readonly { id: string }[], missing: () => HubError): string {
  const found = matching(short, things)
  const [id] = found
  if (id === undefined) throw missing()
  if (found.length === 1) return id
  throw new HubError(
    'request_invalid',
    `${short} is ambiguous: ${found.length} ids start or end with it. Use more characters.`,
  )
}

/** With fewer characters a start is meant. */
const MIN_END = 3
const MIN_SHOWN = 4

function endsWith(id: string, short: string): boolean {
  return short.length >= MIN_END && !short.includes('_') && id.endsWith(short)
}

/** For each id the shortest end that none of the others has, all of the same length, so that they stand in a column. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const unique = [...new Set(ids)]
  let length = MIN_SHOWN
  while (length < 26 && new Set(unique.map((id) => id.slice(-length))).size < unique.length) length += 1
  return new Map(unique.map((id) => [id, id.slice(-length)]))
}

/** A prefix of three letters and 26 characters. */
function isWhole(id: string): boolean {
  return /^[a-z]{3}_.{26}$/.test(id)
}
