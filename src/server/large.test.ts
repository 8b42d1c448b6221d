/** Large events: pages stay small, nothing is missing, and no client waits for the redaction of another's page. */

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { ids, messageQueued, permissionRequested } from '../../test/support/build.js'
import { measureTurns } from '../../test/support/longest-turn.js'
import { createServedRuntime, TOKEN } from '../../test/support/served-runtime.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { createClient } from '../client/client.js'
import { openSqliteStore } from '../store/sqlite/store.js'

const LARGE = Array.from({ length: 30_000 }, (_, index) => `token=z1q${index}abcdKx9`).join(' ')
const COUNT = 6

async function setup() {
  const folder = await temporaryFolder()
  const store = await openSqliteStore({ path: join(folder, 'test.db'), newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  const runtime = await createServedRuntime({ store })
  const { id: sessionId } = await runtime.createSession()
  for (let index = 0; index < COUNT; index += 1)
    await runtime.journal.append(sessionId, [
      { type: 'text.ended', data: { messageId: 'm', index, text: `zebra${index} ${LARGE}` } },
    ])
  const { secret } = await runtime.access.createToken({ name: 'a viewer', role: 'viewer' })
  return { ...runtime, store, sessionId, viewer: createClient({ url: runtime.url, token: secret }) }
}

test('a page of large events ends after about a megabyte, and the cursor goes on to the last one', async () => {
  const { viewer, client, sessionId } = await setup()
  for (const reader of [viewer, client]) {
    const [seqs, sizes]: [number[], number[]] = [[], []]
    for (let after: number | null = 0; after !== null; ) {
      const page: { events: { seq: number }[]; nextCursor: number | null } = await reader.listEvents({
        params: { id: sessionId },
        query: { after, limit: 500 },
      })
      seqs.push(...page.events.map(({ seq }) => seq))
      sizes.push(JSON.stringify(page).length)
      after = page.nextCursor
    }
    expect(seqs).toEqual(Array.from({ length: seqs.length }, (_, index) => index + 1))
    expect(sizes.length).toBeGreaterThan(2)
    expect(Math.max(...sizes)).toBeLessThan(2_000_000)
  }
})

test('a page of requests with large inputs ends after about a megabyte too', async () => {
  const { client, journal, sessionId } = await setup()
  const content = 'x'.repeat(400_000)
  for (let index = 0; index < 4; index += 1)
    await journal.append(sessionId, [permissionRequested(ids.next('per'), { input: { content } })])
  const first = await client.listRequests({ query: { sessionId } })
  expect(first.requests.length).toBe(3)
  const rest = await client.listRequests({ query: { sessionId, cursor: first.nextCursor ?? '' } })
  expect([rest.requests.length, rest.nextCursor]).toEqual([1, null])
})

test('the snapshot of a session has the beginning of a long message that waits, and the agent gets all of it', async () => {
  const { journal, sessionId } = await setup()
  await journal.append(sessionId, [messageQueued(LARGE)])
  const session = await journal.session(sessionId)
  expect(session?.queue[0]?.hasContent).toBe(true)
  expect(JSON.stringify(session).length).toBeLessThan(20_000)
})

test('while a viewer reads, searches and follows large events, the event loop goes on turning', async () => {
  const { viewer, sessionId, url } = await setup()
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  const follow = async () => {
    let count = 0
    for await (const { event } of viewer.events({ sessionId, after: 0, signal: leave.signal })) {
      if (event.type === 'text.ended' && ++count === COUNT) return
    }
  }
  const read = () => viewer.listEvents({ params: { id: sessionId }, query: { limit: 500 } })
  const search = () => viewer.search({ query: { q: 'zebra3' } })
  // Before, a single turn took seconds. The client is in this process, and parses what it gets.
  let longest = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3 && longest >= 100; run += 1) {
    const turns = await measureTurns(() => Promise.all([read(), search(), follow(), read()]))
    longest = Math.min(longest, turns.longest)
  }
  expect(longest).toBeLessThan(100)
  expect((await search()).results.length).toBe(1)

  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/ws`, {
    headers: { authorization: `Bearer ${TOKEN}` },
  })
  onTestFinished(() => socket.terminate())
  await new Promise((resolve) => socket.once('open', resolve))
  const pings = async () => {
    let pongs = 0
    const all = new Promise<void>((resolve) =>
      socket.on('message', () => {
        pongs += 1
        if (pongs === 5_000) resolve()
      }),
    )
    for (let index = 0; index < 5_000; index += 1) socket.send('{"type":"ping"}')
    await all
  }
  const turns = await measureTurns(pings)
  expect(turns.longest).toBeLessThan(200)
}, 120_000)
