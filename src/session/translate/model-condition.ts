/** The model does not answer: retries and rate limits, as conditions of the session and as notices. */

import { asCount, asRecord, asText, type Loose } from '../../lib/read-json.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { reason } from '../../protocol/reason/reason.js'
import { endModelCondition, type Translation } from './state.js'

export function translateRetry(to: Translation, message: Loose): void {
  const attempt = asCount(message['attempt'])
  const maxAttempts = asCount(message['max_retries'])
  const error = asText(message['error']) ?? 'no answer'
  const delayMs = asCount(message['retry_delay_ms'])
  // Without a turn the CLI retries work of its own, which delays nothing.
  if (to.state.turn) {
    to.state.modelCondition = 'retrying'
    const conditionDetail = {
      ...atLeastOne('attempt', attempt),
      ...atLeastOne('maxAttempts', maxAttempts),
      ...(delayMs !== null && { nextTryAt: timeAt(to.now + delayMs) }),
      reason: error,
    }
    to.emit({ type: 'session.changed', data: { condition: 'retrying', conditionDetail } })
  }
  const tries = { attempt: String(attempt ?? '?'), max: String(maxAttempts ?? '?') }
  const details = { attempt, max_retries: maxAttempts, retry_delay_ms: delayMs, error }
  to.emit(
    raiseNotice('warning', 'retry', reason('notice.model-retry', { reason: error, ...tries }), {
      ...details,
      error_status: message['error_status'] ?? null,
    }),
  )
}

export function raiseRateLimit(to: Translation, message: Loose): void {
  const info = asRecord(message['rate_limit_info'])
  const status = asText(info['status']) ?? 'unknown'
  const kind = asText(info['rateLimitType']) ?? 'unknown'
  if (status === 'rejected') {
    to.state.modelCondition = 'rate_limited'
    const resetsAt = asCount(info['resetsAt'])
    const conditionDetail = {
      ...(resetsAt !== null && { until: timeAt(resetsAt * 1000) }),
      reason: kind.replaceAll('_', ' '),
    }
    to.emit({ type: 'session.changed', data: { condition: 'rate_limited', conditionDetail } })
  } else if (to.state.modelCondition === 'rate_limited') endModelCondition(to)
  const level = status === 'rejected' ? 'error' : status === 'allowed' ? 'info' : 'warning'
  to.emit(raiseNotice(level, 'rate_limit', reason('notice.rate-limit', { kind, status }), info))
}

function atLeastOne<Name extends string>(name: Name, value: number | null): { [Key in Name]?: number } {
  // Cast: a computed key widens to a string.
  return (value !== null && value >= 1 ? { [name]: Math.floor(value) } : {}) as { [Key in Name]?: number }
}

/** The latest time that a Date can have bounds what the CLI may say. */
function timeAt(ms: number): string {
  return new Date(Math.min(Math.max(ms, 0), 8.64e15)).toISOString()
}
