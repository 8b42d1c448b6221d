/** The one file that drives the Agent SDK. What it yields is ours. */

import { setTimeout as wait } from 'node:timers/promises'
import type {
  CanUseTool,
  HookJSONOutput,
  Options,
  PermissionResult,
  Query,
  SDKUserMessage,
} from '@anthropic-ai/claude-agent-sdk'
import { asRecord, asText } from '../lib/loose.js'
import type { ContentBlock, PermissionMode, WhenBusy } from '../protocol/value.js'
import { ClaudeProcess } from './claude-process.js'
import { InputQueue } from './input-queue.js'
import { MARK } from './process-identity.js'

export interface HookedCall {
  toolUseId: string
  name: string
  input: unknown
  agentId?: string
  /** The type of the subagent that calls. */
  agentType?: string
  /** The CLI's own word for the mode it is in. */
  mode: string | null
  /** Where the shell is now: it moves with `cd`. */
  cwd: string | null
}

export interface AskedPermission {
  toolUseId: string
  name: string
  input: Record<string, unknown>
  agentId?: string
  suggestions: readonly unknown[]
  /** Why the CLI asks, where it says so. */
  reason: string | null
  signal: AbortSignal
}

export type GateDecision = { decision: 'allow' | 'ask' } | { decision: 'deny'; reason: string }
export type PermissionReply =
  | { allow: true; input: Record<string, unknown> }
  | { allow: false; message: string }

export interface ClaudeOptions {
  cwd: string
  env: Readonly<Record<string, string>>
  /** What every process of this session carries in its environment. */
  mark: string
  model: string | null
  permissionMode: PermissionMode
  /** A new conversation with this id, or an existing one. */
  conversation: { kind: 'new' | 'resume'; id: string }
  /** Sees every call of every agent in every mode. */
  preToolUse(call: HookedCall): Promise<GateDecision>
  canUseTool(call: AskedPermission): Promise<PermissionReply>
  /** Called as soon as the process exists, before it has done anything. */
  onSpawn(pid: number): void
}

export interface ClaudeMessage {
  uuid: string
  content: string | readonly ContentBlock[]
  whenBusy: WhenBusy
}

export interface Claude {
  /** Everything that the CLI says, of any shape. Ends with the process; throws if that was not in order. */
  readonly messages: AsyncIterable<unknown>
  send(message: ClaudeMessage): void
  /** Stops the running turn; the conversation can go on. */
  interrupt(): Promise<void>
  /** Ends the process and all that it has started. Never hangs. */
  close(): Promise<void>
  /** The last lines of the CLI's standard error. */
  readonly lastWords: string
}

export type OpenClaude = (options: ClaudeOptions) => Promise<Claude>

const INTERRUPT_MS = 1_000
const EXIT_MS = 2_000

export const openClaude: OpenClaude = async (options) => {
  // Loaded when it is needed: it is large, and who only watches terminals does not need it.
  const { query } = await import('@anthropic-ai/claude-agent-sdk')
  const input = new InputQueue<SDKUserMessage>()
  let process: ClaudeProcess | null = null
  const session: Query = query({
    prompt: input,
    options: {
      ...sdkOptions(options),
      spawnClaudeCodeProcess: (request) => {
        process = new ClaudeProcess(request, options.mark)
        const { child } = process
        if (child.pid !== undefined) options.onSpawn(child.pid)
        if (!child.stdin || !child.stdout) throw new Error('The CLI was started without pipes.')
        return Object.assign(child, { stdin: child.stdin, stdout: child.stdout })
      },
    },
  })
  return {
    messages: session,
    send: (message) => input.push(userMessage(message)),
    interrupt: async () => {
      await session.interrupt()
    },
    close: async () => {
      // Closing alone lets the turn go on for seconds, tools included; an interrupt ends it at once.
      await Promise.race([session.interrupt().catch(() => {}), wait(INTERRUPT_MS, undefined, { ref: false })])
      input.end()
      session.close()
      await process?.end(EXIT_MS)
    },
    get lastWords() {
      return process?.lastWords ?? ''
    },
  }
}

function sdkOptions({
  cwd,
  env,
  mark,
  model,
  permissionMode,
  conversation,
  preToolUse,
  canUseTool,
}: ClaudeOptions): Options {
  return {
    cwd,
    env: { ...env, [MARK]: mark },
    permissionMode,
    ...(model !== null && { model }),
    ...(conversation.kind === 'resume' ? { resume: conversation.id } : { sessionId: conversation.id }),
    // Nothing that the repository brings along acts by itself.
    settingSources: [],
    strictMcpConfig: true,
    systemPrompt: { type: 'preset', preset: 'claude_code' },
    settings: { crossSessionInbound: 'refuse', useAutoModeDuringPlan: false },
    includePartialMessages: true,
    forwardSubagentText: true,
    perTaskStopAffordance: true,
    hooks: {
      PreToolUse: [
        {
          // Whatever goes wrong in the gate, the call does not run.
          onFailure: 'block',
          hooks: [async (call, toolUseId) => hookOutput(await preToolUse(hookedCall(call, toolUseId)))],
        },
      ],
    },
    canUseTool: permissionCallback(canUseTool),
  }
}

function hookedCall(hookInput: unknown, toolUseId: string | undefined): HookedCall {
  const call = asRecord(hookInput)
  const agentId = asText(call['agent_id'])
  const agentType = asText(call['agent_type'])
  return {
    toolUseId: asText(call['tool_use_id']) ?? toolUseId ?? '',
    name: asText(call['tool_name']) ?? '',
    input: call['tool_input'],
    mode: asText(call['permission_mode']),
    cwd: asText(call['cwd']),
    ...(agentId !== null && { agentId }),
    ...(agentType !== null && { agentType }),
  }
}

function hookOutput(decision: GateDecision): HookJSONOutput {
  return {
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: decision.decision,
      ...(decision.decision === 'deny' && { permissionDecisionReason: decision.reason }),
    },
  }
}

function permissionCallback(canUseTool: ClaudeOptions['canUseTool']): CanUseTool {
  return async (
    name,
    input,
    { signal, toolUseID, agentID, suggestions = [], decisionReason },
  ): Promise<PermissionResult> => {
    const reply = await canUseTool({
      toolUseId: toolUseID,
      name,
      input,
      suggestions,
      signal,
      reason: decisionReason || null,
      ...(agentID !== undefined && { agentId: agentID }),
    })
    if (reply.allow) return { behavior: 'allow', updatedInput: reply.input }
    return { behavior: 'deny', message: reply.message }
  }
}

function userMessage({ uuid, content, whenBusy }: ClaudeMessage): SDKUserMessage {
  return {
    type: 'user',
    // The CLI tracks the delivery of a message by its uuid.
    uuid: uuid as NonNullable<SDKUserMessage['uuid']>,
    message: { role: 'user', content: typeof content === 'string' ? content : [...content] },
    parent_tool_use_id: null,
    origin: { kind: 'human' },
    priority: whenBusy === 'queue' ? 'later' : 'next',
  }
}
