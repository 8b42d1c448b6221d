import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ids, notice, textEnded } from '../../test/support/build.js'
import { createServedRuntime, TOKEN } from '../../test/support/served-runtime.js'
import { createClient } from './client.js'
import { followEvents, type StreamItem } from './event-stream.js'
import { SseParser } from './sse-parser.js'

/** How often a reader is cut off at least; a thousand by `CUTS=1000`. */
const CUTS = Number(process.env['CUTS'] ?? 60)

/** Collects in the background until the test is over. */
function collect(items: AsyncGenerator<StreamItem>): {
  seen: StreamItem[]
  seqs(): number[]
  failed: Promise<unknown>
} {
  const seen: StreamItem[] = []
  const failed = (async () => {
    for await (const item of items) seen.push(item)
  })().catch((error: unknown) => error)
  return { seen, seqs: () => seen.flatMap(({ event }) => ('seq' in event ? [event.seq] : [])), failed }
}

function leaveAtEnd(): AbortSignal {
  const leave = new AbortController()
  onTestFinished(() => leave.abort())
  return leave.signal
}

test('calls are typed by the table, and errors come back as they were thrown', async () => {
  const { client, cwd } = await createServedRuntime()
  const { session } = await client.createSession({ body: { cwd, title: 'Tidy up' } })

  expect((await client.getSession({ params: { id: session.id } })).session).toEqual(session)
  expect((await client.listSessions({ query: { q: 'tidy' } })).sessions.map(({ id }) => id)).toEqual([
    session.id,
  ])
  await expect(client.getSession({ params: { id: ids.next('ses') } })).rejects.toMatchObject({
    code: 'session_not_found',
  })
  await expect(client.createSession({ body: { cwd: '/no/such/folder' } })).rejects.toMatchObject({
    code: 'workspace_not_found',
    details: { cwd: '/no/such/folder' },
  })
})

test('lists are read in pages', async () => {
  const { client, cwd } = await createServedRuntime()
  const made: string[] = []
  for (let n = 0; n < 5; n += 1) made.unshift((await client.createSession({ body: { cwd } })).session.id)

  const pages: string[][] = []
  let cursor: string | null = null
  do {
    const page = await client.listSessions({ query: { limit: 2, ...(cursor !== null && { cursor }) } })
    pages.push(page.sessions.map(({ id }) => id))
    cursor = page.nextCursor
  } while (cursor !== null)

  expect(pages).toEqual([made.slice(0, 2), made.slice(2, 4), made.slice(4)])
})

test('the same key makes the same session and the same message, once', async () => {
  const { client, cwd, events } = await createServedRuntime()
  const body = { cwd, idempotencyKey: 'k1' }
  const [one, two] = await Promise.all([client.createSession({ body }), client.createSession({ body })])
  expect(one.session.id).toBe(two.session.id)

  const params = { id: one.session.id }
  const message = { text: 'hello', idempotencyKey: 'k1' }
  const sent = await Promise.all([
    client.sendMessage({ params, body: message }),
    client.sendMessage({ params, body: message }),
  ])
  expect(sent[0]).toEqual(sent[1])
  expect((await events(params.id)).filter((event) => event.type === 'message.queued')).toHaveLength(1)
})

test('a daemon that is not there is told as such', async () => {
  const client = createClient({ url: 'http://127.0.0.1:9', token: 'x' })
  await expect(client.about()).rejects.toMatchObject({ code: 'daemon_unreachable' })
})

describe('following events', () => {
  test('replays from the beginning, then goes on live, with the place of each event', async () => {
    const { client, journal, createSession } = await createServedRuntime()
    const { id: sessionId } = await createSession()
    await journal.append(sessionId, [notice('a')])
    const { seen } = collect(client.events({ sessionId, after: 0, signal: leaveAtEnd() }))
    await expect.poll(() => seen.length).toBe(2)
    await journal.append(sessionId, [notice('b')])

    await expect.poll(() => seen.length).toBe(3)
    expect(seen.map(({ cursor, event }) => [cursor, event.type])).toEqual([
      [1, 'session.created'],
      [2, 'notice.raised'],
      [3, 'notice.raised'],
    ])
  })

  test('who joins while something is written gets it from its start; without fragments, nothing of it', async () => {
    const { client, journal, createSession } = await createServedRuntime()
    const { id: sessionId } = await createSession()
    const fragment = (offset: number, text: string) =>
      journal.publish(sessionId, { type: 'text.delta', data: { messageId: 'm', index: 0, offset, text } })
    fragment(0, 'Hel')
    fragment(3, 'lo')
    const all = collect(client.events({ sessionId, after: 0, signal: leaveAtEnd() }))
    const events = collect(client.events({ sessionId, after: 0, deltas: false, signal: leaveAtEnd() }))
    await expect.poll(() => all.seen.length).toBe(2)
    fragment(5, '!')
    await journal.append(sessionId, [textEnded('Hello!')])

    await expect.poll(() => [all.seen.length, events.seen.length]).toEqual([4, 2])
    expect(all.seen.map(({ cursor, event }) => [cursor, 'text' in event.data && event.data.text])).toEqual([
      [1, false],
      [null, 'Hello'],
      [null, '!'],
      [2, 'Hello!'],
    ])
  })

  test('a connection that is cut anywhere, again and again, loses and repeats nothing', async () => {
    const runtime = await createServedRuntime()
    const { id: sessionId } = await runtime.createSession()
    let cuts = 0
    const client = createClient({
      url: runtime.url,
      token: TOKEN,
      fetch: async (input, init) => {
        const response = await fetch(input, init)
        cuts += 1
        return new Response(response.body?.pipeThrough(cutAfter((cuts * 997) % 4_000)))
      },
    })
    const { seqs } = collect(client.events({ sessionId, after: 0, signal: leaveAtEnd() }))

    for (let n = 0; n < 60; n += 1) {
      await runtime.journal.append(sessionId, [notice(`${n} ${'x'.repeat(200)}`)])
    }

    await expect.poll(() => seqs().length, { timeout: 15_000 }).toBe(61)
    expect(seqs()).toEqual(Array.from({ length: 61 }, (_, n) => n + 1))
    expect(cuts).toBeGreaterThan(5)
  })

  test('cut again and again, at every event and at any byte, it ends with the very list of one that was never cut', {
    timeout: 180_000,
  }, async () => {
    const { url, journal, createSession } = await createServedRuntime()
    const { id: sessionId } = await createSession()
    for (let n = 0; n < 99; n += 1) await journal.append(sessionId, [notice(`${n} ${'세'.repeat(n % 50)}`)])
    const connect = (headers: Record<string, string>, signal: AbortSignal) =>
      fetch(`${url}/api/v1/sessions/${sessionId}/stream?after=0`, {
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
        signal,
      })
    const readAll = async (open: typeof connect): Promise<StreamItem[]> => {
      const items: StreamItem[] = []
      for await (const item of followEvents(open, { after: 0 }, 0)) {
        items.push(item)
        if (item.cursor === 100) break
      }
      return items
    }
    const whole = await readAll(connect)
    const made = { cuts: 0 }
    let random = 1
    const cut =
      (knife: () => TransformStream<Uint8Array, Uint8Array>): typeof connect =>
      async (headers, signal) => {
        const response = await connect(headers, signal)
        made.cuts += 1
        return new Response(response.body?.pipeThrough(knife()))
      }

    expect(whole.map(({ cursor }) => cursor)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
    do {
      expect(await readAll(cut(cutAfterEvent))).toEqual(whole)
      const atBytes = cut(() => {
        random = (random * 48_271) % 2_147_483_647
        return cutAfter(16 + (random % 900))
      })
      expect(await readAll(atBytes)).toEqual(whole)
    } while (made.cuts < CUTS)
  })

  test('a login that is not valid ends it with the reason', async () => {
    const { url } = await createServedRuntime()
    const { failed } = collect(createClient({ url, token: 'wrong' }).events())
    expect(await failed).toMatchObject({ code: 'credential_invalid' })
  })

  test('a reader that does not read keeps nobody waiting, costs little, and misses nothing when it reads again', async () => {
    const { url, client, journal, createSession } = await createServedRuntime()
    const { id: sessionId } = await createSession()
    const stuck = await fetch(`${url}/api/v1/sessions/${sessionId}/stream?after=0`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })

    const { seqs } = collect(client.events({ sessionId, after: 0, signal: leaveAtEnd() }))

    const line = 'x'.repeat(64 * 1024)
    for (let n = 0; n < 400; n += 1) await journal.append(sessionId, [notice(line)])

    await expect.poll(() => seqs().length, { timeout: 15_000 }).toBe(401)
    const reader = stuck.body?.pipeThrough(new TextDecoderStream()).getReader()
    const late: number[] = []
    const parser = new SseParser()
    while (late.at(-1) !== 401) {
      const { done, value } = (await reader?.read()) ?? { done: true }
      expect([done, late.length]).toEqual([false, late.length])
      for (const { id } of parser.push(value ?? '')) late.push(Number(id))
    }
    expect(late).toEqual(Array.from({ length: 401 }, (_, n) => n + 1))
    await reader?.cancel()
  })
})

test('server-sent events are taken apart wherever they are cut', () => {
  const messages = fc.array(
    fc.record({ id: fc.option(fc.nat()), data: fc.string().map((text) => JSON.stringify(text)) }),
  )
  fc.assert(
    fc.property(messages, fc.array(fc.nat(9), { minLength: 1 }), (sent, sizes) => {
      const text = sent
        .map(({ id, data }) => `${id === null ? '' : `id: ${id}\n`}data: ${data}\n\n: ping\n\n`)
        .join('')
      const parser = new SseParser()
      const got = []
      for (let start = 0, n = 0; start < text.length; n += 1) {
        const size = 1 + (sizes[n % sizes.length] ?? 0)
        got.push(...parser.push(text.slice(start, start + size)))
        start += size
      }
      expect(got).toEqual(sent.map(({ id, data }) => ({ data, ...(id !== null && { id: String(id) }) })))
    }),
  )
})

/** Lets a number of bytes pass, then breaks the connection. */
function cutAfter(bytes: number): TransformStream<Uint8Array, Uint8Array> {
  let left = bytes
  return new TransformStream({
    transform(chunk, controller) {
      controller.enqueue(chunk.subarray(0, left))
      left -= chunk.byteLength
      if (left <= 0) controller.error(new Error('cut'))
    },
  })
}

/** Lets one event pass as a whole, then breaks the connection. */
function cutAfterEvent(): TransformStream<Uint8Array, Uint8Array> {
  let text = ''
  const decoder = new TextDecoder()
  return new TransformStream({
    transform(chunk, controller) {
      text += decoder.decode(chunk, { stream: true })
      const event = /^[\s\S]*?id: \d+\ndata: .*\n\n/.exec(text)?.[0]
      if (event === undefined) return
      controller.enqueue(new TextEncoder().encode(event))
      controller.terminate()
    },
  })
}
