/** Names and amounts of usage, in the user's language. */

import type { Session, UsageBy, UsageRow } from '../../../src/protocol/index.js'
import { compact, day, money, t, time } from '../i18n/i18n.js'
import { folderName, modelName, sessionName } from '../session/session-label.js'
import type { Measure } from './series.js'

export function rowName(key: string, by: UsageBy, session?: Session): string {
  switch (by) {
    case 'hour':
      return time(key)
    case 'day':
      return day(key)
    case 'model':
      return modelName(key)
    case 'project':
      return folderName(key)
    case 'session':
      if (session) return sessionName(session)
      return isManaged(key) ? t('usage.deleted') : t('usage.untracked', { id: key.slice(0, 8) })
  }
}

/** Usage of sessions outside Signalbox comes from their transcripts and has Claude's session id as the key. */
export function isManaged(key: string): boolean {
  return key.startsWith('ses_')
}

export function amount(value: number, measure: Measure): string {
  return measure === 'cost' ? money(value) : t('usage.tokens', { n: compact(value) })
}

/** The scripted model is free; a model without a known price is not in the sum. */
export function costLabel({ costUsd, sources, unpriced }: UsageRow): string {
  if (sources.length > 0 && sources.every((source) => source === 'scripted')) return t('scripted.free')
  return unpriced.length > 0 ? `${money(costUsd)} + ?` : money(costUsd)
}
