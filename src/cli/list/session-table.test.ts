import { expect, test } from 'vitest'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { renderStyles } from '../output/style.js'
import { widthOf } from '../output/width.js'
import { requestText } from './request-text.js'
import { sessionTable } from './session-table.js'
import { conditionText } from './session-text.js'

const NOW = Date.parse('2026-11-17T12:00:00.000Z')

// Casts: only the fields that lists show.
const session = (change: Partial<Session> = {}) =>
  ({
    id: 'ses_01m7h4k2aaaaaaaaaaaaaabcde',
    kind: 'managed',
    state: 'idle',
    activity: null,
    condition: null,
    pendingRequests: [],
    pendingTools: {},
    isInterrupted: false,
    outcome: null,
    queue: [],
    title: 'Fix the login',
    name: 'yes',
    cwd: '/work/shop',
    branch: 'main',
    costUsd: 0.5,
    updatedAt: '2026-11-17T11:57:00.000Z',
    ...change,
  }) as Session
const request = (change: Partial<InboxRequest> = {}) =>
  ({
    id: 'per_01m7h4k2aaaaaaaaaaaaaavwxy',
    title: 'Bash: rm -rf build && git push --force origin main',
    reason: 'Force-pushes and rewrites origin/main.',
    grant: { tool: 'Bash', findings: ['network', 'delete', 'write'] },
    plan: null,
    questions: [],
    form: null,
    expiresAt: null,
    isParked: false,
    isOnlyInTerminal: false,
    requestedAt: '2026-11-17T11:59:48.000Z',
    ...change,
  }) as InboxRequest

const waiting = session({ pendingRequests: [request().id], state: 'permission' })
const other = session({
  id: 'ses_01m7h4k2aaaaaaaaaaaaaabcdf',
  title: '세션을 시작하고 테스트를 모두 실행하세요',
})
const list = { sessions: [waiting, other], requests: [request()] }

test('a session is a line, with what it waits for and the most serious finding below it', () => {
  expect(renderStyles(sessionTable(list, { width: 120, now: NOW }), false)).toBe(
    [
      'id    state            age  title                                     folder      branch   cost',
      'bcde  Waiting for you   3m  Fix the login                             /work/shop  main    $0.50',
      '  Bash: rm -rf build && git push --force origin main – Force-pushes and rewrites origin/main. (2 more: policy explain)',
      'bcdf  Idle              3m  세션을 시작하고 테스트를 모두 실행하세요  /work/shop  main    $0.50',
      '',
    ].join('\n'),
  )
})

test('sixty columns have title, folder, branch, age and state', () => {
  const text = renderStyles(sessionTable(list, { width: 60, now: NOW }), false)
  expect(text.split('\n')[0]).toMatch(/^id +state +age +title +folder +branch$/)
  for (const line of text.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(60)
})

test('a pipe gets whole ids', () => {
  expect(sessionTable(list, { width: null, now: NOW })).toContain(waiting.id)
})

test.each<[Partial<Session>, string]>([
  [{ pendingRequests: ['per_1', 'per_2'] as Session['pendingRequests'] }, 'Waiting for you (2)'],
  [{ state: 'working', activity: 'thinking' }, 'Thinking'],
  [{ state: 'working', activity: 'responding' }, 'Writing'],
  [{ state: 'working', activity: 'tool', pendingTools: { a: 'Bash' } }, 'Running Bash'],
  [{ condition: 'waiting_for_slot' }, 'Waiting for a slot'],
  [{ isInterrupted: true }, 'Interrupted by a restart'],
  [{ state: 'ended', outcome: 'failed' }, 'Ended, failed'],
  [{ kind: 'observed' }, 'Idle, terminal'],
])('%j is shown as %s', (change, text) => {
  expect(conditionText(session(change))).toBe(text)
})

test('a request shows its session, its age, the finding and what can be chosen', () => {
  const options = { width: 60, now: NOW, shortId: 'vwxy', session: session() }
  const questions = [{ question: 'Which?', options: [{ label: 'Left' }, { label: 'Right' }] }]

  expect(renderStyles(requestText(request(), options), false)).toBe(
    [
      'vwxy  Bash: rm -rf build && git push --force origin ma…  12s',
      '    Fix the login · /work/shop · main',
      '    Force-pushes and rewrites origin/main. (2 more: policy explain)',
      '',
    ].join('\n'),
  )
  expect(renderStyles(requestText(request({ questions, title: 'Which?' }), options), false)).toContain(
    '    1  Left\n    2  Right\n',
  )
  expect(renderStyles(requestText(request({ plan: '# Do it' }), options), false)).toContain(
    'vwxy  Plan ready for review',
  )
})
