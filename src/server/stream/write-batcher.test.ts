import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BatchedWriter, FlushScheduler, flushIntervalMs } from './write-batcher.js'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Remembers what came in one go. */
function aSocket() {
  const batches: string[][] = []
  let corked: string[] | null = null
  return {
    batches,
    destroyed: false,
    writableLength: 0,
    cork: () => {
      corked = []
    },
    uncork: () => {
      if (corked) batches.push(corked)
      corked = null
    },
    write: (data: Buffer) => {
      corked?.push(data.toString())
      return true
    },
  }
}

const frames = (...texts: string[]) => texts.map((text) => Buffer.from(text))

test('the first goes at once, later ones go together at the next flush', () => {
  const socket = aSocket()
  const writer = new BatchedWriter(socket, new FlushScheduler())

  writer.write(frames('a'))
  writer.write(frames('b'))
  writer.write(frames('c', 'd'))
  expect(socket.batches).toEqual([['a']])
  expect(writer.length).toBe(3)
  vi.advanceTimersByTime(5)
  expect(socket.batches).toEqual([['a'], ['b', 'c', 'd']])
  vi.advanceTimersByTime(5)
  writer.write(frames('e'))

  expect(socket.batches).toEqual([['a'], ['b', 'c', 'd'], ['e']])
})

test('what is urgent does not wait, nor does what came before it', () => {
  const socket = aSocket()
  const writer = new BatchedWriter(socket, new FlushScheduler())
  writer.write(frames('a'))
  writer.write(frames('b'))
  writer.write(frames('c'), 'urgent')
  expect(socket.batches).toEqual([['a'], ['b', 'c']])
})

test('what can wait goes out with what follows it, in its order', () => {
  const socket = aSocket()
  const writer = new BatchedWriter(socket, new FlushScheduler())
  writer.write(frames('a'), 'low')
  writer.write(frames('b'), 'low')
  expect(socket.batches).toEqual([])
  writer.write(frames('c'))
  expect(socket.batches).toEqual([['a', 'b', 'c']])
})

test('what can wait does not wait for long, where nothing follows', () => {
  const socket = aSocket()
  const writer = new BatchedWriter(socket, new FlushScheduler())
  writer.write(frames('a'), 'low')
  vi.advanceTimersByTime(5)
  expect(socket.batches).toEqual([['a']])

  writer.write(frames('b'), 'low')
  writer.close()
  expect(socket.batches).toEqual([['a'], ['b']])
})

test('a writer that is closed says what it has, and leaves no timer behind', () => {
  const socket = aSocket()
  const writer = new BatchedWriter(socket, new FlushScheduler())
  writer.write(frames('a'))
  writer.write(frames('b'))
  writer.close()
  expect(socket.batches).toEqual([['a'], ['b']])
  vi.advanceTimersByTime(5)
  expect(vi.getTimerCount()).toBe(0)
})

test('the more writers, the longer the interval, so that there are never too many writes', () => {
  expect([1, 10, 11, 100, 250, 251, 1_000, 1_001, 2_500, 5_000, 100_000].map(flushIntervalMs)).toEqual([
    0, 0, 1, 5, 5, 20, 20, 50, 50, 100, 100,
  ])
})
