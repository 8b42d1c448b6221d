/** Results for MCP clients, bounded: a model reads them, and a client keeps them in memory. Pure. */

import { previewOf } from '../../protocol/view/preview.js'

/** Characters of one result. */
export const MAX_RESULT = 40_000
/** Longest texts within a result, tried one after the other until it fits. */
const MAX_TEXTS = [4_000, 1_000, 200]
const MAX_DEPTH = 12
const MAX_ITEMS = 200

/** As JSON of at most `MAX_RESULT` characters. Texts are cut first, then the ends of lists. */
export function boundedJson(value: unknown): string {
  for (const maxText of MAX_TEXTS) {
    const text = JSON.stringify(shrink(value, maxText, MAX_ITEMS, 0))
    if (text.length <= MAX_RESULT) return text
  }
  const [shortest = 0] = MAX_TEXTS.slice(-1)
  for (let items = MAX_ITEMS / 2; items >= 1; items = Math.floor(items / 2)) {
    const text = JSON.stringify(shrink(value, shortest, items, 0))
    if (text.length <= MAX_RESULT) return text
  }
  return JSON.stringify({ isCut: true, beginning: previewOf(JSON.stringify(value), MAX_RESULT / 4) })
}

/** Whether nothing of it would be cut. */
export function isShownWhole(value: unknown): boolean {
  return boundedJson(value) === JSON.stringify(value)
}

function shrink(value: unknown, maxText: number, maxItems: number, depth: number): unknown {
  if (typeof value === 'string') return shortened(value, maxText)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '…'
  if (Array.isArray(value)) {
    const shown = value.slice(0, maxItems).map((item) => shrink(item, maxText, maxItems, depth + 1))
    return value.length > maxItems ? [...shown, `… ${value.length - maxItems} more`] : shown
  }
  const entries = Object.entries(value)
  const shown = entries
    .slice(0, maxItems)
    .map(([name, content]) => [shortened(name, maxText), shrink(content, maxText, maxItems, depth + 1)])
  return Object.fromEntries(shown)
}

function shortened(text: string, maxText: number): string {
  if (text.length <= maxText) return text
  const preview = previewOf(text, maxText)
  return `${preview} (${text.length - preview.length} more characters)`
}
