/** Slows down guessing: how many failures an address may have in a minute. */

import { isIPv6 } from 'node:net'
import type { Clock } from '../../lib/clock.js'

const WINDOW_MS = 60_000
const MAX_FAILURES = 20
/** Addresses that are remembered; a client with more of them is not rate-limited. */
const MAX_ADDRESSES = 10_000

export interface AttemptLimit {
  isExceeded(address: string): boolean
  addFailure(address: string): void
}

export function createAttemptLimit(clock: Clock): AttemptLimit {
  const failures = new Map<string, number[]>()

  function recent(address: string): number[] {
    const since = clock.now() - WINDOW_MS
    return (failures.get(networkOf(address)) ?? []).filter((time) => time > since)
  }

  return {
    // Loopback is never locked out, even if another program on this machine guesses.
    isExceeded: (address) => !isLoopback(address) && recent(address).length >= MAX_FAILURES,
    addFailure(address) {
      const network = networkOf(address)
      const times = [...recent(address), clock.now()].slice(-MAX_FAILURES)
      failures.delete(network)
      failures.set(network, times)
      const [oldest] = failures.keys()
      if (failures.size > MAX_ADDRESSES && oldest !== undefined) failures.delete(oldest)
    },
  }
}

export function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/, '')
  return plain === '::1' || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/** One household has a whole network of IPv6 addresses; they count as one. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:/, '')
  if (!isIPv6(plain)) return plain
  const [head = '', tail = ''] = plain.split('::')
  const front = head.split(':').filter(Boolean)
  const back = tail.split(':').filter(Boolean)
  const gap = plain.includes('::') ? Array<string>(8 - front.length - back.length).fill('0') : []
  return [...front, ...gap, ...back].slice(0, 4).join(':')
}
