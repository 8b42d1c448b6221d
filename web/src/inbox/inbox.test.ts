import { expect, test } from 'vitest'
import type { InboxRequest } from '../../../src/protocol/index.js'
import { readAnswers } from './questions.js'
import { visibleRequests } from './view.js'

const questions = [
  { question: 'Which one?', options: [{ label: 'Left' }] },
  { question: 'What else?', multiSelect: true, options: [{ label: 'Salt' }] },
]

test('all questions are answered together, with one value or several, including free text', () => {
  const choices = {
    'Which one?': { picked: ['Left'], custom: '' },
    'What else?': { picked: ['Salt'], custom: ' sugar ' },
  }
  expect(readAnswers(questions, choices)).toEqual({ 'Which one?': 'Left', 'What else?': ['Salt', 'sugar'] })
  expect(readAnswers(questions, { 'Which one?': { picked: [], custom: 'Up' } })).toBe(null)
})

function aRequest(id: string, requestedAt: string, answeredAt?: string): InboxRequest {
  const resolution = answeredAt && { at: answeredAt, by: 'person', who: 'kim', via: 'cli', reason: null }
  return {
    id,
    requestedAt,
    state: answeredAt ? 'resolved' : 'pending',
    resolution: resolution || null,
  } as InboxRequest
}

test('the oldest request comes first, and one resolved since the view was opened stays in place', () => {
  const pending = [aRequest('per_3', '12:03'), aRequest('per_1', '12:01')]
  const answered = [aRequest('per_2', '12:02', '12:10'), aRequest('per_0', '12:00', '12:04')]
  const before = new Set(['per_0'])

  expect(visibleRequests(pending, answered, before).map(({ id }) => id)).toEqual(['per_1', 'per_2', 'per_3'])
})
