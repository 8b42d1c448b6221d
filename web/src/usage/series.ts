/** The series of a stacked chart: what was used most, and the rest as one. Pure. */

import type { UsageRow, UsageShare } from '../../../src/protocol/index.js'

export const MAX_SERIES = 5

export interface Series {
  /** Null: all others. */
  key: string | null
  value: number
}

/** Nothing was spent, for example with the scripted model: then tokens are shown. */
export type Measure = 'cost' | 'tokens'

export function measureOf(total: UsageRow): Measure {
  return total.costUsd > 0 ? 'cost' : 'tokens'
}

export function valueOf(share: UsageShare | UsageRow, measure: Measure): number {
  if (measure === 'cost') return share.costUsd
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = share
  return inputTokens + outputTokens + cacheReadInputTokens + cacheCreationInputTokens
}

/** The largest first. */
export function seriesOf(shares: readonly UsageShare[], measure: Measure): Series[] {
  const all = shares
    .map((share) => ({ key: share.key, value: valueOf(share, measure) }))
    .filter(({ value }) => value > 0)
    .toSorted((one, other) => other.value - one.value)
  if (all.length <= MAX_SERIES + 1) return all
  const others = all.slice(MAX_SERIES).reduce((sum, { value }) => sum + value, 0)
  return [...all.slice(0, MAX_SERIES), { key: null, value: others }]
}

/** The parts of one column, in the order of the series. */
export function partsOf(row: UsageRow | undefined, series: readonly Series[], measure: Measure): number[] {
  const shares = row?.shares ?? []
  const named = new Set(series.map(({ key }) => key))
  return series.map(({ key }) =>
    shares
      .filter((share) => (key === null ? !named.has(share.key) : share.key === key))
      .reduce((sum, share) => sum + valueOf(share, measure), 0),
  )
}
