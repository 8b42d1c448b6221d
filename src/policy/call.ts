/** The input of a verdict: a tool call and everything it depends on besides the policy. */

import type { Grant } from '../protocol/event/request-event.js'
import type { Policy } from '../protocol/policy/policy.js'
import type { PermissionMode } from '../protocol/value.js'
import type { FileSystem } from './file/file-system.js'

/** The policy in force for one place. */
export interface EffectivePolicy extends Policy {
  /**
   * The home of Signalbox, under each of its names. A call that reaches into it is denied before anything else, in
   * every preset and mode.
   */
  ownHomes?: readonly string[] | undefined
}

export interface PolicyCall {
  tool: string
  input: unknown
  mode: PermissionMode
  cwd: string
  home: string
  /** Files below it may be read and edited as part of the work. Default: the working directory. */
  workspace?: string | undefined
  /** The calling subagent; null for the main agent. */
  agent?: string | null | undefined
  /** Where the tool's MCP server was configured: `user`, `project`, `local`, `plugin`, `sdk`. */
  serverSource?: string | null | undefined
  /** The embedding program provides this tool, so the built-in tool of the same name says nothing about it. */
  isProgramTool?: boolean | undefined
  grants?: readonly Grant[] | undefined
  /** The current time, in the format of a grant's `until`. Without it, grants that expire are ignored. */
  now?: string | undefined
  /** A verified read-only jail is available, so an unproven but harmless command may run inside it. */
  jail?: boolean | undefined
  fs: FileSystem
}
