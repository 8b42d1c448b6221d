/** Finds the session that a short id means, with the daemon or from the SDK log alone. */

import type { Client } from '../../client/client.js'
import { HubError } from '../../protocol/error.js'
import { findSessionId, theOnly } from '../short-id.js'
import { DayLines } from './day-lines.js'
import { isSdkLine, parseLine } from './log-line.js'

/** `client`: of a running daemon. */
export async function loggedSessionId(folder: string, short: string, client: Client | null): Promise<string> {
  if (client) return knownId(client, await findSessionId(client, short))
  const ids = new Set<string>()
  await new DayLines(folder, 'sdk').last({
    isWanted(line) {
      const id = idOf(line)
      if (id !== null) ids.add(id)
      return false
    },
    sinceDay: null,
    count: 1,
  })
  return theOnly(
    short,
    [...ids].map((id) => ({ id })),
    () =>
      new HubError(
        'session_not_found',
        `No logged session id starts or ends with ${short}, and the daemon is not running. Start it to list sessions: signalbox start`,
      ),
  )
}

/** A whole id is not looked up anywhere else: a wrong one must not read as a session without messages. */
async function knownId(client: Client, id: string): Promise<string> {
  return (await client.getSession({ params: { id } })).session.id
}

/** At the start of each line; a caller's own id may stand there, with ours behind it. */
const ID = /^\{"timestamp":"[^"]{1,40}","sessionId":"(ses_\w{26})"/

function idOf(line: string): string | null {
  const quick = ID.exec(line)?.[1]
  if (quick !== undefined || !line.includes('"signalboxId"')) return quick ?? null
  const parsed = parseLine(line)
  return isSdkLine(parsed) ? (parsed.signalboxId ?? null) : null
}

export function isLineOf(line: string, id: string, since: string | null): boolean {
  // Most lines are of other sessions, and long.
  if (!line.includes(id)) return false
  const parsed = parseLine(line)
  if (!isSdkLine(parsed) || (parsed.signalboxId ?? parsed.sessionId) !== id) return false
  return since === null || parsed.timestamp >= since
}
