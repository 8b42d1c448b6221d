import { expect, test } from 'vitest'
import type { TranscriptItem } from '../../../../src/protocol/index.js'
import { buildRows } from './row.js'
import { entryId, foldRuns, isRun } from './run.js'

const at = '2026-11-17T12:00:00.000Z'

type Tool = Extract<TranscriptItem, { kind: 'tool' }>

const tool = (id: string, name: string, part: Partial<Tool> = {}): TranscriptItem => ({
  kind: 'tool',
  id,
  at,
  name,
  agent: null,
  input: {},
  writing: null,
  state: 'completed',
  requestId: null,
  result: 'ok',
  error: null,
  durationMs: 10,
  by: null,
  ...part,
})
const text = (id: string): TranscriptItem => ({ kind: 'text', id, at, text: id, isWriting: false })
const thinking = (id: string): TranscriptItem => ({ kind: 'thinking', id, at, text: id, isWriting: false })
const notice = (id: string, topic: string, words: string): TranscriptItem => ({
  kind: 'notice',
  id,
  at,
  level: 'error',
  topic,
  text: words,
})
const failure = (id: string, why: string): TranscriptItem => ({
  kind: 'turn',
  id,
  at,
  outcome: 'failed',
  stopReason: 'api_error',
  errors: [why],
  costUsd: null,
  durationMs: null,
})

function shown(...items: TranscriptItem[]) {
  const places = new Map(items.map(({ id }, place) => [id, place]))
  return foldRuns(buildRows({ items, places, agents: new Map() })).map((entry) =>
    isRun(entry) ? entry.rows.map(({ item }) => item.id) : entryId(entry),
  )
}

test('calls in a row that need no attention are one entry, with the thinking between them', () => {
  const items = [tool('a', 'Read'), thinking('b'), tool('c', 'Bash'), tool('d', 'mcp__kit__where'), text('e')]
  expect(shown(...items)).toEqual([['a', 'b', 'c', 'd'], 'e'])
})

test('changes, failures and calls that wait or run stay visible', () => {
  const reads = (name: string) => [1, 2, 3].map((place) => tool(`${name}${place}`, 'Read'))
  const visible = [
    tool('edit', 'Edit'),
    tool('failed', 'Bash', { state: 'failed' }),
    tool('waits', 'Bash', { state: 'requested', requestId: 'per_1' }),
    tool('runs', 'Bash', { state: 'running' }),
    tool('image', 'Read', { result: { file: { base64: 'iVBO', type: 'image/png' } } }),
  ]
  for (const item of visible)
    expect(shown(...reads('a'), item, ...reads('b'), text('end'))).toEqual([
      ['a1', 'a2', 'a3'],
      item.id,
      ['b1', 'b2', 'b3'],
      'end',
    ])
})

test('two calls are no run, and the last two of a working agent stay open', () => {
  expect(shown(tool('a', 'Read'), tool('b', 'Read'), text('c'))).toEqual(['a', 'b', 'c'])
  const five = ['a', 'b', 'c', 'd', 'e'].map((id) => tool(id, 'Read'))
  expect(shown(...five)).toEqual([['a', 'b', 'c'], 'd', 'e'])
})

test('an error that fails the turn is shown once, as are retries', () => {
  expect(shown(notice('a', 'api', 'Prompt is too long'), failure('b', 'Prompt is too long'))).toEqual(['b'])
  expect(shown(notice('a', 'retry', '1 of 10'), notice('b', 'retry', '2 of 10'), text('c'))).toEqual([
    'b',
    'c',
  ])
  expect(shown(notice('a', 'mcp', 'No server'), failure('b', 'Overloaded'))).toEqual(['a', 'b'])
})
