/** The operations for users and clients, and the dependencies of the hub. */

import type { Bus } from '../bus/port.js'
import type { Inbox } from '../inbox/inbox.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import type { PolicyResolver } from '../policy/source/effective-policy.js'
import type { Agents } from '../protocol/agent.js'
import type {
  ChangeSession,
  CreateSession,
  ForkSession,
  Inspection,
  McpChange,
  ResumeSession,
  RewindSession,
  Rewound,
  SendMessage,
  SetMcpServers,
} from '../protocol/api-body.js'
import type { AuditRecord } from '../protocol/audit.js'
import type { SessionEvent } from '../protocol/event/event.js'
import type { McpServers, SessionOptions } from '../protocol/option/option.js'
import type { Authority } from '../protocol/option/option-role.js'
import type { InboxRequest } from '../protocol/request.js'
import type { SearchResult } from '../protocol/search.js'
import type { Session } from '../protocol/session.js'
import type { HookStatus } from '../protocol/terminal/hook-status.js'
import type { TerminalSession } from '../protocol/terminal/terminal-session.js'
import type { TranscriptStatus } from '../protocol/terminal/transcript-status.js'
import type { ToolInfo } from '../protocol/tool.js'
import type { UsageRow } from '../protocol/usage/usage.js'
import type { Actor, PermissionMode, WhenBusy } from '../protocol/value.js'
import type { EventFilter, RequestFilter, SessionFilter } from '../store/port/filter.js'
import type { Counts, EventGap, Storage, Store, TrustedWorkspace } from '../store/port.js'
import type { Grouping } from '../usage/group.js'
import type { AuditPage, AuditQuery } from './audit/page.js'
import type { HubChanges } from './changes.js'
import type { Compose } from './compose/compose.js'
import type { Policies } from './policies.js'
import type { EventSearch, Redact } from './visible-search.js'
import type { HubWorktrees } from './worktrees.js'

/** Watches the file of the policy for changes from outside. */
export interface PolicyWatch {
  /** Before each use. Rejects if another user could have changed it; a change by hand is written into the audit first. */
  check(): Promise<void>
  /** It was changed here, which is in the audit already. */
  accept(): Promise<void>
}

export interface HubDeps {
  journal: Journal
  store: Store
  inbox: Inbox
  bus: Bus
  ids: IdSource
  clock: Clock
  whenBusy: WhenBusy
  agents: Agents
  /** Before anything of a session is published, so that viewers get none of its secrets. */
  learnSecrets(session: Pick<Session, 'id' | 'cwd'>, options: SessionOptions): Promise<void>
  /** Servers that sessions can be given by name, and variables that they can be given through the API. */
  mcpServers: McpServers
  allowedVariables: readonly string[]
  policyResolver: PolicyResolver
  /** Watch over the policy file; left out where no other process can change it. */
  policyWatch?: PolicyWatch | undefined
}

export interface UsageQuery extends Grouping {
  since?: string | undefined
}

export interface Hub {
  readonly inbox: Inbox
  readonly journal: Journal
  readonly storage: Storage
  readonly policies: Policies
  /** Helps to write messages: names of files, folders, models, commands, saved prompts. */
  readonly compose: Compose
  /** `authority`: the rights of the requester. A program that owns the hub object has every right. */
  createSession(command: CreateSession, actor: Actor, authority?: Authority): Promise<Session>
  /** In which mode a session would begin, or go on. */
  startMode(command: CreateSession): Promise<PermissionMode>
  /** By our id or by Claude's. */
  session(id: string): Promise<Session>
  /** With `redact` the text of the filter is looked for only in what is left of theirs. */
  sessions(filter: SessionFilter, redact?: Redact): Promise<Session[]>
  events(sessionId: string, filter: EventFilter): Promise<SessionEvent[]>
  /** A page of them; `next` is what to go on behind, null at the end. It has fewer than `limit` where they are large. */
  eventPage(
    sessionId: string,
    filter: Omit<EventFilter, 'maxBytes'> & { limit: number },
  ): Promise<{ events: SessionEvent[]; next: number | null }>
  requestPage(
    filter: Omit<RequestFilter, 'maxBytes'> & { limit: number },
  ): Promise<{ requests: InboxRequest[]; next: string | null }>
  /** The events that a subscriber at `after` has missed because they were trimmed. */
  gapBehind(sessionId: string, after: number): Promise<EventGap | null>
  /** The place of the newest event of all sessions. */
  lastPosition(): Promise<number>
  /** The callers' own ids, by ours: of these sessions, or of all. */
  externalIds(sessionIds?: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Resolves when the message is stored: from then on it is not lost. */
  send(sessionId: string, command: SendMessage, actor: Actor): Promise<{ messageId: string }>
  cancelMessage(sessionId: string, messageId: string, actor: Actor): Promise<void>
  editMessage(
    sessionId: string,
    messageId: string,
    text: string,
    actor: Actor,
  ): Promise<{ messageId: string }>
  change(sessionId: string, command: ChangeSession, actor: Actor, authority?: Authority): Promise<Session>
  interrupt(sessionId: string): Promise<Session>
  stop(sessionId: string, reason: string | undefined, actor: Actor): Promise<Session>
  /** Resumes a session that has ended, or a conversation that was started outside Signalbox. */
  resume(id: string, command: ResumeSession, actor: Actor): Promise<Session>
  fork(sessionId: string, command: ForkSession, actor: Actor, authority?: Authority): Promise<Session>
  /** Restores files to their state before a message. */
  rewind(sessionId: string, command: RewindSession, actor: Actor, authority?: Authority): Promise<Rewound>
  readonly changes: HubChanges
  readonly worktrees: Pick<HubWorktrees, 'list' | 'status' | 'change'>
  stopTask(sessionId: string, taskId: string): Promise<void>
  inspect(sessionId: string, what: Inspection): Promise<unknown>
  setMcpServers(
    sessionId: string,
    command: SetMcpServers,
    actor: Actor,
    authority?: Authority,
  ): Promise<McpChange>
  trust(path: string, actor: Actor): Promise<TrustedWorkspace>
  distrust(path: string, actor: Actor): Promise<void>
  trustedWorkspaces(): Promise<TrustedWorkspace[]>
  /** Newest first. */
  audit(query: AuditQuery): Promise<AuditPage>
  /** The audit did not match its seal at a start, and no admin has accepted that yet. */
  auditAlarm(): Promise<AuditRecord | null>
  /** The alarm that was accepted; null if there was none. */
  acceptAudit(reason: string | undefined, actor: Actor): Promise<AuditRecord | null>
  tools(): Promise<readonly ToolInfo[]>
  /** Ends it where it has not ended, and forgets it. Resolves with our id of it. */
  deleteSession(sessionId: string, actor: Actor): Promise<string>
  /** With `redact` only what is left of events is searched. */
  search(filter: EventSearch, redact?: Redact): Promise<{ position: number; result: SearchResult }[]>
  usage(query: UsageQuery): Promise<{ usage: UsageRow[]; total: UsageRow }>
  counts(): Promise<Counts>
  /** Known sessions of terminals, most recently active first. */
  terminalSessions(): Promise<readonly TerminalSession[]>
  /** State of the lifecycle hook; null where terminals are not watched. */
  hookStatus(): Promise<HookStatus | null>
  /** State of the import of transcripts; null where terminals are not followed. */
  transcriptStatus(): Promise<TranscriptStatus | null>
  /** Holds the request of a line until it is answered; resolves with what the hook of the terminal prints. */
  holdTerminal(lineId: string, signal: AbortSignal): Promise<string | null>
}
