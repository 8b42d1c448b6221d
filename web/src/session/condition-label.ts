/** Conditions of sessions in words, and what users can do about them. */

import type { Session } from '../../../src/protocol/index.js'
import type { TextKey } from '../i18n/dictionary.js'
import { number, t, time, timeOrDay } from '../i18n/i18n.js'

/** Null if the session has no condition. */
export function conditionText({ condition, conditionDetail }: Session): string | null {
  if (condition === null) return null
  const { attempt, maxAttempts, nextTryAt, until, reason, done = 0, total } = conditionDetail ?? {}
  switch (condition) {
    case 'retrying': {
      if (attempt === undefined || maxAttempts === undefined) return t('condition.retrying')
      const tries = { n: attempt, all: maxAttempts }
      return nextTryAt === undefined
        ? t('condition.retrying.of', tries)
        : t('condition.retrying.next', { ...tries, time: time(nextTryAt) })
    }
    case 'rate_limited':
      return until === undefined
        ? t('condition.rate_limited')
        : t('condition.rate_limited.until', { time: timeOrDay(until) })
    case 'recording':
      return total === undefined
        ? t('condition.recording')
        : t('condition.recording.of', { n: number(done), all: number(total) })
    case 'failed':
      return reason === undefined ? t('condition.failed') : t('condition.failed.because', { reason })
    case 'background':
      return reason === undefined
        ? t('condition.background')
        : t('condition.background.what', { task: reason })
    default:
      return t(`condition.${condition}` satisfies TextKey)
  }
}

/** Whether a user must act before the session goes on. */
export function needsUser({ state, condition }: Session): boolean {
  if (state === 'permission' || state === 'question') return true
  return condition === 'failed' || condition === 'interrupted' || condition === 'not_responding'
}

/** The action that lets the session go on. Null if there is none, as for sessions in terminals. */
export function remedyOf({ kind, condition }: Session): 'continue' | 'retry' | null {
  if (kind !== 'managed') return null
  if (condition === 'interrupted') return 'continue'
  return condition === 'failed' || condition === 'rate_limited' ? 'retry' : null
}
