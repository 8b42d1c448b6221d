/** The peer of a connection, as far as the network identifies it. */

import { addressMatcher, isAddressEntry } from '../../lib/net/address-range.js'
import { HubError } from '../../protocol/error.js'

export interface Peer {
  address: string
  /** It came over TLS. */
  isSecure: boolean
}

/** Whether an address is one of these: single ones, or networks such as 10.0.0.0/8. */
export function proxyMatcher(list: readonly string[]): (address: string) => boolean {
  const wrong = list.find((entry) => !isAddressEntry(entry))
  if (wrong !== undefined) throw badAddress(wrong)
  return addressMatcher(list)
}

function badAddress(entry: string): HubError {
  return new HubError(
    'config_invalid',
    `Invalid address ${JSON.stringify(entry)} in trustedProxies. Use addresses such as 10.0.0.5 or 10.0.0.0/8.`,
  )
}

/** Forwarded headers count only from a proxy that the configuration names. */
export function peerOf(
  socket: { remoteAddress?: string | undefined; encrypted?: boolean },
  header: (name: string) => string | undefined,
  isProxy: (address: string) => boolean,
): Peer {
  const remote = socket.remoteAddress ?? 'unknown'
  if (!isProxy(remote)) return { address: remote, isSecure: socket.encrypted === true }
  const hops = (header('x-forwarded-for') ?? '').split(',').map((hop) => hop.trim())
  // From the right: what stands left of the first stranger was written by the stranger.
  const sender = hops.findLast((hop) => hop !== '' && !isProxy(hop))
  return { address: sender ?? remote, isSecure: header('x-forwarded-proto') === 'https' }
}
