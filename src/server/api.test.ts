/** Answers of the routes, besides errors and access. */

import { describe, expect, test } from 'vitest'
import { ids, messageQueued, permissionRequested, turnEnded, turnStarted } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'

const used = (costUsd: number) => ({
  inputTokens: 100,
  outputTokens: 10,
  cacheReadInputTokens: 1_000,
  cacheCreationInputTokens: 50,
  costUsd,
  contextWindow: null,
})

describe('usage', () => {
  async function setup() {
    const runtime = await createServedRuntime()
    const session = await runtime.createSession()
    const turn = async (sessionId: string, modelUsage: Record<string, ReturnType<typeof used>>) => {
      const turnId = ids.next('trn')
      await runtime.journal.append(sessionId, [turnStarted(turnId)])
      await runtime.journal.append(sessionId, [turnEnded(turnId, { modelUsage })])
    }
    return { ...runtime, session, turn }
  }

  test('is summed by model, session and project, subagents included', async () => {
    const { client, session, turn, createSession, cwd } = await setup()
    const other = await createSession()
    await turn(session.id, { opus: used(1), haiku: used(0.25) })
    await turn(other.id, { opus: used(2) })

    const byModel = await client.usage({ query: { by: 'model' } })
    expect(byModel.usage.map(({ key, costUsd, sessions }) => [key, costUsd, sessions])).toEqual([
      ['opus', 3, 2],
      ['haiku', 0.25, 1],
    ])
    const bySession = await client.usage({ query: { by: 'session' } })
    expect(bySession.usage.map(({ key, costUsd }) => [key, costUsd])).toEqual([
      [other.id, 2],
      [session.id, 1.25],
    ])
    expect((await client.usage({ query: { by: 'project' } })).usage).toMatchObject([{ key: cwd }])
    expect(byModel.total).toEqual({
      key: 'total',
      inputTokens: 300,
      outputTokens: 30,
      cacheReadInputTokens: 3_000,
      cacheCreationInputTokens: 150,
      costUsd: 3.25,
      sessions: 2,
      sources: ['sdk'],
      unpriced: [],
    })
  })

  test('days are those of the time zone that is asked for', async () => {
    const { client, session, turn, clock } = await setup()
    await turn(session.id, { opus: used(1) }) // 12:00 in UTC
    clock.advance(4 * 3_600_000)
    await turn(session.id, { opus: used(2) }) // 16:00 in UTC, 01:00 in Seoul

    const days = async (timeZone: string) =>
      (await client.usage({ query: { timeZone } })).usage.map(({ key, costUsd }) => [key, costUsd])
    expect(await days('UTC')).toEqual([['2026-11-15', 3]])
    expect(await days('Asia/Seoul')).toEqual([
      ['2026-11-16', 2],
      ['2026-11-15', 1],
    ])
    await expect(days('Moon/Crater')).rejects.toMatchObject({ code: 'request_invalid' })
  })

  test('begins where it is asked to', async () => {
    const { client, session, turn, clock } = await setup()
    await turn(session.id, { opus: used(1) })
    clock.advance(48 * 3_600_000)
    await turn(session.id, { opus: used(2) })
    expect((await client.usage({ query: { since: '2026-11-17' } })).total.costUsd).toBe(2)
    expect((await client.usage({ query: { since: '2026-11-18T00:00:00Z' } })).usage).toEqual([])
  })
})

test('a search tells where the words stand, page by page', async () => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id } = await createSession(undefined, { title: 'Parser' })
  const long = `${'before '.repeat(40)}the parser fails${' after'.repeat(60)}`
  await journal.append(id, [messageQueued('fix the parser'), messageQueued(long)])

  const first = await client.search({ query: { q: 'parser', limit: 2 } })
  expect(first.results.map(({ seq, title, type }) => [seq, title, type])).toEqual([
    [3, 'Parser', 'message.queued'],
    [2, 'Parser', 'message.queued'],
  ])
  expect(first.results[0]?.snippet).toMatch(/^….*the parser fails after.*…$/)
  const rest = await client.search({ query: { q: 'parser', cursor: first.nextCursor ?? 0 } })
  expect(rest).toEqual({ results: [expect.objectContaining({ seq: 1 })], nextCursor: null })
})

test('a session that is deleted is stopped and forgotten; the rest stays', async () => {
  const { client, createSession, claudes } = await createServedRuntime()
  const { id } = await createSession('hello')
  const other = await createSession()
  await expect.poll(() => claudes.started.length).toBeGreaterThan(0)

  expect(await client.deleteSession({ params: { id } })).toEqual({ sessionId: id })

  await expect(client.getSession({ params: { id } })).rejects.toMatchObject({ code: 'session_not_found' })
  expect((await client.listSessions({ query: {} })).sessions.map((session) => session.id)).toEqual([other.id])
  await expect(client.deleteSession({ params: { id } })).rejects.toMatchObject({ code: 'session_not_found' })
})

test('what has not changed is not sent again', async () => {
  const { ask, client, createSession } = await createServedRuntime()
  const { id } = await createSession()
  const path = `/api/v1/sessions/${id}`
  const first = await ask(path)
  const tag = first.headers.get('etag') ?? ''
  expect(tag).toMatch(/^"[0-9a-f]{32}"$/)
  const again = await ask(path, { headers: { 'if-none-match': tag } })
  expect([again.status, await again.text()]).toEqual([304, ''])

  await client.changeSession({ params: { id }, body: { title: 'New' } })

  const changed = await ask(path, { headers: { 'if-none-match': tag } })
  expect(changed.status).toBe(200)
  expect(changed.headers.get('etag')).not.toBe(tag)
})

test('a fork with the same key is one fork', async () => {
  const { client, createSession } = await createServedRuntime()
  const { id } = await createSession()
  const fork = () => client.forkSession({ params: { id }, body: { idempotencyKey: 'k' } })
  const [one, two] = await Promise.all([fork(), fork()])
  expect(one.session.id).toBe(two.session.id)
})

test('Prometheus gets the figures in its format', async () => {
  const { client, createSession, journal, clock } = await createServedRuntime()
  const { id } = await createSession()
  const turnId = ids.next('trn')
  await journal.append(id, [turnStarted(turnId)])
  await journal.append(id, [turnEnded(turnId, { modelUsage: { 'a "model"': used(0.5) } })])

  const requestId = ids.next('per')
  await journal.append(id, [permissionRequested(requestId)])
  clock.advance(20_000)
  await client.answerRequest({ params: { id: requestId }, body: { decision: 'allow' } })

  let text = ''
  await expect
    .poll(async () => (text = await client.metrics()))
    .toContain('signalbox_request_answer_seconds_count{kind="permission"} 1\n')

  expect(text).toContain('signalbox_request_wait_seconds_bucket{kind="permission",by="person",le="15"} 0\n')
  expect(text).toContain('signalbox_request_wait_seconds_bucket{kind="permission",by="person",le="30"} 1\n')
  expect(text).toContain('signalbox_request_wait_seconds_bucket{kind="permission",by="person",le="+Inf"} 1\n')
  expect(text).toContain('signalbox_request_wait_seconds_sum{kind="permission",by="person"} 20\n')
  expect(text).toContain('signalbox_sessions{state="idle"} 1\n')
  expect(text).toContain('signalbox_requests_pending 0\n')
  expect(text).toContain('signalbox_cost_usd_total{model="a \\"model\\""} 0.5\n')
  const line =
    /^(# (HELP|TYPE) signalbox_\w+ .+|signalbox_\w+(\{\w+="(\\.|[^"\\])*"(,\w+="(\\.|[^"\\])*")*\})? [\d.e+-]+)$/
  expect(
    text
      .trimEnd()
      .split('\n')
      .filter((one) => !line.test(one)),
  ).toEqual([])
})

test.each(['\u0000', 'x', '.', '../up', 'no/such'])(
  'a policy is asked about the folder %j without a failure',
  async (cwd) => {
    const { client, faults } = await createServedRuntime()
    await client.evaluatePolicy({ body: { tool: 'Bash', input: { command: 'ls' }, cwd } }).catch(() => {})
    expect(faults).toEqual([])
  },
)
