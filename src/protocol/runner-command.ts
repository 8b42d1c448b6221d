/**
 * Commands of the hub to the runner: what only the machine of the agents can do, or knows. Everything that must not be lost goes
 * through the journal instead. Plain data, as the runner may be another process.
 */

import type { ChangeSession, Inspection, McpChange } from './api-body.js'
import type { Comment } from './change/comment.js'
import type { ChangedPicture, Diff, DiffQuery, Recording, UndoChanges, UndoResult } from './change/diff.js'
import type { FileMatches, ListedFolder } from './compose/workspace-file.js'
import type { Grant } from './event/request-event.js'
import type { McpServers } from './option/option.js'
import type { Policy, PolicyRule, Preset, Verdict } from './policy/policy.js'
import type {
  Explanation,
  PreviewRule,
  ProposeRule,
  RulePreview,
  RuleProposal,
} from './policy/policy-body.js'
import type { HookStatus } from './terminal/hook-status.js'
import type { TerminalSession } from './terminal/terminal-session.js'
import type { TranscriptStatus } from './terminal/transcript-status.js'
import type { ToolInfo } from './tool.js'
import type { UsageSum } from './usage/usage.js'
import type { Actor, PermissionMode } from './value.js'
import type {
  ChangeWorktree,
  MadeWorktree,
  NewWorktree,
  SessionWorktree,
  Worktree,
  WorktreeResult,
  WorktreeStatus,
} from './worktree/worktree.js'

interface OfSession {
  sessionId: string
}

/** A change that is applied to a live process. */
export type LiveChange = Pick<ChangeSession, 'model' | 'permissionMode' | 'thinkingTokens' | 'effort'>

/** A call with all that a verdict depends on besides the policy and the files of the machine. */
export interface CallToJudge {
  tool: string
  input: unknown
  mode: PermissionMode
  cwd: string
  workspace?: string
  agent?: string | null
  grants?: readonly Grant[]
  now: string
  jail?: boolean
}

/** Where a call is made, as far as that selects its policy. */
export interface CallPlace {
  workspace: string
  /** Whether the policy file of the workspace is read. */
  isTrusted: boolean
  /** The preset that the session has chosen. */
  preset: Preset | null
}

export interface CallInPlace {
  call: CallToJudge
  place: CallPlace
}

export interface JudgedCall extends CallInPlace {
  /** The user's policy, without the rules of the workspace. */
  policy: Policy
}

/** Commands that only the process that runs the sessions can carry out. Everything else goes through the journal. */
export interface RunnerCommands {
  'session.interrupt': { input: OfSession; output: void }
  /** Resolves when a session that is being stopped (`session.stopping`) has ended. */
  'session.stop': { input: OfSession; output: void }
  /** Ends the process, not the session. `onlyIdle`: only if no work is lost. */
  'session.park': { input: OfSession & { onlyIdle?: boolean }; output: void }
  'session.configure': { input: OfSession & { change: LiveChange; by: Actor | null }; output: void }
  /** Continues an interrupted turn. */
  'session.continue': { input: OfSession; output: void }
  /** Cancels a queued message; false if the agent has already read it. */
  'session.cancel_message': { input: OfSession & { messageId: string; reason: string }; output: boolean }
  'session.stop_task': { input: OfSession & { taskId: string }; output: void }
  'session.set_mcp_servers': { input: OfSession & { servers: McpServers }; output: McpChange }
  'session.inspect': { input: OfSession & { what: Inspection }; output: unknown }
  /** Compares recorded states of the session's folder. */
  'changes.diff': { input: OfSession & DiffQuery; output: Diff }
  'changes.picture': {
    input: OfSession & Omit<DiffQuery, 'against' | 'context'> & { side: 'before' | 'after' }
    output: ChangedPicture
  }
  'changes.undo': {
    input: OfSession & UndoChanges & { by: Actor; isAdmin: boolean; rewoundTo?: string | undefined }
    output: UndoResult
  }
  'changes.recording': { input: OfSession; output: Recording }
  /** Whether the lines of each comment have changed. */
  'changes.resolved': { input: OfSession & { comments: readonly Comment[] }; output: boolean[] }
  /** The session was deleted. */
  'changes.forget': { input: OfSession & { cwd: string }; output: void }
  /** Makes a worktree of the repository of a folder. `suggestion`: a text to name it by. */
  'worktree.create': { input: { cwd: string; wanted: NewWorktree; suggestion: string }; output: MadeWorktree }
  /** Removes a worktree that no session got. */
  'worktree.discard': { input: { worktree: SessionWorktree }; output: void }
  'worktree.list': { input: { cwd: string }; output: Worktree[] }
  'worktree.status': { input: OfSession; output: WorktreeStatus }
  'worktree.change': { input: OfSession & ChangeWorktree; output: WorktreeResult }
  /** Runs the command that prepares the worktree of a session. */
  'worktree.setup': { input: OfSession & { command: string }; output: void }
  /** Files and folders below a folder, by parts of their names. The path is real, and the user may look into it. */
  'workspace.files': { input: { folder: string; text: string; limit: number }; output: FileMatches }
  /** The folders in a folder. The path is real, and the user may look into it. */
  'workspace.folders': { input: { path: string }; output: { folders: ListedFolder[]; isWhole: boolean } }
  /** Ends processes that loaded settings from this folder. */
  'workspace.distrusted': { input: { path: string }; output: void }
  /** The real path of a folder. Rejects with `workspace_not_found`. */
  'workspace.find': { input: { path: string }; output: string }
  /** Secrets in the files of a folder, so that the hub redacts them before anything of its sessions is published. */
  'workspace.secrets': { input: { path: string }; output: readonly string[] }
  /** Resolves when the log of a session of the previous run is in order. Rejects while nothing can be stored. */
  'session.recovered': { input: OfSession; output: void }
  /** The same for sessions that are only looked at. False if none had to be waited for, or nothing can be stored. */
  'sessions.recovered': { input: { sessionIds: readonly string[] }; output: boolean }
  /** Tools that sessions can be given besides those of Claude Code. */
  'tools.list': { input: object; output: readonly ToolInfo[] }
  /** The verdict on a call, and what led to it. */
  'policy.explain': { input: JudgedCall; output: Explanation }
  /** Verdicts of two policies on the same calls, in their order. */
  'policy.judge': {
    input: { calls: readonly CallInPlace[]; before: Policy; after: Policy }
    output: { before: Verdict; after: Verdict }[]
  }
  'policy.suggest': { input: { call: CallToJudge }; output: PolicyRule }
  'policy.propose': { input: JudgedCall & { choice: ProposeRule }; output: Omit<RuleProposal, 'requestId'> }
  /** The effect of a rule on an example; without one, on an example that the rule's own patterns describe. */
  'policy.preview': {
    input: {
      rule: PolicyRule
      cwd: string
      example?: PreviewRule['call']
      now: string
      place: CallPlace
      policy: Policy
    }
    output: RulePreview
  }
  /** Sessions of terminals, most recently active first. */
  'terminals.list': { input: object; output: readonly TerminalSession[] }
  /** Holds the request of a line until it is answered; resolves with the output of the hook. */
  'terminals.hold': { input: { lineId: string }; output: string | null }
  /** State of the lifecycle hook; null where terminals are not followed. */
  'hooks.status': { input: object; output: HookStatus | null }
  /** State of the import of transcripts; null where terminals are not followed. */
  'transcripts.status': { input: object; output: TranscriptStatus | null }
  /** Usage from the transcripts of all Claude Code sessions on the machine. */
  'usage.read': { input: { since?: string }; output: readonly Omit<UsageSum, 'source'>[] }
  /** Finds a Claude conversation on the runner's machine: by id, or the newest of a folder. */
  'conversation.find': { input: { id: string } | { cwd: string }; output: { id: string; cwd: string } | null }
}
export type RunnerCommandName = keyof RunnerCommands
export type RunnerCommand<Name extends RunnerCommandName = RunnerCommandName> = {
  [Key in Name]: { type: Key } & RunnerCommands[Key]['input']
}[Name]
export type RunnerReply<Name extends RunnerCommandName> = RunnerCommands[Name]['output']
