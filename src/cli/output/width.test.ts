import { expect, test } from 'vitest'
import { color, renderStyles } from './style.js'
import { fit, fitEnd, widthOf, wrap } from './width.js'

test.each([
  ['abc', 3],
  ['세션', 4],
  ['テスト', 6],
  ['漢字 ab', 7],
  ['ｆｕｌｌ', 8],
  ['é', 1],
  ['e\u0301', 1],
  ['👍', 2],
  ['👨‍👩‍👧', 2],
  ['', 0],
])('%j takes %i columns', (text, width) => {
  expect(widthOf(text)).toBe(width)
})

test('styles take no columns', () => {
  expect(widthOf(color.red('세션'))).toBe(4)
})

test('what is too wide is cut, never in the middle of a character', () => {
  expect(fit('세션을 시작', 7)).toBe('세션을…')
  expect(fit('세션을 시작', 6)).toBe('세션…')
  expect(fit('abc', 3)).toBe('abc')
  expect(fit('👨‍👩‍👧👨‍👩‍👧', 3)).toBe('👨‍👩‍👧…')
})

test('a path is cut at its start', () => {
  expect(fitEnd('/work/project/src', 10)).toBe('…oject/src')
  expect(fitEnd('세션을 시작', 6)).toBe('… 시작')
})

test('lines are broken between words, and further lines are indented like the first', () => {
  expect(wrap('  - one two three four five six', 22)).toBe('  - one two three four\n    five six')
  expect(wrap('one two\nthree', 20)).toBe('one two\nthree')
})

test('a long word stays whole, so that a link can be copied', () => {
  const link = `http://127.0.0.1/${'x'.repeat(30)}`
  expect(wrap(`see ${link} now`, 20)).toBe(`see\n${link}\nnow`)
})

test('text without spaces is broken between its characters', () => {
  expect(wrap('テストを実行してください', 10)).toBe('テストを実\n行してくだ\nさい')
})

test('a style goes on over the break', () => {
  expect(renderStyles(wrap(color.red('one two'), 4), true)).toBe('\u001b[31mone\ntwo\u001b[39m')
})
