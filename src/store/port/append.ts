/** Appends to a store and their results: events, their position, and why a group was refused. */

import type { EventDraft, SessionEvent } from '../../protocol/event/event.js'
import type { Session } from '../../protocol/session.js'

/** A draft with id and time; only its number is missing. */
export type StampedDraft = EventDraft & { id: string; at: string }

/** A stored event with its position among all events of all sessions. Positions increase, but may have gaps. */
export interface StoredEvent {
  readonly position: number
  readonly event: SessionEvent
}

/** A group of drafts, stored atomically: all or none. */
export interface AppendGroup {
  readonly sessionId: string
  readonly drafts: readonly StampedDraft[]
  /**
   * Idempotency: stores the group only if the key is unused, and returns `value` to later callers with the same key.
   * `digest` identifies the request, to detect reuse of a key for another one.
   */
  readonly once?: {
    readonly scope: string
    readonly key: string
    readonly value: string
    readonly digest?: string
  }
  /** From a runner in a process of its own, numbered within an epoch (`joinMachine`). Each number is taken once. */
  readonly from?: { readonly machine: string; readonly epoch: number; readonly n: number }
  /**
   * Runs in the same transaction, for tables that other parts keep in the database of the store, such as the offsets of
   * files. May run again after a rollback.
   */
  readonly alongside?: () => void
  /** Can be made again from its source, which is read again after a power cut: its commit is not fsynced. */
  readonly isRepeatable?: true
  /** How far these events bring the reading of the session's process; null if it has ended. Stored in the same commit. */
  readonly resume?: ResumePoint | null
}

/** From where another run of the daemon can read on what a running process says. */
export interface ResumePoint {
  readonly launch: string
  /** Bytes of its output that have become events. */
  readonly offset: number
  /** State of the translation there; JSON. */
  readonly state: unknown
}

export interface SessionResumePoint extends ResumePoint {
  readonly sessionId: string
}

export type AppendResult =
  | { readonly kind: 'stored'; readonly events: readonly StoredEvent[]; readonly session: Session }
  | { readonly kind: 'refused'; readonly why: Refusal }

/** Why a group was not stored. */
export type Refusal =
  | { readonly kind: 'session_unknown' }
  | { readonly kind: 'session_exists' }
  /** The session has ended and accepts no messages. */
  | { readonly kind: 'session_ended' }
  /** A request is resolved once: the first answer wins. */
  | { readonly kind: 'request_not_pending'; readonly requestId: string }
  /** A message is delivered or cancelled once. */
  | { readonly kind: 'message_not_queued'; readonly messageId: string }
  /** `isSame`: the key was used for the same request, as far as known. */
  | { readonly kind: 'key_used'; readonly value: string; readonly isSame: boolean }
  /** A group of this number, or of a later one, was taken before: stored or refused. */
  | { readonly kind: 'repeated' }
  /** Another runner has taken over the machine. */
  | { readonly kind: 'fenced' }
  /** Another session that has not ended uses this external id. */
  | { readonly kind: 'external_id_taken'; readonly externalId: string; readonly holder: string }
