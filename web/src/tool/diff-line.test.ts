import { expect, test } from 'vitest'
import { changedWords, diffLines } from './diff-line.js'

const marksOf = (before: string, after: string) =>
  diffLines(before, after)
    .filter(({ kind }) => kind !== 'same')
    .map((line) => [line.text, changedWords(line).map(({ start, end }) => line.text.slice(start, end))])

test('the words that differ in a changed line are marked on both sides', () => {
  expect(marksOf('const sum = 1 + 2', 'const total = 1 + 2')).toEqual([
    ['const sum = 1 + 2', ['sum']],
    ['const total = 1 + 2', ['total']],
  ])
})

test('a line is compared with the added line that resembles it, also if their numbers differ', () => {
  expect(marksOf('return sum(a, b)', '// adds\nif (!a) throw x\nreturn sum(a, c)')).toEqual([
    ['return sum(a, b)', ['b']],
    ['// adds', []],
    ['if (!a) throw x', []],
    ['return sum(a, c)', ['c']],
  ])
})

test('lines that share little are not marked', () => {
  expect(marksOf('alpha beta', 'one two three')).toEqual([
    ['alpha beta', []],
    ['one two three', []],
  ])
})
