/** The meaning of responses of services for a delivery. */

import {
  type GuardedClient,
  OutboundError,
  type OutboundReply,
  type OutboundRequest,
} from '../../lib/net/guarded-client.js'
import { DeliveryError } from './port.js'

export interface ServiceWords {
  /** For users: `ntfy.example.com`. */
  name: string
  /** The fix if the service refuses the credentials. */
  refused: string
  /** The fix if it does not know the address. */
  unknown: string
}

/** Resolves with a response of 2xx. Rejects with a `DeliveryError`. */
export async function exchange(
  client: GuardedClient,
  request: OutboundRequest,
  words: ServiceWords,
): Promise<OutboundReply> {
  const reply = await client.request(request).catch((error: unknown) => {
    throw error instanceof OutboundError ? outboundProblem(error) : error
  })
  if (reply.status >= 200 && reply.status < 300) return reply
  throw statusProblem(reply, words)
}

export function outboundProblem(error: OutboundError): DeliveryError {
  const isPassing = ['timeout', 'unreachable', 'cancelled'].includes(error.problem)
  return new DeliveryError(isPassing ? 'later' : 'never', error.message, { cause: error })
}

export function statusProblem(
  { status, headers }: OutboundReply,
  { name, refused, unknown }: ServiceWords,
): DeliveryError {
  const said = `${name} answered ${status}.`
  if (status === 429 || status === 408 || status >= 500)
    return new DeliveryError('later', said, { retryAfterMs: retryAfter(headers['retry-after']) })
  if (status === 401 || status === 403) return new DeliveryError('never', `${said} ${refused}`)
  if (status === 404 || status === 410) return new DeliveryError('never', `${said} ${unknown}`)
  return new DeliveryError('never', said)
}

const MAX_WAIT_MS = 60 * 60_000

/** Seconds, or a date. Null: the service does not say. */
function retryAfter(header: string | undefined, now = Date.now()): number | null {
  if (header === undefined) return null
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(MAX_WAIT_MS, Math.max(1_000, ms)) : null
}
