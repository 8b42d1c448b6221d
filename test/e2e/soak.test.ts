/** The soak, for a few seconds: nothing is lost, and what was opened is closed again. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const SOAK = fileURLToPath(new URL('../../scripts/soak.mjs', import.meta.url))

interface Result {
  messages: number
  events: number
  lines: number
  descriptors: { before: number; after: number }
  problems: string[]
}

test('sessions, readers that come and go, and a stream that is rotated leave nothing behind and lose nothing', async () => {
  const env = { PATH: process.env['PATH'] ?? '', SOAK_MINUTES: '0.15', SOAK_SESSIONS: '6' }
  const child = spawn(process.execPath, [SOAK, '--json'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([text(child.stdout), once(child, 'exit')])

  const result = JSON.parse(output) as Result
  expect(result.problems).toEqual([])
  expect(result.messages).toBeGreaterThan(6)
  expect(result.lines).toBeGreaterThan(0)
  expect(result.descriptors.after - result.descriptors.before).toBeLessThanOrEqual(5)
  expect(child.exitCode).toBe(0)
})
