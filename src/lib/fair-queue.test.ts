import { expect, test } from 'vitest'
import { FairQueue } from './fair-queue.js'

test('who waits passes in order, and others have a turn in between', async () => {
  const turnstile = new FairQueue()
  const seen: string[] = []
  const others = setInterval(() => seen.push('another'), 0)
  const work = async (name: string) => {
    for (let page = 1; page <= 3; page += 1) {
      await turnstile.pass()
      seen.push(`${name}${page}`)
      const until = performance.now() + 3
      while (performance.now() < until);
    }
  }
  await Promise.all([work('a'), work('b')])
  clearInterval(others)

  expect(seen.filter((name) => name !== 'another')).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
  expect(seen.slice(seen.indexOf('a1'), seen.indexOf('b3'))).toContain('another')
})
