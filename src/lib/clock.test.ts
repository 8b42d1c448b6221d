import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from './clock.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const DAY = 24 * 60 * 60_000

test('a time further away than a timer can hold is waited for', () => {
  const done = vi.fn()
  systemClock.after(60 * DAY, done)

  vi.advanceTimersByTime(60 * DAY - 1)
  expect(done).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(done).toHaveBeenCalledTimes(1)
})

test('what was taken back does not happen, however far it was', () => {
  const done = vi.fn()
  const cancel = systemClock.after(60 * DAY, done)
  vi.advanceTimersByTime(30 * DAY)
  cancel()

  vi.advanceTimersByTime(60 * DAY)
  expect(done).not.toHaveBeenCalled()
})
