import { expect, test } from 'vitest'
import { HubError } from '../protocol/error.js'
import { errorText } from './error-text.js'

test('a value that the daemon refuses is named with its problem, and other errors have their message', () => {
  const details = { part: 'body', fieldErrors: { to: ['Expected an id of the form msg_…'] } }
  expect(errorText(new HubError('request_invalid', 'The body is invalid. ✖ …', details))).toBe(
    'Invalid to: Expected an id of the form msg_….',
  )
  expect(errorText(new HubError('session_not_found', 'No session.'))).toBe('No session.')
  expect(errorText(new Error('It failed.'))).toBe('It failed.')
  expect(errorText('odd')).toBe('odd')
})
