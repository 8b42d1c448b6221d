/** State of a session as a `ClaudeManager` exposes it while it runs. Read-only for callers; the manager updates it. */

import type { ManagerEvent } from '../dialect/manager.js'
import type { Session } from '../embed/session.js'
import type { Delta, SessionEvent } from '../protocol/event/event.js'
import type { Activity } from '../protocol/event/session-event.js'
import type { Usage } from '../protocol/value.js'

export class ManagerSession {
  /** The session that is driven; null until it is open. */
  query: Session | null = null
  /** Aborting it is the same as `stop`. */
  readonly abortController = new AbortController()
  claudeSessionId: string | null
  state: { type: Activity } = { type: 'thinking' }
  partialText = ''
  readonly startTime = Date.now()
  /** By tool-use id. */
  readonly pendingTools = new Map<string, string>()
  usage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadInputTokens: 0, cacheCreationInputTokens: 0 }

  constructor(claudeSessionId: string | null) {
    this.claudeSessionId = claudeSessionId
  }

  /** Our event, and the manager events that were emitted for it. */
  note(event: SessionEvent | Delta, told: readonly ManagerEvent[]): void {
    if (event.type === 'tool.requested') this.pendingTools.set(event.data.toolUseId, event.data.name)
    if (event.type === 'tool.ended') this.pendingTools.delete(event.data.toolUseId)
    if (event.type === 'session.changed' && event.data.turnUsage) this.usage = event.data.turnUsage
    for (const theirs of told) {
      if (theirs.type === 'init') this.claudeSessionId = theirs.session_id
      if (theirs.type === 'stateUpdate') this.state = theirs.state
      if (theirs.type === 'text') this.partialText += theirs.content
      if (theirs.type === 'textComplete') this.partialText = ''
      if (theirs.type === 'result') this.usage = theirs.usage
    }
  }
}
