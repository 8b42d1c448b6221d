import { expect, test } from 'vitest'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { findSessionId, shortIds } from './short-id.js'

async function setup() {
  const { client, cwd } = await createServedRuntime()
  const create = async (externalId: string) =>
    (await client.createSession({ body: { cwd, externalId } })).session.id
  return { client, create, find: (id: string) => findSessionId(client, id) }
}

test('a session is found by its external id, also one that looks like an id of Claude’s', async () => {
  const { create, find } = await setup()
  const names = ['대화 1', '7f9c24e8-3b1d-4a52-9c6e-0d1f2a3b4c5d']
  for (const name of names) {
    const id = await create(name)
    expect(await find(name)).toBe(id)
  }
  await expect(find('대화')).rejects.toMatchObject({ code: 'session_not_found' })
})

test('the session that has not ended comes first, then the newest', async () => {
  const { client, create, find } = await setup()
  const stop = (id: string) => client.stopSession({ params: { id }, body: {} })
  const [first, second] = [
    await create('chat-1').then(async (id) => (await stop(id)).session.id),
    await create('chat-1'),
  ]
  expect(await find('chat-1')).toBe(second)
  await stop(second)
  expect(await find('chat-1')).toBe(second)
  expect(second).not.toBe(first)
})

test('an external id that is also the beginning of another session’s id is refused', async () => {
  const { create, find } = await setup()
  await create('a')
  const own = await create('ses_')
  await expect(find('ses_')).rejects.toMatchObject({ code: 'request_invalid' })
  expect(await find(own)).toBe(own)
})

test('a session is found by the end of its id, which lists show', async () => {
  const { create, find } = await setup()
  const ids = [await create('a'), await create('b'), await create('c')]
  const short = shortIds(ids)
  for (const id of ids) expect(await find(short.get(id) ?? '')).toBe(id)
})

test('ids are shown as short as they are unique', () => {
  expect([...shortIds(['ses_00aaaa', 'ses_00aaab']).values()]).toEqual(['aaaa', 'aaab'])
  expect([...shortIds(['ses_01aaaa', 'ses_02aaaa']).values()]).toEqual(['1aaaa', '2aaaa'])
})
