import { expect, test } from 'vitest'
import type { TranscriptItem } from '../../../../src/protocol/index.js'
import { hitsIn } from './find.js'
import type { Row } from './row.js'

const at = '2026-11-17T12:00:00.000Z'

const text = (id: string, words: string): Row => ({
  item: { kind: 'text', id, at, text: words, isWriting: false },
  children: [],
})

function call(
  id: string,
  part: Partial<Extract<TranscriptItem, { kind: 'tool' }>>,
  children: Row[] = [],
): Row {
  const item: TranscriptItem = {
    kind: 'tool',
    id,
    at,
    name: 'Bash',
    agent: null,
    input: {},
    writing: null,
    state: 'completed',
    requestId: null,
    result: null,
    error: null,
    durationMs: 1,
    by: null,
    ...part,
  }
  return { item, children }
}

const idsOf = (entry: Parameters<typeof hitsIn>[0], words: string) =>
  hitsIn(entry, 7, words).map(({ id, place, path }) => [id, place, [...path]])

test('text is found whatever its case, in input, result and error of a call', () => {
  expect(idsOf(text('a', 'The Needle'), 'needle')).toEqual([['a', 7, ['a']]])
  expect(idsOf(call('b', { input: { command: 'grep needle' } }), 'needle')).toHaveLength(1)
  expect(idsOf(call('b', { result: { stdout: 'a needle' } }), 'needle')).toHaveLength(1)
  expect(idsOf(call('b', { error: 'No Needle' }), 'needle')).toHaveLength(1)
  expect(idsOf(call('b', { result: 'hay' }), 'needle')).toEqual([])
})

test('a step of a subagent leads through the call that started it, a folded call through its run', () => {
  expect(idsOf(call('agent', {}, [text('step', 'needle')]), 'needle')).toEqual([
    ['step', 7, ['agent', 'step']],
  ])
  const run = { id: 'run', rows: [call('a', {}), call('b', { result: 'needle' })] }
  expect(idsOf(run, 'needle')).toEqual([['b', 7, ['b']]])
})
