/** Interface of monitors of terminal sessions. */

import type { SessionSnapshot, Tokens } from '../../protocol/terminal/terminal-session.js'

export type { AgentRun, SessionSnapshot, SkillRun, Tokens } from '../../protocol/terminal/terminal-session.js'

/** Data that only the transcript has. */
export interface TurnRichData {
  readonly model: string | null
  readonly tokens: Tokens
  /** Tokens by model. */
  readonly models: Record<string, Tokens>
  /** Current size of the context in tokens. */
  readonly contextTokens: number | null
  readonly turnCount: number
  readonly gitBranch: string | null
  readonly title: string | null
  readonly subagents: SessionSnapshot['subagents']
}

export interface SessionMonitorProvider {
  /** Resolves when everything written so far has been read. */
  start(): Promise<void>
  /** Most recently active first. */
  sessions(): readonly SessionSnapshot[]
  session(sessionId: string): SessionSnapshot | null
  /** Calls the listener with changed sessions. Returns a function that unsubscribes. */
  subscribe(listener: (changed: readonly SessionSnapshot[]) => void): () => void
  /** Idempotent. */
  close(): Promise<void>
}
