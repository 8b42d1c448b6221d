import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createProgress } from './progress.js'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function setup() {
  const written: string[] = []
  const progress = createProgress(
    (text) => void written.push(text),
    () => 80,
  )
  return { progress, written }
}

test('a quick command shows nothing', () => {
  const { progress, written } = setup()
  const end = progress.busy('Searching')
  vi.advanceTimersByTime(900)
  end()
  vi.advanceTimersByTime(5_000)
  expect(written).toEqual([])
})

test('after a second the work is named, and the line is gone when it ends', () => {
  const { progress, written } = setup()
  const end = progress.busy('Searching')
  vi.advanceTimersByTime(2_000)
  end()
  expect(written).toEqual(['\r\u001b[2KSearching … 1 s', '\r\u001b[2KSearching … 2 s', '\r\u001b[2K'])
})

test('other output clears the line, and it comes again after another second', () => {
  const { progress, written } = setup()
  progress.busy('Checking')
  vi.advanceTimersByTime(1_500)
  progress.clear()
  vi.advanceTimersByTime(900)
  expect(written.at(-1)).toBe('\r\u001b[2K')
  vi.advanceTimersByTime(100)
  expect(written.at(-1)).toContain('Checking')
})
