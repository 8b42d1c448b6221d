/** The store port. The memory adapter is the reference, `store-suite.ts` the definition. */

import type { AuditHead, AuditRow } from '../audit/chain.js'
import type { AuditEntry } from '../protocol/audit.js'
import type { SavedPrompt } from '../protocol/compose/prompt.js'
import type { SessionState } from '../protocol/event/session-event.js'
import type { StoredOptions } from '../protocol/option/option-role.js'
import type { InboxRequest } from '../protocol/request.js'
import type { Role } from '../protocol/role.js'
import type { Session } from '../protocol/session.js'
import type { StorageProblem } from '../protocol/storage.js'
import type { UsageSum } from '../protocol/usage/usage.js'
import type { AppendGroup, AppendResult, SessionResumePoint, StoredEvent } from './port/append.js'
import type {
  AuditRowFilter,
  EventFilter,
  RequestFilter,
  SearchFilter,
  SessionFilter,
} from './port/filter.js'
import type { RecordStore } from './port/record.js'

/** Events after `after` are gone; the log continues with `next`. */
export interface EventGap {
  readonly after: number
  readonly next: number
}

/** `configured`: given by an admin or operator. `file`: found in a protected file, which agents can write. */
export interface StoredSecret {
  readonly value: string
  readonly source: 'configured' | 'file'
}

export interface Counts {
  readonly sessions: Readonly<Partial<Record<SessionState, number>>>
  readonly pendingRequests: number
  /** Events ever stored, including those of deleted sessions. */
  readonly events: number
}

/** State of reading one transcript of Claude Code. */
export interface TranscriptRecord {
  readonly path: string
  /** Claude's id of the conversation. */
  readonly sessionId: string
  readonly cwd: string
  readonly inode: string
  readonly size: number
  readonly offset: number
  readonly sums: readonly Omit<UsageSum, 'sessionId' | 'cwd' | 'source'>[]
  /** Hashes of the messages that were counted from this file. */
  readonly marks: readonly number[]
  /** The last counted message. The next lines may update its figures. */
  readonly last: { readonly mark: number; readonly sum: TranscriptRecord['sums'][number] } | null
}

/** A session of ours for a Claude conversation. */
export interface KnownConversation {
  readonly claudeSessionId: string
  readonly sessionId: string
  readonly kind: Session['kind']
  /** Started outside Signalbox. */
  readonly isAdopted: boolean
}

export interface TrustedWorkspace {
  readonly machine: string
  readonly path: string
  readonly trustedAt: string
  readonly trustedBy: string
}

/** A token or browser login. Only a digest of the secret is stored. */
export interface Credential {
  readonly id: string
  readonly name: string
  readonly role: Role
  readonly kind: 'token' | 'browser'
  readonly digest: string
  readonly createdAt: string
  readonly expiresAt: string | null
  /** The token that a browser logged in with. Revoking it revokes the login. */
  readonly parentId: string | null
  /** The user that it belongs to; null: none that is known. */
  readonly user: string | null
  /** Description of the device, from the browser that was paired. */
  readonly device: string | null
  /** An MCP client with it may answer requests. */
  readonly answersByMcp: boolean
}

/** The prompt to store instead of the one before, or null to delete it; it may throw to refuse. `count`: of all prompts. */
export type PromptChange = (before: SavedPrompt | null, count: number) => SavedPrompt | null

/** Timeout for client requests while the store cannot write. The client can retry. */
export const CLIENT_WAIT_MS = 2_000

/** Whether the store can write. */
export interface Storage {
  /** Set while nothing can be stored, after a grace period of half a second. */
  readonly problem: StorageProblem | null
  onChange(listener: (problem: StorageProblem | null) => void): () => void
  /** Null if writes succeed. Otherwise resolves when a retry makes sense, in the order of the calls. */
  nextTry(): Promise<void> | null
  /** Blocks all writes until `unblock`: the files are no longer those that were opened. */
  block(problem: StorageProblem): void
  unblock(): void
  /** After this time failing writes reject instead of waiting. For shutdown. */
  giveUpAfter(ms: number): void
}

/**
 * A write that fails because of the machine (disk full, locked, I/O error) is retried until it succeeds. If a client
 * waits for it, it rejects with `storage_unavailable` after two seconds. `append` rejects at once: the journal buffers
 * the drafts and retries.
 */
export interface Store extends RecordStore {
  readonly storage: Storage
  /**
   * Stores groups in order, in one transaction. Assigns `seq` (per session, from 1, without gaps) and positions, and
   * updates sessions and requests in the same transaction. A refused group does not affect the others. Rejects only if
   * nothing was stored.
   */
  append(groups: readonly AppendGroup[]): Promise<AppendResult[]>
  /**
   * A runner with a spool of its own begins to append (`AppendGroup.from`). The same spool goes on in its epoch behind
   * `lastN`; another one begins an epoch, and the one before is fenced.
   */
  joinMachine(machine: string, spool: string): Promise<{ epoch: number; lastN: number }>
  /** Events of a session with `seq` greater than `after`, oldest first. Empty for an unknown session. */
  readSession(sessionId: string, filter?: EventFilter): Promise<StoredEvent[]>
  /** Events of all sessions with a position greater than `after`, in storage order. */
  readAll(filter?: EventFilter): Promise<StoredEvent[]>
  /** Of all sessions with a process that can be attached to, as stored with their newest events. */
  resumePoints(): Promise<SessionResumePoint[]>
  /** Position of the newest event ever stored; 0 if there was none. */
  lastPosition(): Promise<number>
  /**
   * Deletes the events and the answered requests of sessions that ended before a time and have no unfinished work.
   * Sessions, usage and the audit log are kept. Resolves with the number of deleted events.
   */
  trim(before: string): Promise<number>
  /** Events up to this position were recovered at a previous start: everything that started in them has ended. */
  recoveredUpTo(): Promise<number>
  setRecovered(position: number): Promise<void>
  /**
   * The gap for a reader at `after` (a `seq` of a session, or a position) whose next events were deleted; null if there
   * is none.
   */
  gapBehind(sessionId: string | undefined, after: number): Promise<EventGap | null>

  /** Small key-value pairs. They survive a crash; a power cut may lose the newest. Null: no value. */
  state(key: string): Promise<string | null>
  setState(key: string, value: string | null): Promise<void>
  /** All pairs whose key starts with the prefix. */
  states(prefix: string): Promise<{ key: string; value: string }[]>

  session(id: string): Promise<Session | null>
  /** Newest first. */
  sessions(filter?: SessionFilter): Promise<Session[]>
  /** Ids of all managed sessions of a machine with unfinished work, newest first. */
  activeSessions(machine: string): Promise<string[]>
  /** Deletes a session and all its data. False if it does not exist. */
  deleteSession(id: string): Promise<boolean>
  /** Deletes the idempotency keys of a scope (see `once`) that sort before this one. They can be used again. */
  forgetKeys(scope: string, before: string): Promise<void>
  counts(): Promise<Counts>
  /** Usage since a time, by hour, session, model and source, unordered. */
  usage(since?: string): Promise<UsageSum[]>
  transcripts(): Promise<TranscriptRecord[]>
  saveTranscripts(records: readonly TranscriptRecord[]): Promise<void>
  /** The given conversations that belong to a session of ours. */
  knownConversations(claudeSessionIds: readonly string[]): Promise<KnownConversation[]>
  /** Full-text search in messages and tool calls, newest first. */
  search(filter: SearchFilter): Promise<StoredEvent[]>
  request(id: string): Promise<InboxRequest | null>
  /** By id, which is oldest first but for those of terminals. Up to 1,000 unless `limit` says otherwise. */
  requests(filter?: RequestFilter): Promise<InboxRequest[]>

  /** External ids by session id, including those of ended sessions. */
  externalIds(): Promise<Map<string, string>>

  /** The options of a session, including secrets. Not part of any event. */
  setOptions(sessionId: string, options: StoredOptions): Promise<void>
  options(sessionId: string): Promise<StoredOptions>
  /** Of all sessions that have options. */
  allOptions(): Promise<StoredOptions[]>

  /** Secret values that the agent of a session may have seen. They are redacted from responses to viewers. */
  addSecrets(sessionId: string, secrets: readonly string[], source: StoredSecret['source']): Promise<void>
  secrets(): Promise<StoredSecret[]>

  /** Trusted folders: their own settings are loaded. */
  trust(workspace: TrustedWorkspace, audit?: AuditEntry): Promise<void>
  distrust(workspace: Pick<TrustedWorkspace, 'machine' | 'path'>, audit?: AuditEntry): Promise<void>
  /** Of one machine, or of all. */
  trustedWorkspaces(machine?: string): Promise<TrustedWorkspace[]>

  /** Saved prompts, by name. */
  prompts(): Promise<SavedPrompt[]>
  /** Reads and replaces a prompt in one transaction. Resolves with the one before; rejects with what `change` throws. */
  changePrompt(name: string, change: PromptChange): Promise<SavedPrompt | null>

  addCredential(credential: Credential, audit?: AuditEntry): Promise<void>
  /** Oldest first, without those that expired before `now`. */
  credentials(now: string): Promise<Credential[]>
  /** Removes a credential and the logins made with it. Resolves with the ids of all removed ones. */
  removeCredential(id: string, audit?: AuditEntry): Promise<string[]>
  /** Deletes expired credentials. */
  pruneCredentials(now: string): Promise<void>
  /** By digest of the secret; null if there is none, or it expired before `now`. */
  credential(digest: string, now: string): Promise<Credential | null>

  /**
   * The audit log, append-only. `append` writes the entries that follow from events in the same transaction; other
   * methods write the entry passed to them together with their change.
   */
  addAudit(entry: AuditEntry): Promise<void>
  /** Newest first. */
  audit(filter?: AuditRowFilter): Promise<AuditRow[]>
  /** The newest row that was fsynced. */
  auditHead(): Promise<AuditHead>
  /** Whether the audit log was sealed by a version that requires the seal from then on. */
  isAuditSealed(): Promise<boolean>
  setAuditSealed(): Promise<void>

  /** Idempotent. */
  close(): Promise<void>
}
