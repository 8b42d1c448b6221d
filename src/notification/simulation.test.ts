import { expect, test } from 'vitest'
import { simulate } from '../../test/support/notification-simulation.js'

/** `npm run simulate:notifications`: 1,000 days and 200 kills. */
const FULL = process.env['SIMULATE'] === 'full'
const [DAYS, KILLS] = FULL ? [1_000, 200] : [12, 10]

test('whatever fails, every blocked agent is reported in time and once, and nothing that was answered at the desk', {
  timeout: FULL ? 3_600_000 : 60_000,
}, async () => {
  const seed = Number(process.env['SEED'] ?? 1)
  const { asked, shown, kills, repeated, problems } = await simulate({ days: DAYS, kills: KILLS, seed })
  const figures = `${DAYS} days, ${kills} kills, ${asked.length} requests, ${shown.length} messages, ${repeated} repetitions`
  if (FULL) process.stdout.write(`${figures}\n`)

  expect(problems).toEqual([])
  expect(kills).toBe(KILLS)
  expect(asked.length).toBeGreaterThan(DAYS * 10)
  expect(shown.length).toBeGreaterThan(DAYS)
})
