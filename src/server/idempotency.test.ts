/** Idempotency keys: a retry is executed once; the same key from another user, or with another body, is not a retry. */

import { expect, test } from 'vitest'
import { ids, permissionRequested } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { createClient } from '../client/client.js'

async function setup() {
  const runtime = await createServedRuntime()
  const operator = async (name: string) => {
    const { secret } = await runtime.access.createToken({ name, role: 'operator' })
    return createClient({ url: runtime.url, token: secret })
  }
  const { id } = await runtime.createSession()
  return { ...runtime, params: { id }, kim: await operator('kim'), lee: await operator('lee') }
}

test('the same key of another user is another key: nobody is handed what somebody else has made', async () => {
  const { client, kim, lee, cwd, params, hub } = await setup()
  const body = { cwd, idempotencyKey: 'k1' }
  const own = await client.createSession({ body: { ...body, permissionMode: 'bypassPermissions' } })
  const theirs = await kim.createSession({ body })
  expect(theirs.session.id).not.toBe(own.session.id)
  expect(theirs.session.permissionMode).toBe('default')

  const message = { text: 'hello', idempotencyKey: 'k2' }
  const first = await kim.sendMessage({ params, body: message })
  const second = await lee.sendMessage({ params, body: message })
  expect(second.messageId).not.toBe(first.messageId)
  const queued = (await hub.events(params.id, {})).filter(({ type }) => type === 'message.queued')
  expect(queued.length).toBe(2)
})

test('sent again by the same user it is done once', async () => {
  const { kim, cwd, params } = await setup()
  const body = { cwd, title: 'x', idempotencyKey: 'k1' }
  expect((await kim.createSession({ body })).session.id).toBe((await kim.createSession({ body })).session.id)
  const fork = { idempotencyKey: 'k2', title: 'copy' }
  const copies = [
    await kim.forkSession({ params, body: fork }),
    await kim.forkSession({ params, body: fork }),
  ]
  expect(copies[0]?.session.id).toBe(copies[1]?.session.id)
  const message = { text: 'hello', idempotencyKey: 'k1' }
  const sent = [
    await kim.sendMessage({ params, body: message }),
    await kim.sendMessage({ params, body: message }),
  ]
  expect(sent[0]).toEqual(sent[1])
})

test('the same key for something else is refused, and nothing is dropped in silence', async () => {
  const { kim, cwd, params } = await setup()
  const taken = { code: 'idempotency_key_taken' }
  await kim.createSession({ body: { cwd, idempotencyKey: 'k1' } })
  await expect(
    kim.createSession({ body: { cwd, title: 'another', idempotencyKey: 'k1' } }),
  ).rejects.toMatchObject(taken)
  await kim.sendMessage({ params, body: { text: 'one', idempotencyKey: 'k2' } })
  await expect(
    kim.sendMessage({ params, body: { text: 'two', idempotencyKey: 'k2' } }),
  ).rejects.toMatchObject(taken)
})

test('an answer sent again succeeds for who gave it, and is too late for anybody else', async () => {
  const { kim, lee, journal, params } = await setup()
  const requestId = ids.next('per')
  await journal.append(params.id, [permissionRequested(requestId)])
  const answer = { params: { id: requestId }, body: { decision: 'deny' as const, idempotencyKey: 'k1' } }
  await kim.answerRequest(answer)
  expect((await kim.answerRequest(answer)).request.resolution).toMatchObject({ who: 'kim' })
  await expect(lee.answerRequest(answer)).rejects.toMatchObject({ code: 'request_already_resolved' })
})
