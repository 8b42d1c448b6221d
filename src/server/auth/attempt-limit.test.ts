import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { createAttemptLimit } from './attempt-limit.js'

function setup() {
  const clock = createManualClock()
  const limit = createAttemptLimit(clock)
  const fail = (address: string, times = 20) => {
    for (let n = 0; n < times; n += 1) limit.addFailure(address)
  }
  return { clock, limit, fail }
}

test('after twenty failures an address waits until a minute is over', () => {
  const { clock, limit, fail } = setup()
  fail('203.0.113.9', 19)
  expect(limit.isExceeded('203.0.113.9')).toBe(false)
  fail('203.0.113.9', 1)
  expect(limit.isExceeded('203.0.113.9')).toBe(true)
  expect(limit.isExceeded('::ffff:203.0.113.9')).toBe(true)
  expect(limit.isExceeded('203.0.113.10')).toBe(false)

  clock.advance(60_000)

  expect(limit.isExceeded('203.0.113.9')).toBe(false)
})

test.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1'])('%s is never locked out', (address) => {
  const { limit, fail } = setup()
  fail(address, 100)
  expect(limit.isExceeded(address)).toBe(false)
})

test('the addresses of one IPv6 network count as one', () => {
  const { limit, fail } = setup()
  fail('2001:db8:1:2::1', 10)
  fail('2001:db8:1:2:ffff::', 10)
  expect(limit.isExceeded('2001:db8:1:2:1:2:3:4')).toBe(true)
  expect(limit.isExceeded('2001:db8:1:3::1')).toBe(false)
})

test('who guesses from ever new addresses does not fill the memory', () => {
  const { limit, fail } = setup()
  fail('203.0.113.9')
  for (let n = 0; n < 10_001; n += 1) fail(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 1)
  expect(limit.isExceeded('203.0.113.9')).toBe(false)
})
