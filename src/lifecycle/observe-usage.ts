/** Tokens of terminal sessions, as their transcripts tell them. Pure. */

import type { EventDraft } from '../protocol/event.js'
import type { Session } from '../protocol/session.js'
import type { ModelUsage } from '../protocol/value.js'
import type { SessionSnapshot, Tokens } from './session-monitor.js'

/** What was used since the log was last told. The transcript counts from its start, so nothing is counted twice. */
export function usageSince({ modelUsage }: Session, { models }: SessionSnapshot): EventDraft[] {
  const more = Object.entries(models ?? {}).flatMap(([model, tokens]) => {
    const used = difference(tokens, modelUsage[model])
    return Object.values(used).some((count) => count > 0) ? [[model, { ...used, ...UNPRICED }] as const] : []
  })
  if (more.length === 0) return []
  return [{ type: 'usage.recorded', data: { turnId: null, models: Object.fromEntries(more) } }]
}

/** What it cost is not in the transcript. */
const UNPRICED = { costUsd: 0, contextWindow: null }

function difference(tokens: Tokens, known: ModelUsage | undefined) {
  return {
    inputTokens: Math.max(0, tokens.input - (known?.inputTokens ?? 0)),
    outputTokens: Math.max(0, tokens.output - (known?.outputTokens ?? 0)),
    cacheReadInputTokens: Math.max(0, tokens.cached - (known?.cacheReadInputTokens ?? 0)),
    cacheCreationInputTokens: Math.max(0, tokens.cacheCreation - (known?.cacheCreationInputTokens ?? 0)),
  }
}
