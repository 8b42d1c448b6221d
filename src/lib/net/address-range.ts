/** Which network addresses are public. Whitelist for IPv6; for IPv4 everything but the special ranges of IANA. */

import { BlockList, isIP } from 'node:net'

const SPECIAL_V4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]
/** Global unicast. Within it: Teredo and other protocol assignments, documentation, and 6to4, which embeds an IPv4 address. */
const GLOBAL_V6 = ['2000::/3']
const SPECIAL_V6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const specialV4 = listOf(SPECIAL_V4)
const globalV6 = listOf(GLOBAL_V6)
const specialV6 = listOf(SPECIAL_V6)

export function isPublicAddress(address: string): boolean {
  const plain = unmapped(address)
  const family = isIP(plain)
  if (family === 4) return !specialV4.check(plain, 'ipv4')
  return family === 6 && globalV6.check(plain, 'ipv6') && !specialV6.check(plain, 'ipv6')
}

/** Matches single addresses and networks such as 10.0.0.0/8. Throws for an entry that is neither. */
export function addressMatcher(entries: readonly string[]): (address: string) => boolean {
  const list = listOf(entries)
  return (address) => {
    const plain = unmapped(address)
    const family = isIP(plain)
    return family !== 0 && list.check(plain, family === 4 ? 'ipv4' : 'ipv6')
  }
}

export function isAddressEntry(entry: string): boolean {
  try {
    listOf([entry])
    return true
  } catch {
    return false
  }
}

function listOf(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', bits, ...rest] = entry.split('/')
    const family = isIP(address)
    if (family === 0 || rest.length > 0 || (bits !== undefined && !/^\d{1,3}$/.test(bits)))
      throw new Error(`Invalid address ${JSON.stringify(entry)}`)
    const type = family === 4 ? 'ipv4' : 'ipv6'
    if (bits === undefined) list.addAddress(address, type)
    else list.addSubnet(address, Number(bits), type)
  }
  return list
}

/** An IPv4 address in IPv6 form, in dotted or hexadecimal notation. */
function unmapped(address: string): string {
  const dotted = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (dotted !== undefined) return dotted
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(address) ?? []
  if (high === undefined || low === undefined) return address
  const [one, two] = [Number.parseInt(high, 16), Number.parseInt(low, 16)]
  return [one >> 8, one & 255, two >> 8, two & 255].join('.')
}
