import { expect, test } from 'vitest'
import type { Clock } from '../lib/clock.js'
import { Expiry } from './expiry.js'

/** A machine that can be suspended: the wall clock moves while timers stand still. */
function setup() {
  let wall = Date.UTC(2026, 10, 15, 12)
  let running = 0
  let timers: { at: number; action(): void }[] = []
  const clock: Clock = {
    now: () => wall,
    after(ms, action) {
      const timer = { at: running + ms, action }
      timers.push(timer)
      return () => {
        timers = timers.filter((other) => other !== timer)
      }
    },
  }
  const run = (ms: number) => {
    wall += ms
    running += ms
    const due = timers.filter(({ at }) => at <= running)
    timers = timers.filter(({ at }) => at > running)
    for (const { action } of due) action()
  }
  const expired: string[] = []
  const expiry = new Expiry(clock, (id) => expired.push(id))
  const inMs = (ms: number) => new Date(wall + ms).toISOString()
  return { expiry, expired, run, inMs, jump: (ms: number) => (wall += ms), waiting: () => timers.length }
}

test('a limit that passed while the machine was suspended takes effect soon after it wakes up', () => {
  const { expiry, expired, run, inMs, jump } = setup()
  expiry.add('per_1', inMs(600_000))
  expiry.add('per_2', inMs(7_200_000))

  jump(3_600_000)
  run(15_000)

  expect(expired).toEqual(['per_1'])
})

test('a clock that is set back does not lengthen a limit', () => {
  const { expiry, expired, run, inMs, jump } = setup()
  expiry.add('per_1', inMs(5_000))

  jump(-86_400_000)
  run(5_000)

  expect(expired).toEqual(['per_1'])
})

test('nothing waits any more when no request has a limit', () => {
  const { expiry, run, inMs, waiting } = setup()
  expiry.add('per_1', inMs(60_000))
  expiry.add('per_2', inMs(60_000))
  run(20_000)
  expiry.remove('per_1')
  expiry.remove('per_2')

  expect(waiting()).toBe(0)
})
