import { expect, test } from 'vitest'
import { RecoveryQueue } from './recovery-queue.js'

const names = (count: number) => Array.from({ length: count }, (_, index) => `ses_${index}`)

/** Each part waits until the test lets it pass. */
function setup(count: number) {
  const queue = new RecoveryQueue()
  queue.add(names(count))
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
  return { queue, parts, run, next, last: () => pass() }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  return Promise.race([
    promise.then(() => true),
    new Promise<false>((resolve) => setImmediate(resolve, false)),
  ])
}

test('the session that a client asks for is recovered next, and goes on before all are recovered', async () => {
  const { queue, parts, next } = setup(1_000)
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
  const { queue, parts, run, next, last } = setup(250)
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
  const { queue, run, last } = setup(300)
  const waiting = [queue.recovered('ses_299'), queue.released('ses_299')]

  queue.close()
  last()

  await Promise.all([...waiting, run])
})
