/** The HTTP surface as data: the server, the client and the tests are made from this table. */

import { z } from 'zod'
import { AuditRecord } from './audit.js'
import {
  ChangeSession,
  CompactSession,
  CreateSession,
  EditMessage,
  ForkSession,
  Inspection,
  McpChange,
  ResumeSession,
  RewindSession,
  Rewound,
  SendMessage,
  StopSession,
} from './command.js'
import { Billing, DialectName } from './dialect-name.js'
import { deltaTypes, EventEnvelope, eventTypes, type SessionEvent } from './event.js'
import { HookStatus } from './hook-status.js'
import { MessageId, RequestId, SessionId, TokenId } from './id.js'
import { McpServers } from './option.js'
import { PolicyRule } from './policy.js'
import {
  Backtest,
  BacktestPolicy,
  EvaluateCall,
  Explanation,
  PolicyFile,
  PolicyInForce,
  RevokeGrant,
  SuggestedRule,
} from './policy-command.js'
import { Answer, Request } from './request.js'
import { Role } from './role.js'
import { SearchResult } from './search.js'
import { Session } from './session.js'
import { SessionKind, SessionState } from './session-event.js'
import { TerminalSession, TerminalSkill } from './terminal-session.js'
import { CreateToken, Token } from './token.js'
import { ToolInfo } from './tool.js'
import { UsageBy, UsageRow } from './usage.js'
import { Timestamp } from './value.js'

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Who may. `null`: anybody who reaches the server. */
  role: Role | null
  /** Bodies that need more than `role`. */
  stricter?: { role: Role; when: string; applies(body: unknown): boolean }
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  maxBodyBytes?: number
  status: number
  /** `null`: a response that stays open, as a stream of events. */
  reply: z.ZodType | null
  /** What the reply is written in, where it is not JSON. */
  media?: string
}

const BASE = '/api/v1'
const MEGABYTE = 1024 * 1024

/** A session by our id, or by Claude's id of its conversation. */
const AnySessionId = z.union([SessionId, z.uuid()], 'Expected a session id of the form ses_…, or Claude’s id')
const sessionParams = z.strictObject({ id: AnySessionId })
const messageParams = z.strictObject({ id: AnySessionId, messageId: MessageId })
const requestParams = z.strictObject({ id: RequestId })
const oneSession = z.strictObject({ session: Session })
const oneRequest = z.strictObject({ request: Request })
const empty = z.strictObject({})

/** Numbers in a query are texts. */
const Cursor = z.coerce.number().int().min(0)
const Limit = z.coerce.number().int().min(1).max(1_000)

// The server sends what it has checked when it was stored; a client must bear types that it does not know yet.
const AnyEvent = EventEnvelope as unknown as z.ZodType<SessionEvent>

const EventTypes = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(eventTypes)))

const StreamTypes = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum([...eventTypes, ...deltaTypes])))

const streamQuery = z.strictObject({
  after: Cursor.optional(),
  /** Without fragments: 0. */
  deltas: z.enum(['0', '1']).optional(),
  type: StreamTypes.optional(),
  /** In the format of another product. */
  dialect: DialectName.optional(),
})
const TimeZone = z
  .string()
  .max(100)
  .refine((name) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
    } catch {
      return false
    }
  }, 'Expected a time zone such as Asia/Seoul')

const Secret = z.string().min(1).max(200)

/** Whoever sets an agent free from every question, or from the policy of the house, must be trusted with everything. */
const bypass = {
  role: 'admin',
  when: 'permissionMode is bypassPermissions, or a policy is chosen',
  applies: (body: unknown) =>
    z
      .union([
        z.looseObject({ permissionMode: z.literal('bypassPermissions') }),
        z.looseObject({ policy: z.string() }),
      ])
      .safeParse(body).success,
} as const

export const About = z.strictObject({
  name: z.literal('signalbox'),
  version: z.string(),
  /** `scripted`: no account was found, a script answers instead of a model. */
  model: z.enum(['scripted', 'account']),
  startedAt: Timestamp,
  pid: z.int(),
  home: z.string(),
  /** A folder to try things in. */
  sampleWorkspace: z.string().nullable(),
  you: z.strictObject({ name: z.string(), role: Role }),
})
export type About = z.infer<typeof About>

export const Workspace = z.strictObject({ path: z.string(), trustedAt: Timestamp, trustedBy: z.string() })
export type Workspace = z.infer<typeof Workspace>

export const routes = {
  about: {
    method: 'GET',
    path: `${BASE}/about`,
    role: 'viewer',
    summary: 'What this daemon is and who you are to it',
    status: 200,
    reply: z.strictObject({ about: About }),
  },
  createSession: {
    method: 'POST',
    path: `${BASE}/sessions`,
    role: 'operator',
    stricter: bypass,
    summary: 'Start a session, with its first message if one is given',
    body: CreateSession,
    status: 201,
    reply: oneSession,
  },
  listSessions: {
    method: 'GET',
    path: `${BASE}/sessions`,
    role: 'viewer',
    summary: 'Sessions, newest first',
    query: z.strictObject({
      state: SessionState.optional(),
      kind: SessionKind.optional(),
      cwd: z.string().optional(),
      q: z.string().optional(),
      limit: Limit.optional(),
      cursor: SessionId.optional(),
    }),
    status: 200,
    reply: z.strictObject({ sessions: z.array(Session), nextCursor: SessionId.nullable() }),
  },
  getSession: {
    method: 'GET',
    path: `${BASE}/sessions/:id`,
    role: 'viewer',
    summary: 'The snapshot of a session: what it is and what it is doing now',
    params: sessionParams,
    status: 200,
    reply: oneSession,
  },
  deleteSession: {
    method: 'DELETE',
    path: `${BASE}/sessions/:id`,
    role: 'admin',
    summary: 'Stop a session and forget it with all its events',
    params: sessionParams,
    status: 200,
    reply: z.strictObject({ sessionId: SessionId }),
  },
  sendMessage: {
    method: 'POST',
    path: `${BASE}/sessions/:id/messages`,
    role: 'operator',
    summary: 'Send a message; it is stored when this answers',
    params: sessionParams,
    body: SendMessage,
    maxBodyBytes: 12 * MEGABYTE,
    status: 202,
    reply: z.strictObject({ messageId: MessageId }),
  },
  interruptSession: {
    method: 'POST',
    path: `${BASE}/sessions/:id/interrupt`,
    role: 'operator',
    summary: 'Stop the running turn; the session can go on',
    params: sessionParams,
    body: empty,
    status: 200,
    reply: oneSession,
  },
  stopSession: {
    method: 'POST',
    path: `${BASE}/sessions/:id/stop`,
    role: 'operator',
    summary: 'End a session and every process of it',
    params: sessionParams,
    body: StopSession,
    status: 200,
    reply: oneSession,
  },
  resumeSession: {
    method: 'POST',
    path: `${BASE}/sessions/:id/resume`,
    role: 'operator',
    summary: 'Take up a session that has ended, or a conversation that was begun in a terminal',
    params: sessionParams,
    body: ResumeSession,
    status: 200,
    reply: oneSession,
  },
  changeSession: {
    method: 'PATCH',
    path: `${BASE}/sessions/:id`,
    role: 'operator',
    stricter: bypass,
    summary: 'Change the title, model, permission mode, thinking or effort, also while it works',
    params: sessionParams,
    body: ChangeSession,
    status: 200,
    reply: oneSession,
  },
  forkSession: {
    method: 'POST',
    path: `${BASE}/sessions/:id/fork`,
    role: 'operator',
    summary: 'A new session with a copy of the conversation, as a whole or up to a message',
    params: sessionParams,
    body: ForkSession,
    status: 201,
    reply: oneSession,
  },
  rewindSession: {
    method: 'POST',
    path: `${BASE}/sessions/:id/rewind`,
    role: 'operator',
    summary: 'Put files back to how they were before a message',
    params: sessionParams,
    body: RewindSession,
    status: 200,
    reply: z.strictObject({ rewound: Rewound }),
  },
  compactSession: {
    method: 'POST',
    path: `${BASE}/sessions/:id/compact`,
    role: 'operator',
    summary: 'Have the conversation summarised to make room',
    params: sessionParams,
    body: CompactSession,
    status: 202,
    reply: z.strictObject({ messageId: MessageId }),
  },
  stopTask: {
    method: 'POST',
    path: `${BASE}/sessions/:id/tasks/:taskId/stop`,
    role: 'operator',
    summary: 'Stop one background task or agent',
    params: z.strictObject({ id: AnySessionId, taskId: z.string().min(1).max(200) }),
    body: empty,
    status: 200,
    reply: oneSession,
  },
  inspectSession: {
    method: 'GET',
    path: `${BASE}/sessions/:id/inspect/:what`,
    role: 'viewer',
    summary:
      'What the process can tell: commands, models, agents, mcp, account or context; started if there is none',
    params: z.strictObject({ id: AnySessionId, what: Inspection }),
    status: 200,
    reply: z.strictObject({ what: Inspection, value: z.unknown() }),
  },
  setMcpServers: {
    method: 'PUT',
    path: `${BASE}/sessions/:id/mcp`,
    role: 'operator',
    summary: 'Replace the MCP servers of a session',
    params: sessionParams,
    body: z.strictObject({ servers: McpServers }),
    status: 200,
    reply: z.strictObject({ change: McpChange }),
  },
  editMessage: {
    method: 'PATCH',
    path: `${BASE}/sessions/:id/messages/:messageId`,
    role: 'operator',
    summary: 'Change a message that has not been read; it gets a new id',
    params: messageParams,
    body: EditMessage,
    status: 200,
    reply: z.strictObject({ messageId: MessageId }),
  },
  cancelMessage: {
    method: 'DELETE',
    path: `${BASE}/sessions/:id/messages/:messageId`,
    role: 'operator',
    summary: 'Take back a message that has not been read',
    params: messageParams,
    status: 200,
    reply: z.strictObject({ messageId: MessageId }),
  },
  listWorkspaces: {
    method: 'GET',
    path: `${BASE}/workspaces`,
    role: 'viewer',
    summary: 'The folders that are trusted: their settings and MCP servers may act',
    status: 200,
    reply: z.strictObject({ workspaces: z.array(Workspace) }),
  },
  trustWorkspace: {
    method: 'POST',
    path: `${BASE}/workspaces/trust`,
    role: 'admin',
    summary: 'Trust a folder and what is below it',
    body: z.strictObject({ path: z.string().min(1).max(4_096) }),
    status: 200,
    reply: z.strictObject({ workspace: Workspace }),
  },
  distrustWorkspace: {
    method: 'POST',
    path: `${BASE}/workspaces/distrust`,
    role: 'admin',
    summary: 'Take the trust in a folder back',
    body: z.strictObject({ path: z.string().min(1).max(4_096) }),
    status: 200,
    reply: empty,
  },
  listTools: {
    method: 'GET',
    path: `${BASE}/tools`,
    role: 'viewer',
    summary: 'Our own tools: what sessions can be given besides those of Claude Code',
    query: z.strictObject({ limit: Limit.optional(), cursor: z.string().optional() }),
    status: 200,
    reply: z.strictObject({ tools: z.array(ToolInfo), nextCursor: z.string().nullable() }),
  },
  listEvents: {
    method: 'GET',
    path: `${BASE}/sessions/:id/events`,
    role: 'viewer',
    summary: 'Stored events of a session, oldest first, behind a sequence number',
    params: sessionParams,
    query: z.strictObject({ after: Cursor.optional(), limit: Limit.optional(), type: EventTypes.optional() }),
    status: 200,
    reply: z.strictObject({ events: z.array(AnyEvent), nextCursor: z.int().nullable() }),
  },
  streamSession: {
    method: 'GET',
    path: `${BASE}/sessions/:id/stream`,
    role: 'viewer',
    summary: 'Events of a session as they happen; the id of each is its sequence number',
    params: sessionParams,
    query: streamQuery,
    status: 200,
    reply: null,
  },
  streamAll: {
    method: 'GET',
    path: `${BASE}/stream`,
    role: 'viewer',
    summary: 'Events of all sessions as they happen; the id of each is its position among all',
    query: streamQuery,
    status: 200,
    reply: null,
  },
  listRequests: {
    method: 'GET',
    path: `${BASE}/requests`,
    role: 'viewer',
    summary: 'The inbox: what a person must answer, oldest first',
    query: z.strictObject({
      state: Request.shape.state.optional(),
      sessionId: SessionId.optional(),
      limit: Limit.optional(),
      cursor: RequestId.optional(),
    }),
    status: 200,
    reply: z.strictObject({ requests: z.array(Request), nextCursor: RequestId.nullable() }),
  },
  getRequest: {
    method: 'GET',
    path: `${BASE}/requests/:id`,
    role: 'viewer',
    summary: 'One request, with its answer if it has one',
    params: requestParams,
    status: 200,
    reply: oneRequest,
  },
  answerRequest: {
    method: 'POST',
    path: `${BASE}/requests/:id/answer`,
    role: 'operator',
    summary: 'Answer a request; the first answer wins',
    params: requestParams,
    body: Answer,
    status: 200,
    reply: oneRequest,
  },
  search: {
    method: 'GET',
    path: `${BASE}/search`,
    role: 'viewer',
    summary: 'Words in everything that people and agents said and did, newest first',
    query: z.strictObject({
      q: z.string().min(1).max(500),
      sessionId: SessionId.optional(),
      limit: Limit.optional(),
      cursor: Cursor.optional(),
    }),
    status: 200,
    reply: z.strictObject({ results: z.array(SearchResult), nextCursor: z.int().nullable() }),
  },
  usage: {
    method: 'GET',
    path: `${BASE}/usage`,
    role: 'viewer',
    summary: 'Tokens and money by day, session, model or project, subagents included',
    query: z.strictObject({
      by: UsageBy.optional(),
      since: z.union([z.iso.date(), Timestamp]).optional(),
      /** Whose days: `Asia/Seoul`. The daemon's if not said. */
      timeZone: TimeZone.optional(),
    }),
    status: 200,
    reply: z.strictObject({
      by: UsageBy,
      usage: z.array(UsageRow),
      total: UsageRow,
      /** `subscription`: nothing of it is charged; the money is what the API would have cost. */
      billing: Billing,
    }),
  },
  explainRequest: {
    method: 'GET',
    path: `${BASE}/requests/:id/explanation`,
    role: 'viewer',
    summary: 'Why a request is asked: what was found in the call, by the policy that holds now',
    params: requestParams,
    status: 200,
    reply: z.strictObject({ explanation: Explanation }),
  },
  suggestRule: {
    method: 'GET',
    path: `${BASE}/requests/:id/rule`,
    role: 'viewer',
    summary: 'A rule that would allow what a request asks for, with what else it would have changed',
    params: requestParams,
    status: 200,
    reply: z.strictObject({ suggestion: SuggestedRule }),
  },
  revokeGrant: {
    method: 'POST',
    path: `${BASE}/sessions/:id/grants/revoke`,
    role: 'operator',
    summary: 'Ask again for what was allowed for the rest of a session',
    params: sessionParams,
    body: RevokeGrant,
    status: 200,
    reply: oneSession,
  },
  getPolicy: {
    method: 'GET',
    path: `${BASE}/policy`,
    role: 'viewer',
    summary: 'The policy that holds, where it is kept, and the rules that hold besides it',
    status: 200,
    reply: PolicyInForce,
  },
  setPolicy: {
    method: 'PUT',
    path: `${BASE}/policy`,
    role: 'admin',
    summary: 'Keep another policy; it holds from the next call on',
    body: PolicyFile,
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: PolicyInForce,
  },
  addPolicyRule: {
    method: 'POST',
    path: `${BASE}/policy/rules`,
    role: 'admin',
    summary: 'Add a rule to the policy; one of the same name makes room',
    body: PolicyRule,
    status: 200,
    reply: PolicyInForce,
  },
  evaluatePolicy: {
    method: 'POST',
    path: `${BASE}/policy/evaluate`,
    role: 'viewer',
    summary: 'What the policy, or another one, says to a call, and why; nothing is run',
    body: EvaluateCall,
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: Explanation,
  },
  backtestPolicy: {
    method: 'POST',
    path: `${BASE}/policy/backtest`,
    role: 'viewer',
    summary: 'What another policy would have said to the recorded calls: those with another verdict',
    body: BacktestPolicy,
    maxBodyBytes: MEGABYTE,
    status: 200,
    reply: z.strictObject({ backtest: Backtest }),
  },
  listTerminalSessions: {
    method: 'GET',
    path: `${BASE}/lifecycle/sessions`,
    role: 'viewer',
    summary: 'What is known about the sessions of terminals; the one that did something last comes first',
    query: z.strictObject({
      state: TerminalSession.shape.state.optional(),
      limit: Limit.optional(),
      /** Claude’s id of the last one before. */
      cursor: z.string().optional(),
    }),
    status: 200,
    reply: z.strictObject({ sessions: z.array(TerminalSession), nextCursor: z.string().nullable() }),
  },
  listTerminalSkills: {
    method: 'GET',
    path: `${BASE}/lifecycle/skills`,
    role: 'viewer',
    summary:
      'Skills of terminal sessions: who started them, what became of them, how long they took; newest first',
    query: z.strictObject({
      state: TerminalSkill.shape.state.optional(),
      sessionId: z.string().optional(),
      limit: Limit.optional(),
      cursor: z.string().optional(),
    }),
    status: 200,
    reply: z.strictObject({ skills: z.array(TerminalSkill), nextCursor: z.string().nullable() }),
  },
  hookStatus: {
    method: 'GET',
    path: `${BASE}/lifecycle/hooks`,
    role: 'viewer',
    summary: 'Whether the lifecycle hook is installed, runs and fires; null where terminals are not followed',
    status: 200,
    reply: z.strictObject({ hooks: HookStatus.nullable() }),
  },
  holdRequest: {
    method: 'POST',
    path: `${BASE}/lifecycle/hold`,
    role: 'operator',
    summary:
      'For our hook in terminals: waits until the request of a line is answered; answers with what the hook prints',
    body: z.strictObject({ lineId: z.uuid() }),
    maxBodyBytes: 1_024,
    status: 200,
    reply: null,
  },
  login: {
    method: 'POST',
    path: `${BASE}/login`,
    role: null,
    summary: 'Exchange a one-time code, or a token, for the browser cookie',
    body: z.union([z.strictObject({ code: Secret }), z.strictObject({ token: Secret })]),
    status: 200,
    reply: empty,
  },
  logout: {
    method: 'POST',
    path: `${BASE}/logout`,
    role: 'viewer',
    summary: 'End this browser login',
    body: empty,
    status: 200,
    reply: empty,
  },
  createLoginCode: {
    method: 'POST',
    path: `${BASE}/login-codes`,
    role: 'admin',
    summary: 'A new one-time code for a browser, with all rights or those of a role',
    body: z.strictObject({ role: Role.optional() }),
    status: 201,
    reply: z.strictObject({ code: z.string(), url: z.string(), expiresAt: Timestamp }),
  },
  listTokens: {
    method: 'GET',
    path: `${BASE}/tokens`,
    role: 'admin',
    summary: 'Tokens and browser logins, oldest first, without their secrets',
    status: 200,
    reply: z.strictObject({ tokens: z.array(Token) }),
  },
  createToken: {
    method: 'POST',
    path: `${BASE}/tokens`,
    role: 'admin',
    summary: 'A new token; its secret is told this once',
    body: CreateToken,
    status: 201,
    reply: z.strictObject({ token: Token, secret: z.string() }),
  },
  revokeToken: {
    method: 'DELETE',
    path: `${BASE}/tokens/:id`,
    role: 'admin',
    summary: 'Take a token or login back; what it has open ends within a second',
    params: z.strictObject({ id: TokenId }),
    status: 200,
    reply: z.strictObject({ token: Token }),
  },
  listAudit: {
    method: 'GET',
    path: `${BASE}/audit`,
    role: 'admin',
    summary: 'Who decided what, when and from where; newest first',
    query: z.strictObject({
      sessionId: SessionId.optional(),
      limit: Limit.optional(),
      cursor: Cursor.optional(),
    }),
    status: 200,
    reply: z.strictObject({ records: z.array(AuditRecord), nextCursor: z.int().nullable() }),
  },
  health: {
    method: 'GET',
    path: '/healthz',
    role: null,
    summary: 'The process is alive',
    status: 200,
    reply: z.strictObject({ status: z.literal('ok') }),
  },
  ready: {
    method: 'GET',
    path: '/readyz',
    role: null,
    summary: 'The store can be read',
    status: 200,
    reply: z.strictObject({ status: z.literal('ok') }),
  },
  metrics: {
    method: 'GET',
    path: '/metrics',
    role: 'viewer',
    summary: 'Figures for Prometheus',
    status: 200,
    reply: z.string(),
    media: 'text/plain; version=0.0.4; charset=utf-8',
  },
  openApi: {
    method: 'GET',
    path: `${BASE}/openapi.json`,
    role: null,
    summary: 'This table as an OpenAPI document',
    status: 200,
    reply: z.record(z.string(), z.unknown()),
  },
} as const satisfies Record<string, Route>

export type Routes = typeof routes
export type RouteName = keyof Routes

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined
type Given<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined
type Part<Name extends RouteName, Key extends string> =
  Routes[Name] extends Record<Key, infer Value> ? Value : undefined

/** A request as a handler gets it: checked. */
export interface RouteInput<Name extends RouteName> {
  params: Parsed<Part<Name, 'params'>>
  query: Parsed<Part<Name, 'query'>>
  body: Parsed<Part<Name, 'body'>>
}

/** A request as a client gives it; parts that the route does not have are left out. */
export type RouteRequest<Name extends RouteName> = {
  [Key in 'params' | 'query' | 'body' as Part<Name, Key> extends z.ZodType ? Key : never]: Given<
    Part<Name, Key>
  >
}

export type RouteReply<Name extends RouteName> = Parsed<Part<Name, 'reply'>>
