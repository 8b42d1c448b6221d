import { expect, test } from 'vitest'
import type { Change } from '../../../../src/protocol/index.js'
import { linesOf } from '../../tool/diff-line.js'
import { diffQuery, groupByTurn, readScope, scopeKey, undoBody } from './scope.js'
import { splitRows } from './split.js'

test.each(['all', 'start', 'head', 'turn:3', 'agent:a1', 'change:chg_1'])(
  'the scope %s is kept in the address',
  (key) => {
    expect(scopeKey(readScope(key))).toBe(key)
  },
)

test('an address that says nothing shows all changes', () => {
  expect([readScope(null), readScope('turn:x'), readScope('<b>')].map(({ kind }) => kind)).toEqual([
    'all',
    'all',
    'all',
  ])
})

test('a comparison of states is shown, but not undone', () => {
  expect(diffQuery({ kind: 'head' })).toEqual({ against: 'head' })
  expect(undoBody({ kind: 'head' })).toBeNull()
  expect(undoBody({ kind: 'turn', turn: 2 })).toEqual({ turn: 2 })
})

test('changes are grouped by turn, the newest first', () => {
  const change = (id: string, turn: number | null) => ({ id, turn }) as Change
  const groups = groupByTurn([
    change('a', 1),
    change('b', 1),
    change('c', null),
    change('d', null),
    change('e', 2),
  ])
  expect(groups.map(({ turn, changes }) => [turn, changes.map(({ id }) => id)])).toEqual([
    [2, ['e']],
    [null, ['d']],
    [null, ['c']],
    [1, ['a', 'b']],
  ])
})

test('side by side, a removed line stands beside the line that replaces it', () => {
  const lines = linesOf([
    { oldStart: 1, newStart: 1, lines: [' same', '-one', '-two', '+ONE', ' same', '+new'] },
  ])
  expect(splitRows(lines).map(({ left, right }) => [left?.text ?? null, right?.text ?? null])).toEqual([
    ['same', 'same'],
    ['one', 'ONE'],
    ['two', null],
    ['same', 'same'],
    [null, 'new'],
  ])
})
