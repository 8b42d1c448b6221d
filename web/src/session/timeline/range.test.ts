import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pan, type Range, reveal, ticks, zoom } from './range.js'

const spans = fc.integer({ min: 1, max: 100_000_000 })
const factors = fc.double({ min: 0.01, max: 100, noNaN: true })

test('zooming keeps the point under the pointer fixed', () => {
  expect(zoom({ from: 0, to: 1_000 }, 1_000, 0.5, 250)).toEqual({ from: 125, to: 625 })
  expect(zoom({ from: 125, to: 625 }, 1_000, 2, 250)).toEqual({ from: 0, to: 1_000 })
})

test('panning moves by a fraction of the range and stops at the ends', () => {
  expect(pan({ from: 100, to: 300 }, 1_000, 0.5)).toEqual({ from: 200, to: 400 })
  expect(pan({ from: 100, to: 300 }, 1_000, -5)).toEqual({ from: 0, to: 200 })
  expect(pan({ from: 700, to: 900 }, 1_000, 5)).toEqual({ from: 800, to: 1_000 })
})

test('a call outside the range is revealed', () => {
  const range = { from: 400, to: 600 }
  expect(reveal(range, 1_000, 450, 500)).toEqual(range)
  expect(reveal(range, 1_000, 100, 150)).toEqual({ from: 100, to: 300 })
  expect(reveal(range, 1_000, 650, 700)).toEqual({ from: 500, to: 700 })
})

test('any sequence of zoom and pan stays inside the timeline', () => {
  const steps = fc.array(
    fc.oneof(
      fc.tuple(factors, fc.double({ min: 0, max: 1, noNaN: true })).map(
        ([factor, at]) =>
          (range: Range, span: number) =>
            zoom(range, span, factor, at * span),
      ),
      factors.map((part) => (range: Range, span: number) => pan(range, span, part - 50)),
    ),
  )
  fc.assert(
    fc.property(spans, steps, (span, acts) => {
      let range: Range = { from: 0, to: span }
      for (const act of acts) range = act(range, span)
      expect(range.from).toBeGreaterThanOrEqual(0)
      expect(range.to).toBeLessThanOrEqual(span + 0.001)
      expect(range.to).toBeGreaterThan(range.from)
    }),
  )
})

test('ticks are round times, at most one more than asked for', () => {
  expect(ticks({ from: 0, to: 1_000 }, 5)).toEqual([0, 200, 400, 600, 800, 1_000])
  expect(ticks({ from: 61_000, to: 125_000 }, 3)).toEqual([90_000, 120_000])
  fc.assert(
    fc.property(spans, fc.integer({ min: 1, max: 20 }), (span, most) => {
      expect(ticks({ from: 0, to: span }, most).length).toBeLessThanOrEqual(most + 1)
    }),
  )
})
