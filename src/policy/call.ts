/** What is judged: a call, and everything that it is judged by besides the policy. */

import type { Grant } from '../protocol/event/request-event.js'
import type { Policy } from '../protocol/policy/policy.js'
import type { PermissionMode } from '../protocol/value.js'
import type { FileSystem } from './file/file-system.js'

/** A policy as it holds somewhere. */
export interface EffectivePolicy extends Policy {
  /** Our own home, under each of its names: what reaches into it is denied before anything else, in every preset and mode. */
  ownHomes?: readonly string[] | undefined
}

export interface PolicyCall {
  tool: string
  input: unknown
  mode: PermissionMode
  cwd: string
  home: string
  /** Where files may be read and edited without leaving; the working directory if not said. */
  workspace?: string | undefined
  /** Which subagent calls; null for the main one. */
  agent?: string | null | undefined
  /** Where the tool's MCP server was configured: `user`, `project`, `local`, `plugin`, `sdk`. */
  serverSource?: string | null | undefined
  /** The program has given this tool itself: what a built-in one of the same name does says nothing about it. */
  isProgramTool?: boolean | undefined
  grants?: readonly Grant[] | undefined
  /** The time, as in a grant's `until`; without it no grant that ends holds. */
  now?: string | undefined
  /** A verified read-only jail is available, so what is unproven but harmless may run inside it. */
  jail?: boolean | undefined
  fs: FileSystem
}
