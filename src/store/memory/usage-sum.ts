/** Sums the usage in events by hour, session, model and source. */

import type { Session } from '../../protocol/session.js'
import type { UsageSum } from '../../protocol/usage/usage.js'
import { usageIn } from '../../protocol/usage/usage.js'
import { isPriced } from '../plan.js'
import type { StoredEvent } from '../port/append.js'

export function sumUsage(
  events: readonly StoredEvent[],
  sessions: ReadonlyMap<string, Session>,
  since: string | undefined,
): UsageSum[] {
  const sums = new Map<string, UsageSum>()
  for (const { event } of events) {
    const hour = hourOf(event.at)
    if (since !== undefined && hour < hourOf(since)) continue
    for (const { model, source, usage } of usageIn(event)) {
      const place = {
        hour,
        sessionId: event.sessionId,
        cwd: sessions.get(event.sessionId)?.cwd ?? '',
        model,
        source,
      }
      const key = JSON.stringify([hour, event.sessionId, model, source])
      const known = sums.get(key)
      const sum = (name: keyof typeof usage) => (known?.[name] ?? 0) + usage[name]
      const added = {
        ...place,
        inputTokens: sum('inputTokens'),
        outputTokens: sum('outputTokens'),
        cacheReadInputTokens: sum('cacheReadInputTokens'),
        cacheCreationInputTokens: sum('cacheCreationInputTokens'),
        costUsd: sum('costUsd'),
      }
      sums.set(key, { ...added, isPriced: isPriced(added) })
    }
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum)
}

export function hourOf(at: string): number {
  return Math.floor(Date.parse(at) / 3_600_000)
}
