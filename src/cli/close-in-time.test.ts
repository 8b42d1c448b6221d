import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { closeInTime } from './close-in-time.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a daemon that does not close has its processes killed, then ends all the same', async () => {
  const calls: string[] = []
  const daemon = { close: () => new Promise<void>(() => {}), killProcesses: () => calls.push('kill') }

  void closeInTime(daemon, () => calls.push('end'))

  await vi.advanceTimersByTimeAsync(5_999)
  expect(calls).toEqual([])
  await vi.advanceTimersByTimeAsync(1)
  expect(calls).toEqual(['kill'])
  await vi.advanceTimersByTimeAsync(3_000)
  expect(calls).toEqual(['kill', 'end'])
})

test('a daemon that closes in time is left alone', async () => {
  const calls: string[] = []
  const daemon = { close: async () => void calls.push('close'), killProcesses: () => calls.push('kill') }

  await closeInTime(daemon, () => calls.push('end'))

  await vi.advanceTimersByTimeAsync(60_000)
  expect(calls).toEqual(['close'])
})
