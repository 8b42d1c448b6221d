/**
 * Malformed requests that no client sends on purpose. None may be answered with a failure of our own, and
 * none may leak memory. `npm run fuzz:requests` sends 200,000.
 */

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids } from '../../test/support/build.js'
import {
  createDice,
  type GeneratedRequest,
  generateMessage,
  generateRequest,
  sendRaw,
} from '../../test/support/generated-request.js'
import { type Memory, measureMemory } from '../../test/support/memory.js'
import { createServedRuntime, TOKEN } from '../../test/support/served-runtime.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { WEB_SOCKET_PATH } from '../protocol/web-socket.js'
import { openSqliteStore } from '../store/sqlite/store.js'

const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 1_200)
const AT_ONCE = 8
const RAW_SHARE = 20
const MESSAGE_SHARE = 10
const MEASURES = 5
/** Sessions that stay; older ones are deleted, so that only leaked memory is left. */
const KEPT_SESSIONS = 20
/** Between the first measure, when everything is loaded and compiled, and the last. */
const MAX_GROWTH_MB = 12

test('no request is answered with a failure of our own, and memory stays as it is', {
  timeout: 7_200_000,
}, async () => {
  const folder = await temporaryFolder()
  const store = await openSqliteStore({ path: join(folder, 'test.db'), newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  const runtime = await createServedRuntime({ store, limits: { maxLive: 1_000 } })
  const dice = createDice(20_261_116)
  const words = [
    runtime.cwd,
    '/nowhere',
    'default',
    'text',
    '2030-01-01T00:00:00Z',
    'msg_00000000000000000000000000',
  ]
  /** Ids that answers have named: requests that are about something. */
  const met: string[] = [(await runtime.createSession()).id]
  const failures: string[] = []
  const rejections: unknown[] = []
  const onRejection = (reason: unknown) => rejections.push(reason)
  process.on('unhandledRejection', onRejection)
  onTestFinished(() => void process.off('unhandledRejection', onRejection))
  const statuses = new Map<number, number>()
  const measures: Memory[] = []
  const socket = new WebSocket(`${runtime.url.replace('http', 'ws')}${WEB_SOCKET_PATH}`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  socket.on('message', (data: Buffer) => {
    const text = data.toString()
    if (text.includes('"internal_error"')) failures.push(text.slice(0, 300))
  })
  await new Promise((resolve) => socket.once('open', resolve))
  onTestFinished(() => socket.terminate())

  async function send({ method, path, body }: GeneratedRequest): Promise<void> {
    const response = await fetch(`${runtime.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
    })
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
    const text = await response.text()
    if (response.status >= 500) failures.push(`${method} ${path} ${body ?? ''}: ${text}`.slice(0, 500))
    met.push(...(text.match(/\b(?:ses|per|que|msg|crd)_[0-9a-z]{26}\b/g) ?? []).slice(0, 5))
    met.splice(0, met.length - 40)
  }

  for (let part = 0; part * AT_ONCE < REQUESTS; part += 1) {
    const known = [...words, ...met]
    const batch = Array.from({ length: AT_ONCE }, (_, index) => {
      const sent = part * AT_ONCE + index + 1
      if (sent % MESSAGE_SHARE === 1) socket.send(generateMessage(dice, known))
      if (sent % RAW_SHARE > 0) return send(generateRequest(dice, known))
      return sendRaw(runtime.url, dice).then((answer) => {
        if (answer.startsWith('HTTP/1.1 5')) failures.push(answer.slice(0, 300))
      })
    })
    await Promise.all(batch)
    if (part % 25 === 0) await forgetAll()
    if ((part + 1) * AT_ONCE >= ((measures.length + 1) * REQUESTS) / MEASURES) measures.push(await measure())
  }

  /** Drops what the test itself keeps, so that only leaks of the server are measured. */
  async function forgetAll(): Promise<void> {
    const { sessions } = await runtime.client.listSessions({ query: { limit: 1_000 } })
    for (const { id } of sessions.slice(KEPT_SESSIONS)) await runtime.client.deleteSession({ params: { id } })
    for (const list of [runtime.claudes.started, runtime.claudes.processes, runtime.logged]) list.splice(0)
    // Lets time-limited data, such as unused login codes, expire.
    runtime.clock.advance(60_000)
  }

  async function measure(): Promise<Memory> {
    await forgetAll()
    return measureMemory()
  }

  process.stdout.write(
    `fuzz: ${REQUESTS} requests, statuses ${JSON.stringify(Object.fromEntries(statuses))}, memory ${JSON.stringify(measures)}\n`,
  )
  expect(failures).toEqual([])
  expect(rejections).toEqual([])
  expect(runtime.faults).toEqual([])
  expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 201, 400, 404, 409]))
  expect((await runtime.ask('/healthz')).status).toBe(200)
  const [first, last] = [measures[0], measures.at(-1)]
  expect((last?.heapMb ?? Number.NaN) - (first?.heapMb ?? Number.NaN)).toBeLessThan(MAX_GROWTH_MB)
  await rm(join(folder, 'test.db'), { force: true })
})
