import { describe, expect, test } from 'vitest'
import { aPerson } from '../../test/support/build.js'
import { createNotifiedRuntime } from '../../test/support/notified-runtime.js'
import { createClient } from '../client/client.js'

const HOUR = 60 * 60_000
const INVALID = { code: 'answer_token_invalid' }

async function setup(options: Parameters<typeof createNotifiedRuntime>[0] = {}, data = {}, mode = {}) {
  const runtime = await createNotifiedRuntime(options)
  const { sessionId, requestId } = await runtime.asking(data, mode)
  await runtime.until(() => runtime.notified().length > 0)
  const [event] = runtime.notified()
  // As a phone does: without an Origin, with a bearer that is no credential.
  const stranger = createClient({ url: runtime.url, token: 'none' })
  const answer = (token: string, decision: 'allow' | 'deny' = 'allow') =>
    stranger.answerByToken({ body: { token, decision } })
  return {
    ...runtime,
    sessionId,
    requestId,
    event,
    token: event?.data.actions[0]?.token ?? '',
    stranger,
    answer,
    offered: event?.data.actions.map(({ decision }) => decision),
    request: () => runtime.inbox.request(requestId),
  }
}

const NATIVE = { 'content-type': 'application/json', authorization: 'Bearer x' }

describe('an answer token', () => {
  test('answers its request, in the name of its user, through its channel', async () => {
    const { answer, token, request, client, event, url } = await setup()
    expect(event?.data.answerUrl).toBe(`${url}/answer#${token}`)

    const { request: answered } = await answer(token)

    expect(answered.resolution).toMatchObject({
      decision: 'allow',
      who: 'admin',
      via: 'channel',
      channel: 'hook',
    })
    expect((await request()).state).toBe('resolved')
    const [record] = (await client.listAudit({ query: { limit: 1 } })).records
    expect(record).toMatchObject({
      kind: 'request.resolved',
      verdict: 'allow',
      who: 'admin',
      via: 'channel',
      channel: 'hook',
      role: 'operator',
    })
  })

  test('shows its request first, and what it offers', async () => {
    const { stranger, token, requestId, sessionId } = await setup()
    const { answer } = await stranger.lookAnswer({ body: { token } })
    expect(answer).toMatchObject({
      request: { id: requestId, state: 'pending' },
      session: { id: sessionId, name: 'Fix login' },
      decisions: ['allow', 'deny'],
      user: 'admin',
      channel: 'hook',
    })
  })

  test('works once: the same answer again is the same answer, another one is refused', async () => {
    const { answer, token, types, sessionId } = await setup()
    const first = await answer(token, 'deny')

    expect(await answer(token, 'deny')).toEqual(first)
    await expect(answer(token, 'allow')).rejects.toMatchObject({ code: 'request_already_resolved' })
    expect((await types(sessionId)).filter((type) => type === 'permission.resolved')).toHaveLength(1)
  })

  test('loses against an answer that came first, and says who gave it', async () => {
    const { answer, token, inbox, requestId, stranger } = await setup()
    await inbox.answer(requestId, { decision: 'deny' }, aPerson)

    await expect(answer(token)).rejects.toMatchObject({ code: 'request_already_resolved' })
    const { answer: view } = await stranger.lookAnswer({ body: { token } })
    expect(view.request.resolution).toMatchObject({ who: 'kim', decision: 'deny' })
  })

  test.each([1, 2, 3, 4, 5])('of many answers at once exactly one wins (%i)', async () => {
    const { answer, token, inbox, requestId, types, sessionId } = await setup()

    const outcomes = await Promise.allSettled([
      answer(token, 'allow'),
      answer(token, 'deny'),
      inbox.answer(requestId, { decision: 'allow' }, aPerson),
      answer(token, 'allow'),
      inbox.answer(requestId, { decision: 'deny' }, { who: 'sato', via: 'cli' }),
    ])

    const won = outcomes.filter(({ status }) => status === 'fulfilled')
    const decisions = won.map((outcome) => JSON.stringify((outcome as PromiseFulfilledResult<object>).value))
    expect(new Set(decisions.map((text) => /"decision":"(\w+)"/.exec(text)?.[1])).size).toBe(1)
    expect((await types(sessionId)).filter((type) => type === 'permission.resolved')).toHaveLength(1)
  })

  test('expires after an hour', async () => {
    const { answer, token, clock, request } = await setup()
    clock.advance(HOUR)
    await expect(answer(token)).rejects.toMatchObject(INVALID)
    expect((await request()).state).toBe('pending')
  })

  test('survives a restart, of which only its digest is known', async () => {
    const { answer, token, store } = await setup()
    const stored = JSON.stringify(await store.records('answer-token'))
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(token.slice(4, 20))
    await answer(token)
  })

  test.each(['', 'sba_', `sba_${'A'.repeat(43)}`, 'x', '__proto__', `sba_${'é'.repeat(10)}`])(
    '%j is none',
    async (guess) => {
      const { url, request } = await setup()
      const reply = await fetch(`${url}/api/v1/answers`, {
        method: 'POST',
        headers: NATIVE,
        body: JSON.stringify({ token: guess, decision: 'allow' }),
      })
      expect([400, 403]).toContain(reply.status)
      expect((await request()).state).toBe('pending')
    },
  )

  test('is no credential for anything else', async () => {
    const { token, url } = await setup()
    const thief = createClient({ url, token })
    await expect(thief.about()).rejects.toMatchObject({ code: 'credential_invalid' })
    await expect(thief.listRequests()).rejects.toMatchObject({ code: 'credential_invalid' })
  })

  test('is bound to the input that was shown', async () => {
    const { token, answer, store, requestId } = await setup()
    const [record] = await store.records('answer-token')
    const body = record?.body as object
    await store.saveRecords([
      { kind: 'answer-token', id: record?.id ?? '', body: { ...body, inputDigest: 'other' } },
    ])
    await expect(answer(token)).rejects.toMatchObject(INVALID)
    expect((await store.request(requestId))?.state).toBe('pending')
  })

  test('only answers what it offers: no wider answer, no changed input', async () => {
    const { token, url, request } = await setup()
    for (const body of [
      { token, decision: 'allowAll' },
      { token, decision: 'allow', until: '2099-01-01T00:00:00.000Z' },
      { token, decision: 'allow', updatedInput: { file_path: '/etc/passwd' } },
      { token, decision: 'allow', message: 'x' },
    ]) {
      const reply = await fetch(`${url}/api/v1/answers`, {
        method: 'POST',
        headers: NATIVE,
        body: JSON.stringify(body),
      })
      expect(reply.status).toBe(400)
    }
    expect((await request()).state).toBe('pending')
  })
})

describe('a link is not an answer', () => {
  test('previews and scanners that follow it change nothing', async () => {
    const { url, token, event, request } = await setup()
    const link = event?.data.answerUrl ?? ''
    for (const address of [
      link,
      link.replace('#', '?'),
      `${url}/api/v1/answers?token=${token}&decision=allow`,
    ])
      for (const method of ['GET', 'HEAD', 'OPTIONS']) {
        const reply = await fetch(address, { method })
        expect([200, 401, 403, 404, 405]).toContain(reply.status)
      }
    expect((await request()).state).toBe('pending')
  })

  test('a page of another site cannot use it', async () => {
    const { url, token, request } = await setup()
    const reply = await fetch(`${url}/api/v1/answers`, {
      method: 'POST',
      headers: { ...NATIVE, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: JSON.stringify({ token, decision: 'allow' }),
    })
    expect(reply.status).toBe(403)
    expect((await request()).state).toBe('pending')
  })
})

describe('rights that end', () => {
  test('a channel that is paused or removed takes its tokens with it', async () => {
    const { answer, token, client, request } = await setup()
    await client.changeChannel({ params: { name: 'hook' }, body: { isPaused: true } })
    await expect(answer(token)).rejects.toMatchObject(INVALID)
    await client.changeChannel({ params: { name: 'hook' }, body: { isPaused: false } })
    await answer(token)
    expect((await request()).state).toBe('resolved')
  })

  test('a user who may not answer any more cannot, whatever was sent before', async () => {
    const { answer, token, client, request } = await setup()
    await client.setUser({ params: { name: 'admin' }, body: { may: 'message' } })
    await expect(answer(token)).rejects.toMatchObject(INVALID)
    expect((await request()).state).toBe('pending')
  })

  test('a session that runs without asking since then is for admins', async () => {
    const { answer, token, journal, sessionId, request } = await setup()
    await journal.append(sessionId, [
      { type: 'session.changed', data: { permissionMode: 'bypassPermissions' } },
    ])
    await expect(answer(token)).rejects.toMatchObject({ code: 'role_insufficient' })
    expect((await request()).state).toBe('pending')
  })
})

describe('which answers are offered', () => {
  const offered = async (data: object, options: object = {}, mode: object = {}) =>
    (await setup(options, data, mode)).offered

  test('both for a call that needs no second look', async () => {
    expect(await offered({})).toEqual(['allow', 'deny'])
  })

  test('none to a recipient who may only see, which is the default', async () => {
    expect(await offered({}, { hook: { may: undefined } })).toEqual([])
    expect(await offered({}, { hook: { may: 'message' } })).toEqual([])
    expect(await offered({}, { users: { admin: {} } })).toEqual([])
  })

  test('only deny where the call is serious, unknown or longer than the message', async () => {
    expect(await offered({ severity: 'destructive' })).toEqual(['deny'])
    expect(await offered({ reasonParts: [{ code: 'file.delete.tree', params: {} }] })).toEqual(['deny'])
    expect(await offered({ reasonParts: [] })).toEqual(['deny'])
    expect(await offered({ plan: '1. Do it' })).toEqual(['deny'])
    expect(await offered({ input: { command: 'x'.repeat(3_000) } })).toEqual(['deny'])
  })

  test('none for what needs an admin', async () => {
    expect(await offered({ freerMode: 'acceptEdits' })).toEqual([])
    expect(await offered({}, {}, { permissionMode: 'bypassPermissions' })).toEqual([])
  })

  test('none for a terminal without a hook that waits', async () => {
    expect(await offered({ inTerminal: true })).toEqual([])
  })
})
