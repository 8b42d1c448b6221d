/** The end of a turn. */

import { asCount, asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { ReasonPart } from '../../protocol/reason/reason-part.js'
import { NO_USAGE } from '../../protocol/usage/usage-sum.js'
import type { ModelUsage, StopReason, TurnOrigin, Usage } from '../../protocol/value.js'
import { ensureTurn, type Translation } from './state.js'
import { cancelTools } from './tool.js'
import { outcomeOfResult } from './turn-outcome.js'

export function translateResult(to: Translation, result: Loose): void {
  // A turn that was never announced, as of a command that the CLI answers itself.
  const origin = originOf(result)
  const turnId = ensureTurn(to, [], origin)
  const snapshot = to.state.turnSnapshot
  const total = asCount(result['total_cost_usd'])
  const costUsd = total === null ? null : grown(to.state.totalCostUsd, total)
  const modelTotals = modelUsages(result['modelUsage'])
  const modelUsage = grownUsage(to.state.modelTotals, modelTotals)
  closeTurn(to)
  to.emit({
    type: 'turn.ended',
    data: {
      turnId,
      ...(snapshot && { snapshot }),
      ...outcomeOfResult(result),
      durationMs: asCount(result['duration_ms']),
      turns: asCount(result['num_turns']),
      usage: usageOf(asRecord(result['usage'])),
      modelUsage,
      costUsd,
      text: asText(result['result']),
      ...(origin.kind !== 'unknown' && { origin }),
      ...(result['structured_output'] !== undefined && { structuredOutput: result['structured_output'] }),
    },
  })
  if (total !== null) to.state.totalCostUsd = total
  to.state.modelTotals = modelTotals
}

/** The CLI counts over the whole conversation, and starts again when that is cleared, or after a crash. */
function grown(before: number, after: number): number {
  return after >= before ? after - before : after
}

type ModelUsages = Readonly<Record<string, ModelUsage>>

function modelUsages(value: unknown): ModelUsages {
  return Object.fromEntries(
    Object.entries(asRecord(value)).map(([model, usage]) => [model, modelUsageOf(asRecord(usage))]),
  )
}

function grownUsage(before: ModelUsages, after: ModelUsages): Record<string, ModelUsage> {
  const parts = Object.entries(after).map(([model, usage]): [string, ModelUsage] => {
    const known = before[model]
    // Cost and tokens start again together.
    if (!known || usage.outputTokens < known.outputTokens || usage.costUsd < known.costUsd)
      return [model, usage]
    return [
      model,
      {
        inputTokens: grown(known.inputTokens, usage.inputTokens),
        outputTokens: grown(known.outputTokens, usage.outputTokens),
        cacheReadInputTokens: grown(known.cacheReadInputTokens, usage.cacheReadInputTokens),
        cacheCreationInputTokens: grown(known.cacheCreationInputTokens, usage.cacheCreationInputTokens),
        costUsd: grown(known.costUsd, usage.costUsd),
        contextWindow: usage.contextWindow,
      },
    ]
  })
  return Object.fromEntries(
    parts.filter(([, usage]) => usage.outputTokens > 0 || usage.inputTokens > 0 || usage.costUsd > 0),
  )
}

interface Abandonment {
  stopReason: StopReason
  errors: string[]
  /** The first error as a code and parameters. */
  why?: ReasonPart
}

/** Ends a turn whose result will never come. */
export function abandonTurn(to: Translation, { stopReason, errors, why }: Abandonment): void {
  const { turn } = to.state
  if (!turn) return
  closeTurn(to)
  to.emit({
    type: 'turn.ended',
    data: {
      turnId: turn.id,
      outcome: stopReason === 'interrupted' ? 'interrupted' : 'failed',
      stopReason,
      durationMs: null,
      turns: null,
      usage: null,
      modelUsage: null,
      costUsd: null,
      text: null,
      errors,
      ...(why && { errorParts: [why] }),
    },
  })
}

/** Tools of the main agent end with its turn; those of background agents go on. */
function closeTurn(to: Translation): void {
  cancelTools(to, (tool) => tool.parentToolUseId === undefined && tool.agentId === undefined)
  to.state.turn = null
  to.state.activity = null
  to.state.block = null
  to.state.blockCounts = {}
  to.state.streamedUsage = null
  to.state.usageBefore = NO_USAGE
  to.state.turnUsage = NO_USAGE
}

function originOf(result: Loose): TurnOrigin {
  const origin = asRecord(result['origin'])
  const name = asText(origin['name']) ?? asText(origin['from']) ?? asText(origin['runId'])
  const kind = ORIGINS[asText(origin['kind']) ?? ''] ?? 'unknown'
  return { kind, ...(name !== null && { name }) }
}

const ORIGINS: Readonly<Record<string, TurnOrigin['kind']>> = {
  human: 'person',
  'task-notification': 'task',
  peer: 'peer',
}

export function usageOf(usage: Loose): Usage {
  return {
    inputTokens: asCount(usage['input_tokens']) ?? 0,
    outputTokens: asCount(usage['output_tokens']) ?? 0,
    cacheReadInputTokens: asCount(usage['cache_read_input_tokens']) ?? 0,
    cacheCreationInputTokens: asCount(usage['cache_creation_input_tokens']) ?? 0,
  }
}

function modelUsageOf(usage: Loose): ModelUsage {
  return {
    inputTokens: asCount(usage['inputTokens']) ?? 0,
    outputTokens: asCount(usage['outputTokens']) ?? 0,
    cacheReadInputTokens: asCount(usage['cacheReadInputTokens']) ?? 0,
    cacheCreationInputTokens: asCount(usage['cacheCreationInputTokens']) ?? 0,
    costUsd: asCount(usage['costUSD']) ?? 0,
    contextWindow: asCount(usage['contextWindow']),
  }
}
