/** Usage of sessions: tokens and cost, by model. */

import { z } from 'zod'
import type { SessionEvent } from '../event/event.js'
import { type ModelUsage, Usage } from '../value.js'

/**
 * `sdk`: reported by the Agent SDK at the end of each turn. `transcript`: read from Claude Code's transcript file.
 * `scripted`: of the scripted model, which costs nothing.
 */
export const UsageSource = z.enum(['sdk', 'transcript', 'scripted'])
export type UsageSource = z.infer<typeof UsageSource>

export const UsageBy = z.enum(['hour', 'day', 'session', 'model', 'project'])
export type UsageBy = z.infer<typeof UsageBy>

/** A second grouping, inside each row: what a stacked chart shows. */
export const UsageSplit = z.enum(['model', 'project'])
export type UsageSplit = z.infer<typeof UsageSplit>

/** The share of a model or a folder in a row. */
export const UsageShare = z.strictObject({
  key: z.string(),
  ...Usage.shape,
  costUsd: z.number().min(0),
})
export type UsageShare = z.infer<typeof UsageShare>

export const UsageRow = z.strictObject({
  /** A day, an hour (`2026-11-18T14:00`), a session id (Claude's if it is not a session of ours), a model or a folder. */
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
  /** With `split`: what cost most first. */
  shares: z.array(UsageShare).optional(),
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
    return { model, source, usage: source === 'scripted' ? { ...usage, costUsd: 0 } : usage }
  })
}

function modelsIn(event: SessionEvent): [Record<string, ModelUsage>, UsageSource] {
  if (event.type === 'turn.ended')
    return [event.data.modelUsage ?? {}, event.data.isScripted ? 'scripted' : 'sdk']
  return [event.type === 'usage.recorded' ? event.data.models : {}, 'transcript']
}

/** Usage of one model by one session in one hour (hours since 1970). */
export interface UsageSum extends Usage {
  readonly hour: number
  readonly sessionId: string
  readonly cwd: string
  readonly model: string
  readonly source: UsageSource
  readonly costUsd: number
  /** False if the price is unknown: then `costUsd` does not include it. */
  readonly isPriced: boolean
}
