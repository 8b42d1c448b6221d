import { expect, test } from 'vitest'
import { Follower } from './follower.js'

/** A stored list whose reads are answered by hand: each read sees the list as it was when it was asked for. */
function setup({ after = 0, stored = [] as number[] } = {}) {
  const delivered: (number | string)[] = []
  const reads: (() => Promise<void>)[] = []
  const log: string[] = []
  const follower = new Follower<number | string>({
    after,
    cursorOf: (item) => (typeof item === 'number' ? item : null),
    read: (cursor) => {
      const page = stored.filter((item) => item > cursor).slice(0, 2_000)
      return new Promise((resolve) => {
        reads.push(async () => {
          resolve(page)
          await new Promise((done) => setImmediate(done))
        })
      })
    },
    deliver: (items) => delivered.push(...items),
    onLive: () => log.push('live'),
    onError: (error) => log.push(String(error)),
  })
  return {
    follower,
    delivered,
    log,
    store: (...items: number[]) => stored.push(...items),
    add: (...items: number[]) => {
      stored.push(...items)
      follower.push(items)
    },
    answerRead: async () => reads.shift()?.(),
    reads,
  }
}

test('what is added while the last page is read is delivered behind it', async () => {
  const { add, delivered, answerRead, log } = setup()
  add(1, 2)
  await answerRead()

  expect(delivered).toEqual([1, 2])
  expect(log).toEqual(['live'])
})

test('what was both read and handed over is delivered once', async () => {
  const { store, follower, delivered, answerRead } = setup()
  await answerRead()
  store(1)
  follower.push([1])
  follower.push([1])

  expect(delivered).toEqual([1])
})

test('what does not fit into memory while it replays is read from the store', async () => {
  const { add, delivered, answerRead, log, reads } = setup()
  const many = Array.from({ length: 1_500 }, (_, index) => index + 1)
  add(...many)
  add(1_501)

  await answerRead()
  expect(log).toEqual([])
  while (reads.length > 0) await answerRead()

  expect(delivered).toEqual([...many, 1_501])
  expect(log).toEqual(['live'])
})

test('what only passes by is not seen before the follower is live', async () => {
  const { follower, delivered, answerRead } = setup()
  follower.push(['early'])
  await answerRead()
  follower.push(['late', 1, 'later'])

  expect(delivered).toEqual(['late', 1, 'later'])
})

test('what passed by before an item that was read already is as old as that item', async () => {
  const { follower, delivered, answerRead } = setup({ stored: [1] })
  await answerRead()
  await answerRead()
  follower.push(['of 1', 1, 'of 2', 2])

  expect(delivered).toEqual([1, 'of 2', 2])
})

test('a reader that is full goes back to the store and gets everything when it is ready again', async () => {
  const stored: number[] = [1]
  const delivered: (number | string)[] = []
  let isFull = false
  let release = () => {}
  let readyAgain = Promise.resolve()
  const follower = new Follower<number | string>({
    after: 0,
    cursorOf: (item) => (typeof item === 'number' ? item : null),
    read: async (cursor) => stored.filter((item) => item > cursor).slice(0, 2),
    deliver: (items) => delivered.push(...items),
    isFull: () => isFull,
    ready: () => readyAgain,
    onLive: () => delivered.push('live'),
    onError: () => {},
  })
  const add = (item: number) => {
    stored.push(item)
    follower.push(['~', item])
  }
  await expect.poll(() => delivered).toEqual([1, 'live'])

  isFull = true
  readyAgain = new Promise((resolve) => {
    release = resolve
  })
  add(2)
  isFull = false
  for (const item of [3, 4, 5, 6]) add(item)
  await new Promise((resolve) => setImmediate(resolve))
  expect(delivered).toEqual([1, 'live', '~', 2])

  release()
  await expect.poll(() => delivered.at(-1)).toBe('live')
  add(7)
  expect(delivered).toEqual([1, 'live', '~', 2, 3, 4, 5, 6, 'live', '~', 7])
})

test('nothing is delivered after close', async () => {
  const { follower, add, delivered, answerRead } = setup()
  add(1)
  follower.close()
  await answerRead()
  follower.push([2])

  expect(delivered).toEqual([])
})

test('a read that fails is told once and ends it', async () => {
  const errors: unknown[] = []
  const follower = new Follower<number>({
    after: 0,
    cursorOf: (item) => item,
    read: () => Promise.reject(new Error('disk gone')),
    deliver: () => errors.push('delivered'),
    onError: (error) => errors.push(error),
  })
  await new Promise((resolve) => setImmediate(resolve))
  follower.push([1])

  expect(errors).toEqual([new Error('disk gone')])
})
