/** Port to the Claude Code CLI, as the rest of the product sees it: a process that takes input and yields messages. */

import type { HookEvent } from '../../hook/settings.js'
import type { HookVerdict, SdkHookOutput } from '../../hook/verdict.js'
import type { Loose } from '../../lib/read-json.js'
import type { Inspection, McpChange } from '../../protocol/api-body.js'
import type { Form, FormReply } from '../../protocol/form/form.js'
import type { Effort, McpServers, SessionOptions } from '../../protocol/option/option.js'
import type { ContentBlock, PermissionMode } from '../../protocol/value.js'
import type { CallTool } from '../../tool/session-tools.js'
import type { ToolListing } from '../../tool/tool-server.js'
import type { KeptRecord, LaunchFolder } from '../attach/launch-folder.js'
import type { Keeper, KeptConnection } from '../keeper/keeper-client.js'

/** A call that is about to be made, as a hook sees it. */
export interface HookedCall {
  toolUseId: string
  name: string
  input: unknown
  agentId?: string
  /** The type of the subagent that calls. */
  agentType?: string
  /** Where the agent's shell is now: it moves with `cd`. */
  cwd?: string
  /** Everything that the CLI reports about it, as it passes it to hooks. */
  event: Loose
  /** A previous run of the daemon may have judged it already. */
  isRepeated?: true
}

/** A call that waits for a decision. */
export interface AskedPermission {
  toolUseId: string
  name: string
  input: Record<string, unknown>
  agentId?: string
  suggestions: readonly unknown[]
  /** Why the CLI asks, where it says so. */
  reason: string | null
  /** A previous run of the daemon may have asked the user already. */
  isRepeated?: true
  /** Aborts when the CLI cancels the question, not when the process is gone. */
  signal: AbortSignal
}

export type GateDecision =
  /** `updatedInput`: the tool runs with this instead, in the jail. */
  { decision: 'allow'; updatedInput?: Loose } | { decision: 'ask' } | { decision: 'deny'; reason: string }
/** The decision that is returned to the CLI, with the output of command hooks. */
export type HookedDecision = GateDecision & { hooked?: HookVerdict }
export type PermissionReply =
  /** `mode`: the session continues in this one. */
  | { allow: true; input: Record<string, unknown>; mode?: PermissionMode }
  | { allow: false; message: string; interrupt?: true }

/** Requests that the CLI makes to us. */
export interface ClaudeCallbacks {
  /** Sees every call of every agent in every mode. */
  preToolUse(call: HookedCall, signal: AbortSignal): Promise<HookedDecision>
  canUseTool(call: AskedPermission): Promise<PermissionReply>
  /** An MCP server asks for something. */
  elicit(form: Form, signal: AbortSignal): Promise<FormReply>
  /** Something else happens that a hook may be about. */
  hook(event: HookEvent, input: Loose, signal: AbortSignal): Promise<SdkHookOutput>
  /** The agent calls a tool of ours, which has been judged like every other. */
  callTool: CallTool
}

/** An event for which the CLI calls us back. */
export interface HookedEvent {
  event: HookEvent
  /** Only for these tools, as a regular expression; for all by default. */
  matcher?: string
  /** How long the answer may take at most. */
  timeoutMs: number
}

/** Which conversation the process begins with. */
export type Start =
  | { kind: 'new'; id: string }
  /** `at`: continues after this message of Claude's and drops later ones. */
  | { kind: 'resume'; id: string; at: string | null }
  | { kind: 'fork'; id: string; from: string; at: string | null }

/** How a process is started. Two launches that are equal but for their start can stand in for each other. */
export interface Launch {
  cwd: string
  env: Readonly<Record<string, string>>
  /** Null: the program that comes with the SDK. */
  program: string | null
  model: string | null
  permissionMode: PermissionMode
  thinkingTokens: number | null
  effort: Effort | null
  options: SessionOptions
  /** Those of the options and of the workspace, ready to be started. */
  mcpServers: McpServers
  /** Those of ours that the agent has. */
  tools: readonly ToolListing[]
  hooks: readonly HookedEvent[]
  /** Permission rules of the CLI for files that it must never read. */
  deniedReads: readonly string[]
  /** Patterns of `CLAUDE.md` files and rules that are not loaded. */
  excludedMemory: readonly string[]
  start: Start
}

export interface ClaudeMessage {
  uuid: string
  content: string | readonly ContentBlock[]
  /** The text is not to be looked into for `@path` and `/command`. */
  isVerbatim?: true
}

export interface Claude {
  /** Everything that the CLI says, of any shape. Ends with the process; throws if that was not in order. */
  readonly messages: AsyncIterable<unknown>
  /** The id of the launch that another run of the daemon can attach to; null if the process ends with this one. */
  readonly keptId: string | null
  /** Leaves it running, for another run of the daemon. Nothing comes from it any more. */
  detach(): void
  send(message: ClaudeMessage): void
  /** Cancels a message that the CLI has not read yet; false if it has. */
  cancel(uuid: string): Promise<boolean>
  /** Interrupts the running turn; the conversation can continue, and queued messages are read. */
  interrupt(): Promise<void>
  setPermissionMode(mode: PermissionMode): Promise<void>
  setModel(model: string): Promise<void>
  setThinkingTokens(tokens: number | null): Promise<void>
  setEffort(effort: Effort | null): Promise<void>
  setMcpServers(servers: McpServers): Promise<McpChange>
  stopTask(taskId: string): Promise<void>
  inspect(what: Inspection): Promise<unknown>
  /** Whether what it says is left in its pipe, so that it waits. */
  holdOutput(isHeld: boolean): void
  /** Ends the process and all that it has started. Never hangs. */
  close(): Promise<void>
  /** The same at once, in the middle of whatever it does, so that another process can go on from there. */
  kill(): Promise<void>
  /** The last lines of the CLI's standard error. */
  readonly lastWords: string
}

/** A process that has been started ahead of its session. */
export interface WarmClaude {
  /** Gives it to a session. Once. */
  claim(callbacks: ClaudeCallbacks): Claude
  close(): Promise<void>
  readonly hasExited: boolean
}

export interface ClaudePort {
  open(launch: Launch, callbacks: ClaudeCallbacks, process: ProcessOptions): Promise<Claude>
  warm(launch: Launch, process: ProcessOptions): Promise<WarmClaude>
  /** Attaches to a process that a previous run has left. Null if that cannot be done: then it must be ended. */
  attach?(launch: Launch, callbacks: ClaudeCallbacks, left: LeftProcess): Promise<Claude | null>
}

/** Dependencies of a process, independent of its purpose. */
export interface ProcessOptions {
  /** The mark that every process it starts carries in its environment. */
  mark: string
  /** Makes its folder, with its record in it. Called once, before it is started. */
  makeFolder(kept: KeptRecord | null): LaunchFolder
  /** Holds the process, so that it can outlive this one; null if it ends with this one. */
  keeper: Keeper | null
  /** Called before it has done anything. */
  onSpawn(pid: number): void
  onExit(pid: number): void
}

/** A process that a previous run of the daemon has left running. */
export interface LeftProcess extends ProcessOptions {
  folder: LaunchFolder
  kept: KeptRecord
  connection: KeptConnection
  /** Up to here its output has become events. */
  offset: number
}
