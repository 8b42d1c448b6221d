import { describe, expect, test } from 'vitest'
import { addressMatcher, isAddressEntry, isPublicAddress } from './address-range.js'

describe('public addresses', () => {
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '2606:4700::1',
    '::ffff:8.8.8.8',
  ])('%s is public', (address) => expect(isPublicAddress(address)).toBe(true))

  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '198.18.0.1',
    '203.0.113.9',
    '224.0.0.1',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:a9fe:a9fe',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fe80::1%eth0',
    'fc00::1',
    'fd12::1',
    'ff02::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    'localhost',
    '',
  ])('%j is not', (address) => expect(isPublicAddress(address)).toBe(false))
})

test('a list matches its addresses and networks, also in IPv6 form', () => {
  const isListed = addressMatcher(['192.168.1.10', '10.0.0.0/8', 'fd12::/16'])
  for (const address of ['192.168.1.10', '::ffff:192.168.1.10', '10.200.0.1', 'fd12::7'])
    expect(isListed(address)).toBe(true)
  for (const address of ['192.168.1.11', '11.0.0.1', 'fd13::1', 'nas.local'])
    expect(isListed(address)).toBe(false)
  expect(['nas.local', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/x', ''].filter(isAddressEntry)).toEqual([])
})
