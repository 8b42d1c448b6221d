import { expect, test } from 'vitest'
import { answeredInput } from './answered-input.js'

const questions = [
  { question: 'Which one?', options: [{ label: 'A', preview: 'the look of A' }, { label: 'B' }] },
  { question: 'Which ones?', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }] },
]

test('several choices become one text; notes and the preview of the choice go with it', () => {
  const answers = { 'Which one?': 'A', 'Which ones?': ['C', 'D'] }

  expect(answeredInput(questions, answers, { 'Which one?': 'but smaller' })).toEqual({
    answers: { 'Which one?': 'A', 'Which ones?': 'C, D' },
    annotations: { 'Which one?': { notes: 'but smaller', preview: 'the look of A' } },
  })
})

test('a question that was left out is told as skipped', () => {
  expect(answeredInput(questions, { 'Which one?': 'B' }, {})).toEqual({
    answers: { 'Which one?': 'B' },
    annotations: { 'Which ones?': { unanswered: 'skipped' } },
  })
})
