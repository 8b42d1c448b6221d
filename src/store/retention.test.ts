import { expect, test } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.js'
import { keepRetention } from './retention.js'

const DAY_MS = 86_400_000

test('at once and then every hour, what ended longer ago than the days is trimmed', async () => {
  const clock = createManualClock()
  const asked: string[] = []
  const faults: unknown[] = []
  const trim = async (before: string) => {
    asked.push(before)
    if (asked.length === 2) throw new Error('the disk is full')
    return 0
  }
  const pruned: string[] = []
  const retention = keepRetention({
    store: { trim },
    prune: (before) => pruned.push(before),
    clock,
    days: 30,
    onFault: (error) => faults.push(error),
  })
  const start = clock.now()
  await new Promise((resolve) => setImmediate(resolve))
  for (let hour = 0; hour < 2; hour += 1) {
    clock.advance(3_600_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  retention.close()
  retention.close()
  clock.advance(DAY_MS)

  const due = (ms: number) => new Date(start + ms - 30 * DAY_MS).toISOString()
  expect(asked).toEqual([due(0), due(3_600_000), due(7_200_000)])
  expect(pruned).toEqual(asked)
  expect(faults).toEqual([new Error('the disk is full')])
})

test('without days everything stays', () => {
  const trim = () => Promise.reject(new Error('asked'))
  keepRetention({
    store: { trim },
    prune: () => expect.unreachable(),
    clock: createManualClock(),
    days: 0,
    onFault: (error) => expect.unreachable(String(error)),
  })
})
