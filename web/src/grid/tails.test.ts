import { expect, test, vi } from 'vitest'
import type { Delta, SessionEvent } from '../../../src/protocol/index.js'
import { keptOrder } from './choose.js'
import { type TailSource, Tails } from './tails.js'

const AT = '2026-11-18T12:00:00.000Z'
const said = (sessionId: string, seq: number, text: string): SessionEvent => ({
  sessionId,
  seq,
  id: `evt_${seq}`,
  at: AT,
  type: 'text.ended',
  data: { messageId: `m${seq}`, index: 0, text },
})
const writes = (sessionId: string, text: string): Delta => ({
  sessionId,
  at: AT,
  type: 'text.delta',
  data: { messageId: 'm9', index: 0, offset: 0, text },
})

function aSource(logs: Record<string, SessionEvent[]>) {
  const queue: (SessionEvent | Delta)[] = []
  let wake = () => {}
  const loaded: string[] = []
  let isOpen = true
  const source: TailSource = {
    load: async (id) => {
      loaded.push(id)
      return [...(logs[id] ?? [])]
    },
    async *follow(signal, onLive) {
      onLive()
      signal.addEventListener('abort', () => {
        isOpen = false
        wake()
      })
      while (!signal.aborted) {
        const event = queue.shift()
        if (event) yield event
        else
          await new Promise<void>((resolve) => {
            wake = resolve
          })
      }
    },
  }
  const send = async (...events: (SessionEvent | Delta)[]) => {
    queue.push(...events)
    wake()
    await vi.advanceTimersByTimeAsync(150)
  }
  return { source, send, loaded, isFollowed: () => isOpen }
}

const textsOf = (tails: Tails, id: string) =>
  tails.get(id)?.items.map((item) => ('text' in item ? item.text : item.kind))

test('tails follow what is written, over one stream, each session only its own', async () => {
  vi.useFakeTimers()
  const { source, send, loaded, isFollowed } = aSource({ a: [said('a', 1, 'one')], b: [] })
  const tails = new Tails(source)
  const changes = vi.fn<() => void>()
  tails.subscribe('a', changes)
  tails.show(['a', 'b'])
  await vi.advanceTimersByTimeAsync(0)
  expect(textsOf(tails, 'a')).toEqual(['one'])

  await send(
    said('a', 1, 'one'),
    said('a', 2, 'two'),
    writes('a', 'thr'),
    writes('b', 'x'),
    said('c', 1, 'other'),
  )
  expect(textsOf(tails, 'a')).toEqual(['one', 'two', 'thr'])
  expect(textsOf(tails, 'b')).toEqual(['x'])
  expect(tails.get('c')).toBeNull()
  expect(changes).toHaveBeenCalledTimes(2)
  expect(loaded).toEqual(['a', 'b'])

  tails.show(['b'])
  expect(tails.get('a')).toBeNull()
  tails.close()
  expect(isFollowed()).toBe(false)
  vi.useRealTimers()
})

test('a missed event loads the tail again, and a long tail keeps its end', async () => {
  vi.useFakeTimers()
  const log = Array.from({ length: 100 }, (_, place) => said('a', place + 1, `line ${place + 1}`))
  const { source, send, loaded } = aSource({ a: log })
  const tails = new Tails(source)
  tails.show(['a'])
  await vi.advanceTimersByTimeAsync(0)
  expect(textsOf(tails, 'a')?.length).toBeLessThan(100)
  expect(textsOf(tails, 'a')?.at(-1)).toBe('line 100')

  log.push(said('a', 101, 'line 101'), said('a', 102, 'line 102'))
  await send(said('a', 102, 'line 102'))
  await vi.advanceTimersByTimeAsync(0)
  expect(textsOf(tails, 'a')?.slice(-2)).toEqual(['line 101', 'line 102'])
  expect(loaded).toEqual(['a', 'a'])
  tails.close()
  vi.useRealTimers()
})

test('tiles keep their places, and new sessions come last', () => {
  expect(keptOrder(['a', 'b', 'c'], ['d', 'c', 'a'])).toEqual(['a', 'c', 'd'])
  expect(keptOrder([], ['b', 'a'])).toEqual(['b', 'a'])
})
