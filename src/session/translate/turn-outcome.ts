/** How a turn went and what stopped it, from the CLI's result message. */

import { asText, asTexts, type Loose } from '../../lib/read-json.js'
import type { Outcome, StopReason } from '../../protocol/value.js'

export interface TurnOutcome {
  outcome: Outcome
  stopReason: StopReason
  errors: string[]
}

/** An API failure comes as a success with `is_error`, so the subtype alone says little. */
export function outcomeOfResult(result: Loose): TurnOutcome {
  const stopReason = stopReasonOf(result)
  const text = asText(result['result'])
  const errors = asTexts(result['errors']).filter((error) => !error.startsWith('[ede_diagnostic]'))
  if (stopReason === 'interrupted') return { outcome: 'interrupted', stopReason, errors }
  const isFailed = result['is_error'] === true || stopReason === 'api_error' || stopReason === 'refusal'
  if (!isFailed) return { outcome: 'completed', stopReason, errors }
  return { outcome: 'failed', stopReason, errors: errors.length > 0 || !text ? errors : [text] }
}

function stopReasonOf(result: Loose): StopReason {
  if (result['stop_reason'] === 'refusal') return 'refusal'
  const known = REASONS[asText(result['terminal_reason']) ?? ''] ?? SUBTYPES[asText(result['subtype']) ?? '']
  if (known) return known
  if (result['is_error'] === true) return 'unknown'
  return result['subtype'] === 'success' ? 'finished' : 'unknown'
}

const REASONS: Readonly<Record<string, StopReason>> = {
  completed: 'finished',
  aborted_streaming: 'interrupted',
  aborted_tools: 'interrupted',
  max_turns: 'max_turns',
  budget_exhausted: 'budget',
  hook_stopped: 'stop_hook',
  tool_deferred: 'tool_deferred',
  api_error: 'api_error',
  prompt_too_long: 'prompt_too_long',
  max_output_tokens: 'max_output_tokens',
}

const SUBTYPES: Readonly<Record<string, StopReason>> = {
  error_max_turns: 'max_turns',
  error_max_budget_usd: 'budget',
  error_max_structured_output_retries: 'structured_output_retries',
}
