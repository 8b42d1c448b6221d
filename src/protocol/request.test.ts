import { expect, test } from 'vitest'
import { ids, permissionRequested } from '../../test/support/build.js'
import type { SessionEvent } from './event/event.js'
import { applyToRequest, requestAsEvent } from './request.js'

const envelope = { id: 'evt_1', seq: 7, sessionId: 'ses_1', at: '2026-11-16T12:00:00.000Z' }
const question = {
  type: 'question.requested',
  data: {
    requestId: ids.next('que'),
    toolUseId: null,
    toolName: 'AskUserQuestion',
    input: {},
    inputDigest: 'digest',
    questions: [{ question: 'Which?', header: 'One', multiSelect: false, options: [] }],
    inTerminal: true,
  },
}

test.each([
  ['permission', permissionRequested(ids.next('per'))],
  [
    'plan',
    permissionRequested(ids.next('per'), { plan: 'First this.', freerMode: 'acceptEdits', timeoutMs: 500 }),
  ],
  ['question', question],
])('a %s as an event raises the same request', (_, draft) => {
  const request = applyToRequest(null, { ...envelope, ...draft } as SessionEvent)
  if (!request) throw new Error('It raises none.')
  expect(applyToRequest(null, requestAsEvent(request))).toEqual(request)
})
