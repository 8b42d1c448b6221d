/** Usage of sessions: tokens and cost, by model. */

import { z } from 'zod'
import type { SessionEvent } from '../event/event.js'
import { type ModelUsage, Usage } from '../value.js'

/** `sdk`: reported by the Agent SDK at the end of each turn. `transcript`: read from Claude Code's transcript file. */
export const UsageSource = z.enum(['sdk', 'transcript'])
export type UsageSource = z.infer<typeof UsageSource>

export const UsageBy = z.enum(['day', 'session', 'model', 'project'])
export type UsageBy = z.infer<typeof UsageBy>

export const UsageRow = z.strictObject({
  /** A day, a session id (Claude's if it is not a session of ours), a model or a folder. */
  key: z.string(),
  /** By session: what lists call it. Missing for sessions that are deleted, or not ours. */
  name: z.string().optional(),
  ...Usage.shape,
  /** At API prices. */
  costUsd: z.number().min(0),
  sessions: z.int().min(0),
  sources: z.array(UsageSource),
  /** Models without a known price: their tokens are counted, their cost is not. */
  unpriced: z.array(z.string()),
})
export type UsageRow = z.infer<typeof UsageRow>

export interface UsagePart {
  model: string
  source: UsageSource
  usage: Omit<ModelUsage, 'contextWindow'>
}

/** The usage that an event reports. A turn's figures include its subagents, and exclude earlier turns. */
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
