/** The stream of notifications to a client that does not read. */

import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openNotificationStream } from './notification-stream.js'

test('a stream that was ended is closed, also if its client does not read the rest', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const errors: unknown[] = []
  // It takes everything, and delivers nothing.
  const response = new Writable({ write: () => {} }).on('error', (error) => errors.push(error))
  // Cast: as far as the stream needs it.
  const outgoing = Object.assign(response, { writeHead: () => {} }) as unknown as ServerResponse
  const stream = openNotificationStream(outgoing, 'id')

  stream.end()
  vi.advanceTimersByTime(15_000)
  await new Promise((resolve) => setImmediate(resolve))

  expect(errors).toEqual([])
  expect(response.destroyed).toBe(true)
})
