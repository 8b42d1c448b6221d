/** Sums of usage by day, session, model or project. */

import { groupBy } from '../lib/group-by.js'
import type { UsageBy, UsageRow } from '../protocol/usage.js'
import type { UsageSum } from '../store/port.js'

const HOUR_MS = 3_600_000

/** The newest day, or what cost most, first. */
export function groupUsage(sums: readonly UsageSum[], by: UsageBy, timeZone: string | undefined): UsageRow[] {
  const keyOf = keyFunction(by, timeZone)
  const groups = groupBy(sums, keyOf)
  const rows = [...groups].map(([key, members]) => rowOf(key, members))
  return rows.toSorted(
    by === 'day' ? (one, two) => (one.key < two.key ? 1 : -1) : (one, two) => two.costUsd - one.costUsd,
  )
}

/** All of them in one row. */
export function totalUsage(sums: readonly UsageSum[]): UsageRow {
  return rowOf('total', sums)
}

function keyFunction(by: UsageBy, timeZone: string | undefined): (sum: UsageSum) => string {
  switch (by) {
    case 'session':
      return (sum) => sum.sessionId
    case 'model':
      return (sum) => sum.model
    case 'project':
      return (sum) => sum.cwd
    case 'day': {
      // Swedes write dates as 2026-12-31.
      const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone })
      return (sum) => format.format(sum.hour * HOUR_MS)
    }
  }
}

function rowOf(key: string, members: readonly UsageSum[]): UsageRow {
  const add = (pick: (sum: UsageSum) => number) => members.reduce((total, sum) => total + pick(sum), 0)
  return {
    key,
    inputTokens: add((sum) => sum.inputTokens),
    outputTokens: add((sum) => sum.outputTokens),
    cacheReadInputTokens: add((sum) => sum.cacheReadInputTokens),
    cacheCreationInputTokens: add((sum) => sum.cacheCreationInputTokens),
    costUsd: add((sum) => sum.costUsd),
    sessions: new Set(members.map((sum) => sum.sessionId)).size,
    sources: [...new Set(members.map((sum) => sum.source))].toSorted(),
    unpriced: [...new Set(members.filter((sum) => !sum.isPriced).map((sum) => sum.model))].toSorted(),
  }
}
