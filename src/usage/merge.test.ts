import { expect, test } from 'vitest'
import { mergeUsage } from './merge.js'

const figures = {
  hour: 1,
  cwd: '/a',
  model: 'm',
  inputTokens: 1,
  outputTokens: 1,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  costUsd: 1,
  isPriced: true,
}
const stored = (sessionId: string, source: 'sdk' | 'transcript') => ({ ...figures, sessionId, source })
const read = (sessionId: string) => ({ ...figures, sessionId })
const known = (
  claudeSessionId: string,
  sessionId: string,
  kind: 'managed' | 'observed',
  isAdopted = false,
) => ({
  claudeSessionId,
  sessionId,
  kind,
  isAdopted,
})

const merged = (...given: Parameters<typeof mergeUsage>) =>
  mergeUsage(...given).map(({ sessionId, source }) => `${sessionId} ${source}`)

test('a session of ours counts as the Agent SDK has told', () => {
  expect(merged([stored('ses_1', 'sdk')], [read('c1')], [known('c1', 'ses_1', 'managed')])).toEqual([
    'ses_1 sdk',
  ])
})

test('a session of a terminal counts as its transcript tells, under our id where we have seen it', () => {
  expect(
    merged([stored('ses_2', 'transcript')], [read('c2'), read('c3')], [known('c2', 'ses_2', 'observed')]),
  ).toEqual(['ses_2 transcript', 'c3 transcript'])
})

test('a session that was begun in a terminal counts with what was before', () => {
  expect(merged([stored('ses_4', 'sdk')], [read('c4')], [known('c4', 'ses_4', 'managed', true)])).toEqual([
    'ses_4 transcript',
  ])
})

test('a session whose transcript is not there counts as it was told', () => {
  expect(merged([stored('ses_5', 'transcript')], [], [])).toEqual(['ses_5 transcript'])
})
