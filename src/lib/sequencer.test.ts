import { expect, test } from 'vitest'
import { Sequencer } from './sequencer.js'

test('tasks of one key run one after the other, of different keys at the same time; a failure stops nobody', async () => {
  const sequencer = new Sequencer()
  const log: string[] = []
  const task =
    (name: string, turns: number, fails = false) =>
    async () => {
      log.push(`${name} begins`)
      for (let n = 0; n < turns; n += 1) await new Promise((resolve) => setImmediate(resolve))
      log.push(`${name} ends`)
      if (fails) throw new Error(name)
      return name
    }

  const results = Promise.allSettled([
    sequencer.run('a', task('a1', 3, true)),
    sequencer.run('a', task('a2', 1)),
    sequencer.run('b', task('b1', 1)),
  ])
  await sequencer.idle()

  expect(log).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
  expect((await results).map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
})
