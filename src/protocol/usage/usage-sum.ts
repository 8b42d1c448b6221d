/** Arithmetic on token counts. */

import type { Usage } from '../value.js'

export const NO_USAGE: Usage = {
  inputTokens: 0,
  outputTokens: 0,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
}

export function addUsage(sum: Usage, more: Usage): Usage {
  return {
    inputTokens: sum.inputTokens + more.inputTokens,
    outputTokens: sum.outputTokens + more.outputTokens,
    cacheReadInputTokens: sum.cacheReadInputTokens + more.cacheReadInputTokens,
    cacheCreationInputTokens: sum.cacheCreationInputTokens + more.cacheCreationInputTokens,
  }
}

/** Clamped to 0: after retention a log may lack part of the sum. */
export function subtractUsage(sum: Usage, less: Usage): Usage {
  return {
    inputTokens: Math.max(0, sum.inputTokens - less.inputTokens),
    outputTokens: Math.max(0, sum.outputTokens - less.outputTokens),
    cacheReadInputTokens: Math.max(0, sum.cacheReadInputTokens - less.cacheReadInputTokens),
    cacheCreationInputTokens: Math.max(0, sum.cacheCreationInputTokens - less.cacheCreationInputTokens),
  }
}
