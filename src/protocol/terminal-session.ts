/** What is known about the sessions of terminals. A value that nobody knows is null. */

import { z } from 'zod'
import { SessionId } from './id.js'

const Count = z.number().min(0)

export const SkillRun = z.strictObject({
  skillName: z.string(),
  triggerCommand: z.string().nullable(),
  targetDocPath: z.string().nullable(),
  startedBy: z.enum(['model', 'person']).nullable(),
  state: z.enum(['in_progress', 'completed']),
  startedAt: z.string(),
  completedAt: z.string().nullable(),
  /** `unknown` if its end was not told: it ended with its turn or its session. */
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
  /** Read from the cache. */
  cached: Count,
  /** Written to the cache. */
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
  /** As Claude Code says; `process_gone` or `superseded` if it was not told and was found out. */
  endReason: z.string().nullable(),
  lastUserMessage: z.string().nullable(),
  /** Whether a prompt is being worked on. */
  isInTurn: z.boolean(),
  /** How the last turn ended. `interrupted` is told by no hook: it was found out. */
  lastOutcome: z.enum(['completed', 'failed', 'interrupted']).nullable(),
  waitingFor: z
    .strictObject({ toolName: z.string().nullable(), agentId: z.string().nullable(), since: z.string() })
    .nullable(),
  currentSkill: SkillRun.nullable(),
  /** The last ones, oldest first. */
  skills: z.array(SkillRun).readonly(),
  agents: z.array(AgentRun).readonly(),
  model: z.string().nullable(),
  tokens: Tokens.nullable(),
  /** The same by model. */
  models: z.record(z.string(), Tokens).nullable(),
  /** Tokens that the conversation takes up now. */
  contextTokens: Count.nullable(),
  turnCount: Count,
  gitBranch: z.string().nullable(),
  subagents: Subagents,
  transcriptPath: z.string().nullable(),
  pid: z.int().nullable(),
  /** Which processes the pid is one of: a container counts its own. */
  pidSpace: z.string().nullable(),
  /** Only while processes are looked at. */
  cpuPercent: z.number().nullable(),
  memMb: z.number().nullable(),
})
export type SessionSnapshot = Readonly<z.infer<typeof SessionSnapshot>>

/** With our id of it, once it is in the log. */
export const TerminalSession = z.strictObject({ id: SessionId.nullable(), ...SessionSnapshot.shape })
export type TerminalSession = Readonly<z.infer<typeof TerminalSession>>

export const TerminalSkill = z.strictObject({
  id: z.string(),
  sessionId: z.string(),
  ...SkillRun.shape,
  durationMs: Count.nullable(),
})
export type TerminalSkill = Readonly<z.infer<typeof TerminalSkill>>

/** Every skill of the sessions, the one that was started last first. */
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
