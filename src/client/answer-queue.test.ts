import { expect, onTestFinished, test } from 'vitest'
import { ids, permissionRequested } from '../../test/support/build.js'
import { createServedBox, TOKEN } from '../../test/support/served-box.js'
import { AnswerQueue, type AnswerQueueOptions } from './answer-queue.js'
import { createClient } from './client.js'

/** A network that can be cut before a request leaves, or before its answer comes back. */
async function setup(options: AnswerQueueOptions = {}) {
  const box = await createServedBox()
  const { id: sessionId } = await box.createSession()
  const requestId = ids.next('per')
  await box.journal.append(sessionId, [permissionRequested(requestId)])
  const network = { state: 'up' as 'up' | 'down' | 'deaf', asked: 0 }
  const client = createClient({
    url: box.url,
    token: TOKEN,
    fetch: async (input, init) => {
      network.asked += 1
      if (network.state === 'down') throw new TypeError('no network')
      const response = await fetch(input, init)
      if (network.state === 'deaf') throw new TypeError('cut off')
      return response
    },
  })
  const queue = new AnswerQueue(client, options)
  onTestFinished(() => queue.close())
  const resolutions = async () =>
    (await box.events(sessionId)).filter((event) => event.type === 'permission.resolved')
  return { ...box, sessionId, requestId, network, client, queue, resolutions }
}

test('an answer that is given without a network arrives when there is one', async () => {
  const { queue, network, requestId, resolutions } = await setup()
  network.state = 'down'
  const answered = queue.answer(requestId, { decision: 'allow' })
  await expect.poll(() => network.asked).toBeGreaterThan(1)
  expect(queue.waiting).toEqual([requestId])
  network.state = 'up'

  expect(await answered).toMatchObject({ id: requestId, state: 'resolved' })
  expect(queue.waiting).toEqual([])
  expect(await resolutions()).toHaveLength(1)
})

test('an answer whose confirmation is lost counts once, and is no mistake', async () => {
  const { queue, network, requestId, resolutions } = await setup()
  network.state = 'deaf'
  const answered = queue.answer(requestId, { decision: 'deny', message: 'no' })
  await expect.poll(() => network.asked).toBeGreaterThan(1)
  network.state = 'up'

  expect(await answered).toMatchObject({ resolution: { decision: 'deny', message: 'no' } })
  expect(await resolutions()).toHaveLength(1)
})

test('who comes too late is told who was first', async () => {
  const { queue, network, requestId, hub } = await setup()
  network.state = 'down'
  const answered = queue.answer(requestId, { decision: 'allow' })
  const refused = expect(answered).rejects.toMatchObject({ code: 'request_already_resolved' })
  await hub.inbox.answer(requestId, { decision: 'deny' }, { who: 'lee', via: 'api' })
  network.state = 'up'

  await refused
  expect(queue.waiting).toEqual([])
})

test('what waits survives a reload of the page', async () => {
  const kept = new Map<string, string>()
  const storage = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
  const { queue, network, client, requestId, resolutions } = await setup({ storage })
  network.state = 'down'
  queue.answer(requestId, { decision: 'allow' }).catch(() => {})
  queue.close()
  network.state = 'up'

  const settled: string[] = []
  const next = new AnswerQueue(client, { storage, onSettled: (id) => settled.push(id) })
  onTestFinished(() => next.close())

  await expect.poll(() => settled).toEqual([requestId])
  expect(await resolutions()).toHaveLength(1)
  expect(JSON.parse(kept.get('signalbox-answers') ?? '')).toEqual([])
})

test('what is no list is no reason to fail', () => {
  const storage = { getItem: () => '{"not":"a list"', setItem: () => {} }
  expect(new AnswerQueue(createClient({ url: '' }), { storage }).waiting).toEqual([])
})
