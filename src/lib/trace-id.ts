/** Ids of traces and spans, computed from our own: the same event gives the same span, however often it is sent. */

import { digest } from './digest.js'

/** A session is a trace. */
export function traceIdOf(sessionId: string): string {
  return digest(`trace ${sessionId}`).slice(0, 32)
}

/** `key`: of the span within its session. */
export function spanIdOf(sessionId: string, key: string): string {
  return digest(`span ${sessionId} ${key}`).slice(0, 16)
}

export const SESSION_SPAN = 'session'

/** W3C trace context for the processes of a session: what they report belongs to its trace. */
export function traceparentOf(sessionId: string): string {
  return `00-${traceIdOf(sessionId)}-${spanIdOf(sessionId, SESSION_SPAN)}-01`
}
