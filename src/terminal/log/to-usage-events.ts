/** Token usage of terminal sessions, from their transcripts. Pure. */

import type { EventDraft } from '../../protocol/event/event.js'
import type { Session } from '../../protocol/session.js'
import type { ModelUsage } from '../../protocol/value.js'
import { costOf } from '../../usage/price.js'
import type { SessionSnapshot, Tokens } from '../monitor/monitor.js'

/**
 * Usage since the last recorded figures, at the prices of `day`. The transcript has totals, so nothing is counted
 * twice.
 */
export function usageSince(
  { modelUsage }: Session,
  { models }: SessionSnapshot,
  day = new Date().toISOString().slice(0, 10),
): EventDraft[] {
  const more = Object.entries(models ?? {}).flatMap(([model, tokens]) => {
    const used = difference(tokens, modelUsage[model])
    if (Object.values(used).every((count) => count === 0)) return []
    // A model without a known price costs 0 here. Views mark it as unpriced.
    const costUsd = costOf(model, used, day) ?? 0
    return [[model, { ...used, costUsd, contextWindow: null }] as const]
  })
  if (more.length === 0) return []
  return [{ type: 'usage.recorded', data: { turnId: null, models: Object.fromEntries(more) } }]
}

function difference(tokens: Tokens, known: ModelUsage | undefined) {
  return {
    inputTokens: Math.max(0, tokens.input - (known?.inputTokens ?? 0)),
    outputTokens: Math.max(0, tokens.output - (known?.outputTokens ?? 0)),
    cacheReadInputTokens: Math.max(0, tokens.cached - (known?.cacheReadInputTokens ?? 0)),
    cacheCreationInputTokens: Math.max(0, tokens.cacheCreation - (known?.cacheCreationInputTokens ?? 0)),
  }
}
