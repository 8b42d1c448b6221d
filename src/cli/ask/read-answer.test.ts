import { expect, test } from 'vitest'
import type { InboxRequest } from '../../protocol/request.js'
import { readAnswer } from './read-answer.js'

const request = (change: Partial<InboxRequest>): InboxRequest => ({
  id: 'que_00000000000000000000000000',
  sessionId: 'ses_00000000000000000000000000',
  kind: 'question',
  state: 'pending',
  requestedAt: '2026-11-16T00:00:00.000Z',
  toolUseId: null,
  toolName: 'AskUserQuestion',
  input: {},
  inputDigest: '',
  agentId: null,
  title: '',
  reason: '',
  suggestions: [],
  questions: [],
  plan: null,
  form: null,
  expiresAt: null,
  isParked: false,
  isOnlyInTerminal: false,
  resolution: null,
  ...change,
})

test('a question takes a value for each part, and notes in the same order', () => {
  const questions = [{ question: 'One?' }, { question: 'Some?', multiSelect: true }]

  expect(readAnswer(request({ questions }), ['a', 'b, c'], ['first'])).toEqual({
    answers: { 'One?': 'a', 'Some?': ['b', 'c'] },
    notes: { 'One?': 'first' },
  })
  expect(() => readAnswer(request({ questions }), ['a'], [])).toThrow('2 questions. Give one value for each.')
})

test('a permission and a plan take a decision and words for the agent', () => {
  const permission = request({ kind: 'permission' })

  expect(readAnswer(permission, ['deny', 'not', 'now'], [])).toEqual({ decision: 'deny', message: 'not now' })
  expect(readAnswer(permission, ['allowAll'], [])).toEqual({ decision: 'allowAll' })
  expect(() => readAnswer(permission, ['yes'], [])).toThrow('allow, allowAll or deny')
})

test('a form takes its fields by name, or an action', () => {
  const properties = { name: { type: 'string' }, age: { type: 'integer' } }
  const form = { server: 'kit', message: '', schema: { properties } }

  expect(readAnswer(request({ form }), ['name=Kim=K', 'age=7'], [])).toEqual({
    action: 'accept',
    content: { name: 'Kim=K', age: 7 },
  })
  expect(readAnswer(request({ form }), ['decline'], [])).toEqual({ action: 'decline' })
  expect(() => readAnswer(request({ form }), ['size=7'], [])).toThrow('name=… age=…')
})

test('a number chooses an option, and one that no option has is refused', () => {
  const options = [{ label: 'Left' }, { label: 'Right' }]
  const one = request({ questions: [{ question: 'Which?', options }] })
  const some = request({ questions: [{ question: 'Which?', options, multiSelect: true }] })

  expect(readAnswer(one, ['2'], [])).toEqual({ answers: { 'Which?': 'Right' } })
  expect(readAnswer(one, ['Left'], [])).toEqual({ answers: { 'Which?': 'Left' } })
  expect(readAnswer(one, ['neither of 2'], [])).toEqual({ answers: { 'Which?': 'neither of 2' } })
  expect(readAnswer(some, ['1, 2'], [])).toEqual({ answers: { 'Which?': ['Left', 'Right'] } })
  for (const value of ['3', '0', '1,2'])
    expect(() => readAnswer(one, [value], [])).toThrow('Use 1 to 2, or your own text.')
  expect(() => readAnswer(some, ['1,3'], [])).toThrow('numbers from 1 to 2')
})

test('a number is the answer where no options were given, or where one is called so', () => {
  expect(readAnswer(request({ questions: [{ question: 'How many?' }] }), ['7'], [])).toEqual({
    answers: { 'How many?': '7' },
  })
  const options = [{ label: '10' }, { label: '20' }]
  expect(readAnswer(request({ questions: [{ question: 'How many?', options }] }), ['20'], [])).toEqual({
    answers: { 'How many?': '20' },
  })
})
