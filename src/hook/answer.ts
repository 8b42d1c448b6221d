/** Parses the JSON answer that a hook prints on standard output, in Claude Code's format. */

import { asRecord, asText, type Loose } from '../lib/read-json.js'

export interface HookAnswer {
  decision: 'allow' | 'deny' | 'ask' | null
  reason: string | null
  updatedInput: Loose | null
  additionalContext: string | null
  /** The turn is to end after this; the reason is shown to the user. */
  stop: { reason: string | null } | null
  /** Shown to the user. */
  systemMessage: string | null
  /** Remaining event-specific fields of the answer, unchanged. */
  specific: Loose
}

export const NO_ANSWER: HookAnswer = {
  decision: null,
  reason: null,
  updatedInput: null,
  additionalContext: null,
  stop: null,
  systemMessage: null,
  specific: {},
}

export type ReadAnswer = { kind: 'text'; text: string } | { kind: 'answer'; answer: HookAnswer } | Misread
interface Misread {
  kind: 'misread'
  problem: string
}

/** Output that is not a JSON object is text. Unknown fields are ignored. */
export function readAnswer(stdout: string): ReadAnswer {
  const text = stdout.trim()
  const output = parseObject(text)
  if (output === null) return { kind: 'text', text }
  const { hookEventName: _, ...specific } = asRecord(output['hookSpecificOutput'])
  const { permissionDecision, permissionDecisionReason, updatedInput, additionalContext, ...rest } = specific
  const decision = readDecision(permissionDecision ?? output['decision'])
  if (decision === undefined) {
    return {
      kind: 'misread',
      problem: `it decided ${JSON.stringify(permissionDecision ?? output['decision'])}`,
    }
  }
  const isObject = typeof updatedInput === 'object' && updatedInput !== null && !Array.isArray(updatedInput)
  return {
    kind: 'answer',
    answer: {
      decision,
      reason: asText(permissionDecisionReason) ?? asText(output['reason']),
      updatedInput: isObject ? asRecord(updatedInput) : null,
      additionalContext: asText(additionalContext),
      stop: output['continue'] === false ? { reason: asText(output['stopReason']) } : null,
      systemMessage: asText(output['systemMessage']),
      specific: rest,
    },
  }
}

function parseObject(text: string): Loose | null {
  if (!text.startsWith('{')) return null
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return null
  }
}

/** Undefined for a word that means nothing here. `approve` and `block` are what Claude Code once said. */
function readDecision(value: unknown): HookAnswer['decision'] | undefined {
  switch (value) {
    case undefined:
    case null:
      return null
    case 'allow':
    case 'approve':
      return 'allow'
    case 'deny':
    case 'block':
      return 'deny'
    case 'ask':
      return 'ask'
    default:
      return undefined
  }
}
