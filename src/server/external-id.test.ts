/** A caller's own id of a conversation: given, changed, looked for, and never shared by two open sessions. */

import { describe, expect, test } from 'vitest'
import { ids, sessionCreated } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { createClient } from '../client/client.js'

async function setup() {
  const runtime = await createServedRuntime()
  const clientOf = async (role: 'viewer' | 'operator') => {
    const { secret } = await runtime.access.createToken({ name: role, role })
    return createClient({ url: runtime.url, token: secret })
  }
  const create = (externalId?: string) =>
    runtime.client.createSession({
      body: { cwd: runtime.cwd, ...(externalId !== undefined && { externalId }) },
    })
  const found = async (externalId: string) =>
    (await runtime.client.listSessions({ query: { externalId } })).sessions.map(({ id }) => id)
  return { ...runtime, clientOf, create, found }
}

test('it is in the reply, the snapshot, the list and the first event of the session', async () => {
  const { client, create, found, store } = await setup()
  const { session } = await create('대화 #1')
  expect(session.externalId).toBe('대화 #1')
  expect((await client.getSession({ params: { id: session.id } })).session.externalId).toBe('대화 #1')
  expect(await found('대화 #1')).toEqual([session.id])
  const [first] = await store.readSession(session.id)
  expect(first?.event.data).toMatchObject({ externalId: '대화 #1' })
  expect((await create()).session.externalId).toBeNull()
})

test('of many who create a session with the same one at once, exactly one gets it', async () => {
  const { create, found } = await setup()
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => create('chat-1')))
  const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.session.id] : []))
  expect(won).toHaveLength(1)
  for (const result of results)
    if (result.status === 'rejected')
      expect(result.reason).toMatchObject({
        code: 'external_id_taken',
        details: { externalId: 'chat-1', sessionId: won[0] },
      })
  expect(await found('chat-1')).toEqual(won)
})

test('the same request again, by its key, gives the same session', async () => {
  const { client, cwd } = await setup()
  const body = { cwd, externalId: 'chat-1', idempotencyKey: 'key' }
  const one = await client.createSession({ body })
  expect((await client.createSession({ body })).session.id).toBe(one.session.id)
})

test('a refused creation leaves none of its options behind', async () => {
  const { client, cwd, create, store } = await setup()
  await create('chat-1')
  const body = { cwd, externalId: 'chat-1', options: { maxTurns: 3 } }
  await expect(client.createSession({ body })).rejects.toMatchObject({ code: 'external_id_taken' })
  expect((await store.allOptions()).filter(({ options }) => 'maxTurns' in options)).toEqual([])
})

test('an operator changes and removes it; a viewer does not', async () => {
  const { create, clientOf, found, store } = await setup()
  const { id } = (await create()).session
  await create('chat-2')
  const [operator, viewer] = [await clientOf('operator'), await clientOf('viewer')]
  const set = (client: typeof viewer, externalId: string | null) =>
    client.changeSession({ params: { id }, body: { externalId } })
  expect((await set(operator, 'chat-1')).session.externalId).toBe('chat-1')
  const events = await store.readSession(id)
  expect(events.at(-1)?.event).toMatchObject({ type: 'session.changed', data: { externalId: 'chat-1' } })
  await expect(set(operator, 'chat-2')).rejects.toMatchObject({ code: 'external_id_taken' })
  await expect(set(viewer, 'chat-3')).rejects.toMatchObject({ code: 'role_insufficient' })
  expect(await found('chat-1')).toEqual([id])
  expect((await set(operator, null)).session.externalId).toBeNull()
  expect(await found('chat-1')).toEqual([])
})

test('it is free again when its session has ended; who then resumes that one is refused', async () => {
  const { client, create, found } = await setup()
  const first = (await create('chat-1')).session
  await client.stopSession({ params: { id: first.id }, body: {} })
  const second = (await create('chat-1')).session
  expect(await found('chat-1')).toEqual([second.id, first.id])
  await expect(client.resumeSession({ params: { id: first.id }, body: {} })).rejects.toMatchObject({
    code: 'external_id_taken',
    details: { sessionId: second.id },
  })
  expect((await client.getSession({ params: { id: first.id } })).session.state).toBe('ended')
})

test('a copy of a session has none', async () => {
  const { client, create } = await setup()
  const { id } = (await create('chat-1')).session
  expect((await client.forkSession({ params: { id }, body: {} })).session.externalId).toBeNull()
})

test('a session of a terminal takes none', async () => {
  const { client, journal } = await setup()
  const id = ids.next('ses')
  await journal.append(id, [sessionCreated({ kind: 'observed' })])
  await expect(
    client.changeSession({ params: { id }, body: { externalId: 'chat-1' } }),
  ).rejects.toMatchObject({ code: 'session_observed' })
})

describe('only printable text of 1 to 200 characters is taken', () => {
  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(201)],
    ['a line feed', 'chat\n1'],
    ['a NUL', 'chat\u0000'],
    ['an escape sequence', '\u001b[2J'],
    ['a direction mark', 'chat\u202e1'],
    ['half a character', 'chat\ud800'],
    ['a line separator', 'chat\u2028'],
  ])('%s is refused', async (_, externalId) => {
    const { create, ask } = await setup()
    await expect(create(externalId)).rejects.toMatchObject({ code: 'request_invalid' })
    const query = new URLSearchParams({ externalId: externalId.slice(0, 300) })
    // Half a character does not survive a query.
    if (!externalId.includes('\ud800'))
      expect((await ask(`/api/v1/sessions?${query.toString()}`)).status).toBe(400)
  })

  test.each(['x'.repeat(200), 'a b', '"quoted"', "'; DROP TABLE session; --", '대화/1?x=&y', '🙂', 'ses_1'])(
    '%s is taken',
    async (externalId) => {
      const { create, found } = await setup()
      const { session } = await create(externalId)
      expect(await found(externalId)).toEqual([session.id])
    },
  )
})
