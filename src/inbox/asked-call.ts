/** A call that an agent needs permission for: the content of the request, and its identity. */

import { digest } from '../lib/digest.js'
import type { DataOf } from '../protocol/event/event.js'
import type { Grant } from '../protocol/event/request-event.js'
import type { Severity } from '../protocol/policy/policy.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import type { PermissionMode } from '../protocol/value.js'

/** A tool call that waits for the user. When `signal` aborts, the answer is not needed any more. */
export interface AskedCall {
  sessionId: string
  toolUseId: string | null
  toolName: string
  input: unknown
  agentId?: string
  signal: AbortSignal
  /** A previous run of the daemon may have asked already: its request counts, answered or not. */
  isRepeated?: true
}

/** The explanation of a permission request: the call in a few words, and why it is asked. */
export interface Why {
  title: string
  reason: string
  /** The reason as codes and parameters. */
  reasonParts?: ReasonPart[]
  /** Of the most serious finding about the call. */
  severity?: Severity
  suggestions: readonly unknown[]
  /** The plan that is to be approved. */
  plan?: string
  /** The mode of the agent that it would start, where that is freer than the session. */
  freerMode?: PermissionMode
  /** The scope of `allowAll`. */
  grant?: Grant
}

/** The fields that all requests about a call have in common. `timeoutMs` 0: no timeout. */
export function callData(
  { toolUseId, toolName, input, agentId }: AskedCall,
  requestId: string,
  timeoutMs: number,
): Pick<
  DataOf<'permission.requested'>,
  'requestId' | 'toolUseId' | 'toolName' | 'input' | 'inputDigest' | 'agentId' | 'timeoutMs'
> {
  return {
    requestId,
    toolUseId,
    toolName,
    input,
    inputDigest: digestOf(input),
    ...(agentId !== undefined && { agentId }),
    ...(timeoutMs > 0 && { timeoutMs }),
  }
}

/** The explanation as the event has it. */
export function whyData({ title, reason, reasonParts, severity, suggestions, plan, freerMode, grant }: Why) {
  return {
    title,
    reason,
    ...(reasonParts !== undefined && { reasonParts }),
    ...(severity !== undefined && { severity }),
    suggestions: [...suggestions],
    ...(plan !== undefined && { plan }),
    ...(freerMode !== undefined && { freerMode }),
    ...(grant !== undefined && { grant }),
  }
}

/** The digest of the input that an answer is bound to. */
export function digestOf(input: unknown): string {
  return digest(JSON.stringify(input) ?? '')
}
