import { expect, test } from 'vitest'
import { fit, table, widthOf } from './table.js'

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

test('what is too wide is cut, never in the middle of a character', () => {
  expect(fit('세션을 시작', 7)).toBe('세션을…')
  expect(fit('세션을 시작', 6)).toBe('세션…')
  expect(fit('abc', 3)).toBe('abc')
  expect(fit('👨‍👩‍👧👨‍👩‍👧', 3)).toBe('👨‍👩‍👧…')
})

test('columns stand below each other with Korean and Japanese text', () => {
  const text = table(
    [{ title: 'name', maxWidth: 10 }, { title: 'cost', align: 'right' }, { title: 'where' }],
    [
      ['세션 시작', '$1.00', 'a'],
      ['テストを実行してください', '$10.50', 'b'],
      ['plain', '', 'c'],
    ],
  )
  expect(text).toBe(
    [
      'name         cost  where',
      '세션 시작   $1.00  a',
      'テストを…  $10.50  b',
      'plain              c',
      '',
    ].join('\n'),
  )
})
