/** The store's promises. The memory adapter is the reference, `store-suite.ts` the definition. */

import type { AuditHead, AuditRow } from '../audit/chain.js'
import type { AuditEntry, AuditKind } from '../protocol/audit.js'
import type { EventDraft, EventType, SessionEvent } from '../protocol/event/event.js'
import type { SessionState } from '../protocol/event/session-event.js'
import type { StoredOptions } from '../protocol/option/option-role.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Role } from '../protocol/role.js'
import type { Session } from '../protocol/session.js'
import type { StorageProblem } from '../protocol/storage.js'
import type { UsageSource } from '../protocol/usage/usage.js'
import type { Usage } from '../protocol/value.js'

/** A draft with its id and time: all that is missing is its place. */
export type StampedDraft = EventDraft & { id: string; at: string }

/** A stored event and its place among all events of all sessions. Positions grow, but may skip numbers. */
export interface StoredEvent {
  readonly position: number
  readonly event: SessionEvent
}

/** Drafts that belong together: all of them are stored, or none. */
export interface AppendGroup {
  readonly sessionId: string
  readonly drafts: readonly StampedDraft[]
  /**
   * Stores the group only if nobody has used this key, and remembers `value` for those who come later. `digest` is of what was
   * asked for: the same key for another request is detected.
   */
  readonly once?: {
    readonly scope: string
    readonly key: string
    readonly value: string
    readonly digest?: string
  }
}

export type AppendResult =
  | { readonly kind: 'stored'; readonly events: readonly StoredEvent[]; readonly session: Session }
  | { readonly kind: 'refused'; readonly why: Refusal }

/** Why a group was not stored. */
export type Refusal =
  | { readonly kind: 'session_unknown' }
  | { readonly kind: 'session_exists' }
  /** It takes no messages any more. */
  | { readonly kind: 'session_ended' }
  /** Requested once, resolved once: the first answer has won. */
  | { readonly kind: 'request_not_pending'; readonly requestId: string }
  /** Queued once, delivered or cancelled once. */
  | { readonly kind: 'message_not_queued'; readonly messageId: string }
  /** `isSame`: for the same thing, as far as that is known. */
  | { readonly kind: 'key_used'; readonly value: string; readonly isSame: boolean }
  /** A session that has not ended has this id of the caller's. */
  | { readonly kind: 'external_id_taken'; readonly externalId: string; readonly holder: string }

/** Events behind `after` are gone; what is there goes on with `next`. */
export interface EventGap {
  readonly after: number
  readonly next: number
}

export interface EventFilter {
  after?: number
  limit?: number
  /** Nothing is read behind the event with which there are this many bytes; at least one is. */
  maxBytes?: number
  types?: readonly EventType[]
}

export interface SessionFilter {
  state?: SessionState
  kind?: Session['kind']
  cwd?: string
  /** Claude's id of the conversation. */
  claudeSessionId?: string
  /** The caller's own id of the conversation; sessions that have ended keep theirs. */
  externalId?: string
  /** Only those with something under way: a process, a turn, a request, a message that waits. */
  isActive?: boolean
  /** In title, folder or last prompt. */
  text?: string
  /** Older than this session. */
  before?: string | undefined
  limit?: number
}

/** `configured`: given by an admin or operator. `file`: found in a protected file, which agents can write. */
export interface StoredSecret {
  readonly value: string
  readonly source: 'configured' | 'file'
}

export interface SearchFilter {
  /** Words, and phrases in quotes: all of them must be there. */
  text: string
  sessionId?: string
  /** Only at positions before this. */
  before?: number
  limit?: number
  /** As in `EventFilter`. */
  maxBytes?: number
}

export interface Counts {
  readonly sessions: Readonly<Partial<Record<SessionState, number>>>
  readonly pendingRequests: number
  /** Stored so far, those of deleted sessions included. */
  readonly events: number
}

/** What one session used of one model in one hour (hours since 1970). */
export interface UsageSum extends Usage {
  readonly hour: number
  readonly sessionId: string
  readonly cwd: string
  readonly model: string
  readonly source: UsageSource
  readonly costUsd: number
  /** Whether the price is known; if not, the cost holds nothing of it. */
  readonly isPriced: boolean
}

/** What has been read of a transcript of Claude Code. */
export interface TranscriptRecord {
  readonly path: string
  /** Claude's. */
  readonly sessionId: string
  readonly cwd: string
  readonly inode: string
  readonly size: number
  readonly offset: number
  readonly sums: readonly Omit<UsageSum, 'sessionId' | 'cwd' | 'source'>[]
  /** Of the messages that were counted here. */
  readonly marks: readonly number[]
  /** The message that was counted last: the next lines may tell more of it. */
  readonly last: { readonly mark: number; readonly sum: TranscriptRecord['sums'][number] } | null
}

/** A session of ours behind a conversation of Claude's. */
export interface KnownConversation {
  readonly claudeSessionId: string
  readonly sessionId: string
  readonly kind: Session['kind']
  /** It was begun elsewhere. */
  readonly isAdopted: boolean
}

export interface RequestFilter {
  state?: InboxRequest['state']
  sessionId?: string
  /** Of this tool call. */
  toolUseId?: string
  /** Newer than this request. */
  after?: string
  limit?: number
  /** As in `EventFilter`. */
  maxBytes?: number
}

export interface AuditFilter {
  sessionId?: string
  kinds?: readonly AuditKind[]
  /** Older than this row. */
  before?: number | undefined
  limit?: number
}

/** A CLI process that we started: enough to recognise it in another run of the daemon. */
export interface ProcessRecord {
  readonly pid: number
  /** When the system says it started. Another process with this pid has another value. */
  readonly startToken: string
  readonly sessionId: string
}

export interface TrustedWorkspace {
  readonly path: string
  readonly trustedAt: string
  readonly trustedBy: string
}

/** A way to prove who one is. Only a digest of the secret is kept. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly kind: 'token' | 'browser'
  readonly digest: string
  readonly createdAt: string
  readonly expiresAt: string | null
  /** The token that a browser has logged in with: it ends with it. */
  readonly parentId: string | null
}

/** How long a client waits for a store that cannot write: it can send again. */
export const CLIENT_WAIT_MS = 2_000

/** Whether anything can be written, as others need to know it. */
export interface Storage {
  /** Why nothing can be stored, once that has lasted for half a second. */
  readonly problem: StorageProblem | null
  onChange(listener: (problem: StorageProblem | null) => void): () => void
  /** Null if writes succeed. Otherwise resolves when it is worth trying again, in the order of the calls. */
  nextTry(): Promise<void> | null
  /** Nothing is written until `unblock`: the files are not those that were opened. */
  block(problem: StorageProblem): void
  unblock(): void
  /** From then on what cannot be written fails: the process is about to end. */
  giveUpAfter(ms: number): void
}

/**
 * A write that the machine refuses (disk full, locked, I/O error) is tried again until it succeeds or, where a client
 * waits for it, for two seconds; then it rejects with `storage_unavailable`. `append` rejects at once: the journal keeps
 * what it could not store and tries again.
 */
export interface Store {
  readonly storage: Storage
  /**
   * Stores groups in their order, in one durable step. Assigns `seq` (from 1, without a gap, per session) and
   * positions, and brings sessions and requests up to date in the same step. A refused group does not hinder the
   * others. Rejects only if nothing at all was stored.
   */
  append(groups: readonly AppendGroup[]): Promise<AppendResult[]>
  /** Events of a session with `seq` greater than `after`, oldest first. An unknown session has none. */
  readSession(sessionId: string, filter?: EventFilter): Promise<StoredEvent[]>
  /** Events of all sessions with a position greater than `after`, in the order in which they were stored. */
  readAll(filter?: EventFilter): Promise<StoredEvent[]>
  /** The position of the newest event that was ever stored; 0 if there was none. */
  lastPosition(): Promise<number>
  /**
   * Forgets the events, and the answered requests, of sessions that ended before a time and wait for nothing. Sessions,
   * what they used and the audit stay. Resolves with the number of events that are gone.
   */
  trim(before: string): Promise<number>
  /** Up to this position everything that started has ended: an earlier start has seen to it. */
  recoveredUpTo(): Promise<number>
  setRecovered(position: number): Promise<void>
  /** What a reader behind `after` (a `seq` of a session, or a position) has missed because it was trimmed. */
  gapBehind(sessionId: string | undefined, after: number): Promise<EventGap | null>

  /** Small facts by name that outlive the process; a power cut may take the newest of them. Null: there is none. */
  state(key: string): Promise<string | null>
  setState(key: string, value: string | null): Promise<void>
  /** Those whose names begin with this. */
  states(prefix: string): Promise<{ key: string; value: string }[]>

  session(id: string): Promise<Session | null>
  /** Newest first. */
  sessions(filter?: SessionFilter): Promise<Session[]>
  /** The ids of all managed sessions with something under way, newest first. */
  activeSessions(): Promise<string[]>
  /** Forgets a session and everything of it. False if there is none. */
  deleteSession(id: string): Promise<boolean>
  /** Forgets the keys of a scope (see `once`) that sort before this one: they may be used again. */
  forgetKeys(scope: string, before: string): Promise<void>
  /** How many there are. */
  counts(): Promise<Counts>
  /** What was used since a time, by hour, session, model and source, in no order. */
  usage(since?: string): Promise<UsageSum[]>
  transcripts(): Promise<TranscriptRecord[]>
  saveTranscripts(records: readonly TranscriptRecord[]): Promise<void>
  /** Those of the conversations that sessions of ours stand for. */
  knownConversations(claudeSessionIds: readonly string[]): Promise<KnownConversation[]>
  /** Events with these words in what people and agents said and did, newest first. */
  search(filter: SearchFilter): Promise<StoredEvent[]>
  request(id: string): Promise<InboxRequest | null>
  /** By id, which is oldest first but for those of terminals. Up to 1,000 unless `limit` says otherwise. */
  requests(filter?: RequestFilter): Promise<InboxRequest[]>

  /** Of all sessions that have one, by our id; also of those that have ended. */
  externalIds(): Promise<Map<string, string>>

  /** What a session was asked to run with, secrets included. It is not part of any event. */
  setOptions(sessionId: string, options: StoredOptions): Promise<void>
  options(sessionId: string): Promise<StoredOptions>
  /** Of all sessions that have some. */
  allOptions(): Promise<StoredOptions[]>

  /** Values that the agent of a session may have seen and that are told to nobody who may only look. */
  addSecrets(sessionId: string, secrets: readonly string[], source: StoredSecret['source']): Promise<void>
  secrets(): Promise<StoredSecret[]>

  /** Folders whose own settings may act. */
  trust(workspace: TrustedWorkspace, audit?: AuditEntry): Promise<void>
  distrust(path: string, audit?: AuditEntry): Promise<void>
  trustedWorkspaces(): Promise<TrustedWorkspace[]>

  /**
   * Durable when it returns, without waiting: it must be written before the process does anything. While nothing can be
   * written it is kept for later, and the process is recognised by its mark alone.
   */
  addProcess(process: ProcessRecord): void
  removeProcess(pid: number): void
  processes(): Promise<ProcessRecord[]>

  addCredential(credential: Credential, audit?: AuditEntry): Promise<void>
  /** Oldest first, those that have expired before `now` left out. */
  credentials(now: string): Promise<Credential[]>
  /** Removes it and what was made with it; resolves with the ids of all that are gone. */
  removeCredential(id: string, audit?: AuditEntry): Promise<string[]>
  /** Forgets those that have expired. */
  pruneCredentials(now: string): Promise<void>
  /** By digest of the secret; null if there is none or it has expired before `now`. */
  credential(digest: string, now: string): Promise<Credential | null>

  /**
   * The audit. What events say is written by `append` in the same step as the events; an entry that is handed to another
   * method, in the same step as what that does. Nothing of it is ever changed.
   */
  addAudit(entry: AuditEntry): Promise<void>
  /** Newest first. */
  audit(filter?: AuditFilter): Promise<AuditRow[]>
  /** The newest row that is on the disk. */
  auditHead(): Promise<AuditHead>
  /** Whether the audit was sealed by a version that needs the seal from then on. */
  isAuditSealed(): Promise<boolean>
  setAuditSealed(): Promise<void>

  /** May be called twice. */
  close(): Promise<void>
}
