import { expect, test } from 'vitest'
import { RecoveryQueue } from './recovery-queue.js'

const names = (count: number) => Array.from({ length: count }, (_, index) => `ses_${index}`)

/** Each part waits until the test lets it pass. */
async function setup(count: number) {
  const queue = new RecoveryQueue()
  queue.add(names(count))
  // Otherwise a long queue waits for the server first.
  void queue.looked('ses_0')
  const parts: (readonly string[])[] = []
  let pass = () => {}
  const run = queue.run(async (ids) => {
    parts.push(ids)
    await new Promise<void>((resolve) => {
      pass = resolve
    })
  })
  const next = async () => {
    const before = parts.length
    pass()
    await expect.poll(() => parts.length).toBe(before + 1)
  }
  await expect.poll(() => parts.length).toBe(1)
  return { queue, parts, run, next, last: () => pass() }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    promise.then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ])
}

test('the session that a client asks for is recovered next, and goes on before all are recovered', async () => {
  const { queue, parts, next } = await setup(1_000)
  const asked = queue.recovered('ses_900')
  const resumed = queue.released('ses_900')
  const other = queue.released('ses_0')

  await next()
  expect(parts[1]).toContain('ses_900')
  expect(await isSettled(asked)).toBe(false)
  await next()

  expect(await isSettled(asked)).toBe(true)
  expect(await isSettled(resumed)).toBe(true)
  expect(queue.isRecovered('ses_0')).toBe(true)
  expect(await isSettled(other)).toBe(false)
  queue.close()
})

test('every session is recovered once, and each goes on when all are recovered', async () => {
  const { queue, parts, run, next, last } = await setup(250)
  const released = Promise.all(names(250).map((id) => queue.released(id)))
  await queue.recovered('ses_unknown')
  void queue.recovered('ses_200')
  void queue.recovered('ses_200')
  await next()
  await next()
  last()
  await run

  await released
  expect(parts.flat().toSorted()).toEqual(names(250).toSorted())
})

test('nobody waits for a queue that is closed', async () => {
  const { queue, run, last } = await setup(300)
  const waiting = [queue.recovered('ses_299'), queue.released('ses_299')]

  queue.close()
  last()

  await Promise.all([...waiting, run])
})

test('a long queue lets the server start first, unless a client asks for a session', async () => {
  const queue = new RecoveryQueue()
  queue.add(names(101))
  const parts: (readonly string[])[] = []
  const recover = async (ids: readonly string[]) => void parts.push(ids)
  void queue.run(recover)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(parts).toEqual([])

  await queue.looked('ses_100')

  expect(parts[0]?.[0]).toBe('ses_100')
  queue.close()
})

test('a session that is only looked at does not go on before the others', async () => {
  const { queue, next } = await setup(1_000)
  const looked = queue.looked('ses_900')
  const resumed = queue.released('ses_900')
  await next()
  await next()

  await looked
  expect(await isSettled(resumed)).toBe(false)
  queue.close()
})
