import { expect, test } from 'vitest'
import { LiveLimit } from './live-limit.js'

test('who wants more than there are waits in line and is served in order', async () => {
  let asked = 0
  const limit = new LiveLimit({
    max: 2,
    makeRoom: () => {
      asked += 1
    },
  })
  const first = await limit.take()
  const second = await limit.take()
  expect(asked).toBe(0)
  const served: string[] = []
  const third = limit.take().then((giveBack) => {
    served.push('third')
    return giveBack
  })
  const fourth = limit.take().then((giveBack) => {
    served.push('fourth')
    return giveBack
  })
  await Promise.resolve()
  expect(asked).toBe(2)

  first()
  first()
  await third
  expect(served).toEqual(['third'])
  second()
  await fourth
  expect(served).toEqual(['third', 'fourth'])
})

test('a place that was given back can be taken at once', async () => {
  const limit = new LiveLimit({ max: 1, makeRoom: () => {} })
  ;(await limit.take())()
  await limit.take()
})

test('when somebody becomes idle, room is made only for those who wait', async () => {
  let asked = 0
  const limit = new LiveLimit({
    max: 1,
    makeRoom: () => {
      asked += 1
    },
  })
  await limit.take()
  limit.recheck()
  expect(asked).toBe(0)
  void limit.take()
  limit.recheck()
  expect(asked).toBe(2)
})
