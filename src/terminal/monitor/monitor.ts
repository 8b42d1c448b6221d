/** The face of whatever finds out what the sessions of terminals are doing. */

import type { SessionSnapshot, Tokens } from '../../protocol/terminal-session.js'

export type { AgentRun, SessionSnapshot, SkillRun, Tokens } from '../../protocol/terminal-session.js'

/** What only the transcript tells. */
export interface TurnRichData {
  readonly model: string | null
  readonly tokens: Tokens
  /** The same by model. */
  readonly models: Record<string, Tokens>
  /** Tokens that the conversation takes up now. */
  readonly contextTokens: number | null
  readonly turnCount: number
  readonly gitBranch: string | null
  readonly title: string | null
  readonly subagents: SessionSnapshot['subagents']
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
