/**
 * Cost of tokens at the list prices of the API, by model and day. A model that is not in the list has no
 * price: nothing is guessed.
 */

import type { Usage } from '../protocol/value.js'

/** Dollars for a million tokens. Writing to the cache costs 1.25 of reading anew for five minutes, and 2 for an hour. */
interface Price {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
}

interface Listed extends Price {
  /** From this day on; the newest that has begun holds. */
  readonly from?: string
  /** Another price where more than this went in. */
  readonly above?: Price & { readonly tokens: number }
}

const price = (input: number, output: number, cacheRead: number): Price => ({ input, output, cacheRead })
const above = (tokens: number, listed: Price) => ({ above: { tokens, ...listed } })

/** By family and version. */
const PRICES: Readonly<Record<string, readonly Listed[]>> = {
  'fable-5.1': [price(10, 50, 0.25)],
  'opus-5.5': [price(4, 20, 0.2)],
  'opus-5': [price(5, 25, 0.5)],
  'opus-4.8': [price(5, 25, 0.5)],
  'opus-4.7': [price(5, 25, 0.5)],
  'opus-4.6': [price(5, 25, 0.5)],
  'opus-4.5': [price(5, 25, 0.5)],
  'opus-4.1': [price(15, 75, 1.5)],
  'opus-4': [price(15, 75, 1.5)],
  'sonnet-5.5': [price(2, 10, 0.2), { from: '2026-10-07', ...price(2, 10, 0.1) }],
  'sonnet-5': [price(2, 10, 0.2)],
  'sonnet-4.5': [{ ...price(3, 15, 0.3), ...above(200_000, price(6, 22.5, 0.6)) }],
  'sonnet-4': [{ ...price(3, 15, 0.3), ...above(200_000, price(6, 22.5, 0.6)) }],
  'haiku-5.5': [{ ...price(0.1, 0.5, 0.01), ...above(100_000, price(0.5, 2.5, 0.05)) }],
  'haiku-4.5': [price(1, 5, 0.1)],
}

const WRITE_5M = 1.25
const WRITE_1H = 2

/** `cacheHourInputTokens`: those of `cacheCreationInputTokens` that are kept for an hour. */
export type Spent = Usage & { cacheHourInputTokens?: number }

/** Null: the price is not known. `day` as in 2026-12-31. */
export function costOf(model: string, spent: Spent, day: string): number | null {
  const listed = PRICES[nameOf(model)]?.findLast(({ from = '' }) => from <= day)
  if (!listed) return null
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = spent
  const hourTokens = spent.cacheHourInputTokens ?? 0
  const prompt = inputTokens + cacheReadInputTokens + cacheCreationInputTokens
  const { input, output, cacheRead } = listed.above && prompt > listed.above.tokens ? listed.above : listed
  const written = (cacheCreationInputTokens - hourTokens) * WRITE_5M + hourTokens * WRITE_1H
  const dollars = (inputTokens + written) * input + outputTokens * output + cacheReadInputTokens * cacheRead
  return dollars / 1e6
}

const names = new Map<string, string>()

/** `us.anthropic.claude-sonnet-4-5-20250929-v1:0` is `sonnet-4.5`: providers add what they like around it. */
function nameOf(model: string): string {
  const known = names.get(model)
  if (known !== undefined) return known
  const [, family, major, minor] = /([a-z]{1,40})-(\d{1,2})(?:-(\d{1,2}))?(?!\d)/.exec(model) ?? []
  const name = minor === undefined ? `${family}-${major}` : `${family}-${major}.${minor}`
  if (names.size < 1_000) names.set(model, name)
  return name
}
