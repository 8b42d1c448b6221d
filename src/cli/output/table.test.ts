import { expect, test } from 'vitest'
import { table } from './table.js'
import { widthOf } from './width.js'

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

const COLUMNS = [
  { title: 'id' },
  { title: 'title', minWidth: 8 },
  { title: 'cost', align: 'right', dropsAt: 1 },
  { title: 'folder', minWidth: 8, keepsEnd: true },
] as const
const ROW = ['abcdef', 'Fix the failing login test', '$1.00', '~/projects/shop/web']

test('on a narrow terminal texts are cut first, and columns are left out last', () => {
  expect(table(COLUMNS, [ROW], { width: 50 })).toBe(
    [
      'id      title              cost  folder',
      'abcdef  Fix the failing…  $1.00  …rojects/shop/web',
      '',
    ].join('\n'),
  )
  expect(table(COLUMNS, [ROW], { width: 26 })).toBe('id      title     folder\nabcdef  Fix the…  …hop/web\n')
})

test('a column that says nothing is left out, and what it took goes to the others', () => {
  expect(table(COLUMNS, [ROW.toSpliced(2, 1, '')], { width: 50 })).toBe(
    ['id      title                  folder', 'abcdef  Fix the failing logi…  ~/projects/shop/web', ''].join(
      '\n',
    ),
  )
  expect(table(COLUMNS, [ROW.toSpliced(2, 1, '')])).toContain('cost')
})

test('where a column is left out, the others are as wide as they can be', () => {
  expect(table(COLUMNS, [ROW], { width: 32 })).toBe(
    'id      title        folder\nabcdef  Fix the fa…  …s/shop/web\n',
  )
})

test.each([20, 30, 60, 80, 200])('no line is wider than %i columns', (width) => {
  const long = ['x'.repeat(40), '세션을 시작하세요 '.repeat(5), '$1', `/${'folder/'.repeat(20)}`]
  for (const line of table(COLUMNS, [ROW, long], { width }).split('\n'))
    expect(widthOf(line)).toBeLessThanOrEqual(width)
})

test('a column that wraps keeps all of its text', () => {
  const columns = [{ title: 'name' }, { title: 'value', minWidth: 6, wraps: true }]
  expect(
    table(
      columns,
      [
        ['a', 'one two three'],
        ['b', 'abcdefghijk'],
      ],
      { width: 14 },
    ),
  ).toBe(['name  value', 'a     one two', '      three', 'b     abcdefgh', '      ijk', ''].join('\n'))
})
