/** Snapshots of terminal sessions. Unknown values are null. */

import { z } from 'zod'
import { SessionId } from '../id.js'

const Count = z.number().min(0)

export const SkillRun = z.strictObject({
  skillName: z.string(),
  triggerCommand: z.string().nullable(),
  targetDocPath: z.string().nullable(),
  startedBy: z.enum(['model', 'person']).nullable(),
  state: z.enum(['in_progress', 'completed']),
  startedAt: z.string(),
  completedAt: z.string().nullable(),
  /** `unknown`: no end was reported; it ended with its turn or session. */
  outcome: z.enum(['completed', 'failed', 'unknown']).nullable(),
})
export type SkillRun = Readonly<z.infer<typeof SkillRun>>

const AgentRun = z.strictObject({
  agentId: z.string(),
  agentType: z.string().nullable(),
  state: z.enum(['running', 'ended']),
})
export type AgentRun = Readonly<z.infer<typeof AgentRun>>

const Tokens = z.strictObject({
  input: Count,
  output: Count,
  /** Cache reads. */
  cached: Count,
  /** Cache writes. */
  cacheCreation: Count,
})
export type Tokens = Readonly<z.infer<typeof Tokens>>

const Subagents = z
  .array(z.strictObject({ agentId: z.string(), agentType: z.string().nullable(), tokens: Tokens }))
  .readonly()

export const SessionSnapshot = z.strictObject({
  /** Claude's id of the conversation. */
  sessionId: z.string(),
  provider: z.enum(['claude', 'codex', 'unknown']),
  state: z.enum(['active', 'idle', 'completed']),
  activityPhase: z.enum(['busy', 'interactable', 'waiting_permission', 'waiting_question']),
  projectPath: z.string().nullable(),
  cwd: z.string().nullable(),
  title: z.string().nullable(),
  permissionMode: z.string().nullable(),
  entrypoint: z.string().nullable(),
  startedAt: z.string().nullable(),
  lastActivityAt: z.string(),
  endedAt: z.string().nullable(),
  /** As reported by Claude Code. `process_gone` and `superseded` are inferred by the daemon, without a report. */
  endReason: z.string().nullable(),
  lastUserMessage: z.string().nullable(),
  /** Whether a turn is running. */
  isInTurn: z.boolean(),
  /** Outcome of the last turn. `interrupted` is inferred, because no hook reports it. */
  lastOutcome: z.enum(['completed', 'failed', 'interrupted']).nullable(),
  waitingFor: z
    .strictObject({ toolName: z.string().nullable(), agentId: z.string().nullable(), since: z.string() })
    .nullable(),
  currentSkill: SkillRun.nullable(),
  /** The most recent runs, oldest first. */
  skills: z.array(SkillRun).readonly(),
  agents: z.array(AgentRun).readonly(),
  model: z.string().nullable(),
  tokens: Tokens.nullable(),
  /** Tokens by model. */
  models: z.record(z.string(), Tokens).nullable(),
  /** Current size of the context in tokens. */
  contextTokens: Count.nullable(),
  turnCount: Count,
  gitBranch: z.string().nullable(),
  subagents: Subagents,
  transcriptPath: z.string().nullable(),
  pid: z.int().nullable(),
  /** The PID namespace: containers have their own. */
  pidSpace: z.string().nullable(),
  /** Null unless processes are monitored. */
  cpuPercent: z.number().nullable(),
  memMb: z.number().nullable(),
})
export type SessionSnapshot = Readonly<z.infer<typeof SessionSnapshot>>

/** With the session's id in our log, once it has one. */
export const TerminalSession = z.strictObject({ id: SessionId.nullable(), ...SessionSnapshot.shape })
export type TerminalSession = Readonly<z.infer<typeof TerminalSession>>

export const TerminalSkill = z.strictObject({
  id: z.string(),
  sessionId: z.string(),
  ...SkillRun.shape,
  durationMs: Count.nullable(),
})
export type TerminalSkill = Readonly<z.infer<typeof TerminalSkill>>

/** All skill runs of the sessions, most recently started first. */
export function skillsOf(sessions: readonly SessionSnapshot[]): TerminalSkill[] {
  return sessions
    .flatMap(({ sessionId, skills }) =>
      skills.map((run) => ({
        id: `${sessionId}#${run.startedAt}#${run.skillName}`,
        sessionId,
        ...run,
        durationMs: run.completedAt === null ? null : durationOf(run.startedAt, run.completedAt),
      })),
    )
    .toSorted((one, other) => (one.startedAt < other.startedAt ? 1 : -1))
}

function durationOf(from: string, to: string): number | null {
  const ms = Date.parse(to) - Date.parse(from)
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
