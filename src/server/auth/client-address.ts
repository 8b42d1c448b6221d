/** The peer of a connection, as far as the network identifies it. */

import { BlockList, isIP } from 'node:net'
import { HubError } from '../../protocol/error.js'

export interface Peer {
  address: string
  /** It came over TLS. */
  isSecure: boolean
}

/** Whether an address is one of these: single ones, or networks such as 10.0.0.0/8. */
export function addressMatcher(list: readonly string[]): (address: string) => boolean {
  const blocks = new BlockList()
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address)
    if (family === 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits))) throw badAddress(entry)
    const type = family === 4 ? 'ipv4' : 'ipv6'
    try {
      if (bits === undefined) blocks.addAddress(address, type)
      else blocks.addSubnet(address, Number(bits), type)
    } catch (cause) {
      throw badAddress(entry, cause)
    }
  }
  return (address) => {
    const plain = address.replace(/^::ffff:/, '')
    const family = isIP(plain)
    return family !== 0 && blocks.check(plain, family === 4 ? 'ipv4' : 'ipv6')
  }
}

function badAddress(entry: string, cause?: unknown): HubError {
  return new HubError(
    'config_invalid',
    `Invalid address ${JSON.stringify(entry)} in trustedProxies. Use addresses such as 10.0.0.5 or 10.0.0.0/8.`,
    {},
    { cause },
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
