/** What sessions have used: tokens and money, by model. */

import { z } from 'zod'
import type { SessionEvent } from '../event/event.js'
import { type ModelUsage, Usage } from '../value.js'

/** `sdk`: told by the Agent SDK at the end of each turn. `transcript`: read from what Claude Code wrote down itself. */
export const UsageSource = z.enum(['sdk', 'transcript'])
export type UsageSource = z.infer<typeof UsageSource>

export const UsageBy = z.enum(['day', 'session', 'model', 'project'])
export type UsageBy = z.infer<typeof UsageBy>

export const UsageRow = z.strictObject({
  /** A day, a session's id (Claude's, where it is none of ours), a model or a folder. */
  key: z.string(),
  ...Usage.shape,
  /** At the prices of the API. */
  costUsd: z.number().min(0),
  sessions: z.int().min(0),
  sources: z.array(UsageSource),
  /** Models whose price is not known: their tokens are counted here, their cost is not. */
  unpriced: z.array(z.string()),
})
export type UsageRow = z.infer<typeof UsageRow>

export interface UsagePart {
  model: string
  source: UsageSource
  usage: Omit<ModelUsage, 'contextWindow'>
}

/** What an event says was used. A turn's figures hold its subagents, and nothing that an earlier turn has told. */
export function usageIn(event: SessionEvent): UsagePart[] {
  const [models, source] = modelsIn(event)
  return Object.entries(models).map(([model, figures]) => {
    const { contextWindow: _, ...usage } = figures
    return { model, source, usage }
  })
}

function modelsIn(event: SessionEvent): [Record<string, ModelUsage>, UsageSource] {
  if (event.type === 'turn.ended') return [event.data.modelUsage ?? {}, 'sdk']
  return [event.type === 'usage.recorded' ? event.data.models : {}, 'transcript']
}
