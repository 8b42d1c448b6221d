/** Rate limit for unauthenticated requests: how many from one network are answered with a reason. */

import type { Clock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import { isLoopback, networkOf } from './attempt-limit.js'

export const WAIT_SECONDS = 10
const WINDOW_MS = WAIT_SECONDS * 1_000
/** Refused requests in a window. A program on this machine may have an old token and try again and again. */
const MAX_REFUSED = 100
const MAX_REFUSED_ON_LOOPBACK = 1_000
/** Networks that are remembered; an attacker with more of them is not stopped by counting. */
const MAX_NETWORKS = 10_000

export interface Strangers {
  /**
   * The error for a request without a valid credential: the reason, or that there were too many. A valid credential is never
   * refused here, however many others from its network are.
   */
  refuse(reason: HubError, address: string): HubError
}

export function createStrangers(clock: Clock): Strangers {
  const windows = new Map<string, { until: number; refused: number }>()
  return {
    refuse(reason, address) {
      const network = networkOf(address)
      const now = clock.now()
      const known = windows.get(network)
      const current = known && known.until > now ? known : { until: now + WINDOW_MS, refused: 0 }
      current.refused += 1
      windows.delete(network)
      windows.set(network, current)
      const [oldest] = windows.keys()
      if (windows.size > MAX_NETWORKS && oldest !== undefined) windows.delete(oldest)
      const most = isLoopback(address) ? MAX_REFUSED_ON_LOOPBACK : MAX_REFUSED
      return current.refused > most ? tooMany() : reason
    },
  }
}

function tooMany(): HubError {
  return new HubError(
    'requests_limited',
    `Too many requests without a valid credential. Wait ${WAIT_SECONDS} seconds, or send a valid token.`,
  )
}
