import { describe, expect, test } from 'vitest'
import { peerOf, proxyMatcher } from './client-address.js'

const isProxy = proxyMatcher(['10.0.0.5', '192.168.0.0/16', 'fd00::/8'])
const from = (remoteAddress: string, headers: Record<string, string> = {}, encrypted = false) =>
  peerOf({ remoteAddress, encrypted }, (name) => headers[name], isProxy)

test('addresses and networks are told apart, also where IPv4 comes as IPv6', () => {
  const inside = ['10.0.0.5', '::ffff:10.0.0.5', '192.168.7.7', 'fd00::1']
  const outside = ['10.0.0.6', '::1', 'fe80::1', 'nonsense', '']
  expect(inside.map(isProxy)).toEqual(inside.map(() => true))
  expect(outside.map(isProxy)).toEqual(outside.map(() => false))
})

test.each(['proxy.example', '10.0.0.0/99', '10.0.0.0/x', ''])('%j is no address', (entry) => {
  expect(() => proxyMatcher([entry])).toThrow(/trustedProxies/)
})

describe('what a proxy says', () => {
  test('counts where the proxy was named: the first stranger from the right is the sender', () => {
    const headers = {
      'x-forwarded-for': '127.0.0.1, 203.0.113.9, 192.168.1.1',
      'x-forwarded-proto': 'https',
    }
    expect(from('10.0.0.5', headers)).toEqual({ address: '203.0.113.9', isSecure: true })
  })

  test('counts for nothing where a stranger says it', () => {
    const headers = { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-proto': 'https' }
    expect(from('203.0.113.9', headers)).toEqual({ address: '203.0.113.9', isSecure: false })
  })

  test('without it the proxy itself is the sender', () => {
    expect(from('10.0.0.5')).toEqual({ address: '10.0.0.5', isSecure: false })
  })
})
