/** Usage of messages, and the life of subagents, as events. */

import { asCount, asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { Outcome, Usage } from '../../protocol/value.js'
import { costOf } from '../../usage/price.js'
import type { Translation } from './state.js'

/** Figures of one message that no model reaches. Their sums would not be numbers any more. */
const MAX_TOKENS = 1e9

/** Each block of a message has a line with the usage of the message. The last one is final. */
export function noteUsage(
  to: Translation,
  fields: Loose,
  message: Loose,
  messageId: string,
  isMain: boolean,
  at: number,
): void {
  const { file, known, emit } = to
  if (file.usage !== null && file.usage.id !== messageId) flushUsage(to, at)
  const counts = asRecord(message['usage'])
  const model = asText(message['model'])
  if (model === null || asCount(counts['input_tokens']) === null) return
  const countOf = (name: string) => Math.min(asCount(counts[name]) ?? 0, MAX_TOKENS)
  const tokens: Usage = {
    inputTokens: countOf('input_tokens'),
    outputTokens: countOf('output_tokens'),
    cacheReadInputTokens: countOf('cache_read_input_tokens'),
    cacheCreationInputTokens: countOf('cache_creation_input_tokens'),
  }
  const hourTokens = Math.min(
    asCount(asRecord(counts['cache_creation'])['ephemeral_1h_input_tokens']) ?? 0,
    tokens.cacheCreationInputTokens,
  )
  const day = (asText(fields['timestamp']) ?? '').slice(0, 10)
  file.usage = { id: messageId, model, day, tokens, hourTokens }
  if (!isMain) return
  const contextTokens = Math.floor(Object.values(tokens).reduce((sum, count) => sum + count, 0))
  if (contextTokens === known.contextTokens || !Number.isSafeInteger(contextTokens)) return
  known.contextTokens = contextTokens
  emit({ type: 'session.changed', data: { contextTokens } }, at)
}

export function flushUsage({ file, known, emit }: Translation, at: number): void {
  if (file.usage === null) return
  const { model, day, tokens, hourTokens } = file.usage
  file.usage = null
  if (Object.values(tokens).every((count) => count === 0)) return
  // A model without a known price costs 0 here. Views mark it as unpriced.
  const costUsd = costOf(model, { ...tokens, cacheHourInputTokens: hourTokens }, day) ?? 0
  const models = Object.fromEntries([[model, { ...tokens, costUsd, contextWindow: null }]])
  emit({ type: 'usage.recorded', data: { turnId: known.turnId, models } }, at)
}

const MAX_AGENTS = 5_000

/** Facts about a subagent, which Claude Code writes beside its transcript. */
export interface AgentFacts {
  readonly agentType: string | null
  readonly description: string | null
  readonly toolUseId: string | null
  readonly isBackground: boolean
}

export function startAgent(
  { conversation, emit }: Translation,
  agentId: string,
  facts: AgentFacts,
  at: number,
): void {
  const { agents } = conversation
  if (agents.some(([id]) => id === agentId) || agents.length >= MAX_AGENTS) return
  agents.push([agentId, 'open'])
  const { agentType, description, toolUseId, isBackground } = facts
  emit(
    {
      type: 'agent.started',
      data: {
        agentId,
        agentType: agentType ?? 'unknown',
        ...(description !== null && { description }),
        ...(toolUseId !== null && { parentToolUseId: toolUseId }),
        isBackground,
      },
    },
    at,
  )
}

export function endAgent(
  { conversation, emit }: Translation,
  agentId: string,
  outcome: Outcome,
  at: number,
  text = '',
): void {
  const index = conversation.agents.findIndex(([id, state]) => id === agentId && state === 'open')
  if (index < 0) return
  conversation.agents[index] = [agentId, 'ended']
  emit({ type: 'agent.ended', data: { agentId, outcome, ...(text !== '' && { text }) } }, at)
}

const OUTCOMES: Readonly<Record<string, Outcome>> = { completed: 'completed', failed: 'failed' }

/** The notification that a background subagent has ended. */
export function endAgentOfTask(to: Translation, text: string, at: number): void {
  const agentId = /<task-id>([\w-]{1,64})<\/task-id>/.exec(text)?.[1]
  const status = /<status>(\w{1,20})<\/status>/.exec(text)?.[1] ?? ''
  if (agentId !== undefined) endAgent(to, agentId, OUTCOMES[status] ?? 'interrupted', at)
}
