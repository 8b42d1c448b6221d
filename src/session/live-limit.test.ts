import { expect, test } from 'vitest'
import { LiveLimit } from './live-limit.js'

const never = new AbortController().signal

test('who wants more than there are waits in line and is served in order', async () => {
  let asked = 0
  const limit = new LiveLimit({
    max: 2,
    makeRoom: () => {
      asked += 1
    },
  })
  const first = await limit.take(never)
  const second = await limit.take(never)
  expect(asked).toBe(0)
  const served: string[] = []
  const third = limit.take(never).then((giveBack) => {
    served.push('third')
    return giveBack
  })
  const fourth = limit.take(never).then((giveBack) => {
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
  ;(await limit.take(never))()
  await limit.take(never)
})

test('when somebody becomes idle, room is made only for those who wait', async () => {
  let asked = 0
  const limit = new LiveLimit({
    max: 1,
    makeRoom: () => {
      asked += 1
    },
  })
  await limit.take(never)
  limit.recheck()
  expect(asked).toBe(0)
  void limit.take(never)
  limit.recheck()
  expect(asked).toBe(2)
})

test('who leaves the line is not served, and keeps nobody behind it from being served', async () => {
  const limit = new LiveLimit({ max: 1, makeRoom: () => {} })
  const first = await limit.take(never)
  const control = new AbortController()
  const left = limit.take(control.signal)
  const behind = limit.take(never)

  control.abort(new Error('interrupted'))
  await expect(left).rejects.toThrow('interrupted')
  first()
  ;(await behind)()

  expect(limit.isFull).toBe(false)
})

test('one that leaves at the moment in which it is served gives its place back', async () => {
  const limit = new LiveLimit({ max: 1, makeRoom: () => {} })
  const first = await limit.take(never)
  const control = new AbortController()
  const served = limit.take(control.signal)

  first()
  control.abort(new Error('too late'))
  ;(await served)()

  expect(limit.isFull).toBe(false)
})
