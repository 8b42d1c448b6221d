/** What is known about the sessions of terminals, and the face of whatever finds it out. */

export type SessionState = 'active' | 'idle' | 'completed'
export type ActivityPhase = 'busy' | 'interactable' | 'waiting_permission' | 'waiting_question'

export interface SkillRun {
  readonly skillName: string
  readonly triggerCommand: string | null
  readonly targetDocPath: string | null
  readonly startedBy: 'model' | 'person' | null
  readonly state: 'in_progress' | 'completed'
  readonly startedAt: string
  readonly completedAt: string | null
  /** `unknown` if its end was not told: it ended with its turn or its session. */
  readonly outcome: 'completed' | 'failed' | 'unknown' | null
}

export interface AgentRun {
  readonly agentId: string
  readonly agentType: string | null
  readonly state: 'running' | 'ended'
}

export interface Tokens {
  readonly input: number
  readonly output: number
  /** Read from the cache. */
  readonly cached: number
  /** Written to the cache. */
  readonly cacheCreation: number
}

/** What only the transcript tells. */
export interface TurnRichData {
  readonly model: string | null
  readonly tokens: Tokens
  readonly turnCount: number
  readonly gitBranch: string | null
  readonly title: string | null
  readonly subagents: readonly {
    readonly agentId: string
    readonly agentType: string | null
    readonly tokens: Tokens
  }[]
}

/** A value that nobody knows is null. */
export interface SessionSnapshot {
  readonly sessionId: string
  readonly provider: 'claude' | 'codex' | 'unknown'
  readonly state: SessionState
  readonly activityPhase: ActivityPhase
  readonly projectPath: string | null
  readonly cwd: string | null
  readonly title: string | null
  readonly permissionMode: string | null
  readonly entrypoint: string | null
  readonly startedAt: string | null
  readonly lastActivityAt: string
  readonly endedAt: string | null
  /** As Claude Code says; `process_gone` or `superseded` if it was not told and was found out. */
  readonly endReason: string | null
  readonly lastUserMessage: string | null
  /** Whether a prompt is being worked on. */
  readonly isInTurn: boolean
  /** How the last turn ended. `interrupted` is told by no hook: it was found out. */
  readonly lastOutcome: 'completed' | 'failed' | 'interrupted' | null
  readonly waitingFor: {
    readonly toolName: string | null
    readonly agentId: string | null
    readonly since: string
  } | null
  readonly currentSkill: SkillRun | null
  /** The last ones, oldest first. */
  readonly skills: readonly SkillRun[]
  readonly agents: readonly AgentRun[]
  readonly model: string | null
  readonly tokens: Tokens | null
  readonly turnCount: number
  readonly gitBranch: string | null
  readonly subagents: TurnRichData['subagents']
  readonly transcriptPath: string | null
  readonly pid: number | null
  /** Which processes the pid is one of: a container counts its own. */
  readonly pidSpace: string | null
  /** Only while processes are looked at. */
  readonly cpuPercent: number | null
  readonly memMb: number | null
}

export interface SessionMonitorProvider {
  /** Resolves when everything that has been written so far is known. */
  start(): Promise<void>
  /** The session that did something last comes first. */
  sessions(): readonly SessionSnapshot[]
  session(sessionId: string): SessionSnapshot | null
  /** Told of sessions that have changed; the function it returns ends that. */
  subscribe(listener: (changed: readonly SessionSnapshot[]) => void): () => void
  /** May be called twice. */
  close(): Promise<void>
}
