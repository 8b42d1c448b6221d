/** The gate with the user's command hooks in front of it. Hooks come first: they may change the call. */

import type { HookVerdict } from '../../hook/verdict.js'
import type { Loose } from '../../lib/read-json.js'
import { saying } from '../../protocol/reason/reason.js'
import type { ClaudeCallbacks, HookedCall } from '../claude/port.js'
import type { Judgement, ToolCall } from '../translate/tool.js'
import { type HookVote, hookReason } from './combine-verdicts.js'
import type { Gate } from './gate.js'

export interface HookedGateDeps {
  gate: Gate
  hooks: {
    willRun(event: Loose): boolean
    run(event: Loose, signal: AbortSignal): Promise<HookVerdict>
  }
  /** Each of these records an event, in order with the messages of the CLI. */
  requested(call: ToolCall): void
  changed(toolUseId: string, input: unknown): void
  judged(judgement: Judgement): void
}

/** Hooks and policy evaluate a call once each; a call that a hook has blocked is not evaluated by the policy. */
export function createHookedGate(deps: HookedGateDeps): ClaudeCallbacks['preToolUse'] {
  const { gate, hooks, requested, changed, judged } = deps
  return async (call, signal) => {
    if (!hooks.willRun(call.event)) return gate.preToolUse(call)
    requested(callOf(call))
    const hooked = await hooks.run(call.event, signal)
    if (hooked.decision === 'deny') {
      const why = saying(hookReason(hooked, 'hook.blocks'))
      judged({ ...callOf(call), decision: 'block', by: `hook: ${hooked.by ?? 'unknown'}`, ...why })
      return { decision: 'deny', reason: why.reason, hooked }
    }
    const { updatedInput } = hooked
    if (updatedInput !== null) changed(call.toolUseId, updatedInput)
    const decision = await gate.preToolUse({ ...call, input: updatedInput ?? call.input }, opinionOf(hooked))
    return { ...decision, hooked }
  }
}

function opinionOf({ decision, reason, by }: HookVerdict): HookVote | null {
  return decision === 'allow' || decision === 'ask' ? { decision, reason, by: by ?? 'unknown' } : null
}

function callOf({ toolUseId, name, input, agentId }: HookedCall): ToolCall {
  return { toolUseId, name, input, ...(agentId !== undefined && { agentId }) }
}
