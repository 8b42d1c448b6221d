/** Filters of the lists that a store returns, with their cursors and limits. */

import type { AuditFilter } from '../../protocol/audit-filter.js'
import type { EventType } from '../../protocol/event/event.js'
import type { Condition, SessionState } from '../../protocol/event/session-event.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'

/** Length of a list without `limit`. */
export const DEFAULT_LIMIT = 1_000

export interface EventFilter {
  after?: number
  limit?: number
  /** Reading stops after the event that reaches this size; at least one event is returned. */
  maxBytes?: number
  types?: readonly EventType[]
}

export interface SessionFilter {
  state?: SessionState
  kind?: Session['kind']
  machine?: string
  cwd?: string
  condition?: Condition
  isArchived?: boolean
  isEnded?: boolean
  tag?: string
  /** Claude's id of the conversation. */
  claudeSessionId?: string
  /** The caller's own id of the conversation, also of ended sessions. */
  externalId?: string
  /** Only sessions with unfinished work: a process, a turn, a request, a queued message. */
  isActive?: boolean
  /** Substring of title, folder or last prompt. */
  text?: string
  /** Cursor: only sessions older than this one. */
  before?: string | undefined
  limit?: number
}

export interface SearchFilter {
  /** Words, and phrases in quotes. All must match. */
  text: string
  sessionId?: string
  /** Only sessions in this folder or below it. */
  folder?: string
  types?: readonly EventType[]
  /** Only events from this time on. */
  since?: string
  /** Only events before this time. */
  until?: string
  /** Cursor: only positions before this one. */
  before?: number
  limit?: number
  /** As in `EventFilter`. */
  maxBytes?: number
}

export interface RequestFilter {
  state?: InboxRequest['state']
  sessionId?: string
  /** Only requests for this tool call. */
  toolUseId?: string
  /** Cursor: only requests newer than this one. */
  after?: string
  limit?: number
  /** As in `EventFilter`. */
  maxBytes?: number
}

export interface AuditRowFilter extends AuditFilter {
  /** Cursor: only rows before this one. */
  before?: number | undefined
  /** Only rows after this one: how far to look. */
  after?: number
  limit?: number
}
