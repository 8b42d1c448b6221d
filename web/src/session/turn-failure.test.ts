/** The failure of a turn is shown in the user's language, and words of Claude Code unchanged. */

import { afterEach, beforeAll, expect, test } from 'vitest'
import { cutOffTurn } from '../../../src/session/recovery/recovery-drafts.js'
import { errors } from '../i18n/error/ko.js'
import { loadViewTexts } from '../i18n/i18n.js'
import { reasons } from '../i18n/reason/ko.js'
import { setServerTexts } from '../i18n/server-text.js'
import { turnFailure } from './turn-failure.js'

beforeAll(loadViewTexts)
afterEach(() => setServerTexts(null))

test('a turn that a restart has cut off', () => {
  const { data } = cutOffTurn('trn_1') as { data: Parameters<typeof turnFailure>[0] }
  expect(turnFailure(data)).toContain('Signalbox was stopped during this turn.')
  setServerTexts({ reasons, errors })
  expect(turnFailure(data)).toContain('이 턴을 실행하는 중에 Signalbox가 중지되었습니다.')
})

test('an error of the API, and a limit without words', () => {
  setServerTexts({ reasons, errors })
  expect(turnFailure({ stopReason: 'api_error', errors: ['Overloaded'] })).toContain('Overloaded')
  expect(turnFailure({ stopReason: 'max_turns', errors: [] })).not.toContain('max_turns')
})
