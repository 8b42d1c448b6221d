/** Values shared by the examples of events and routes: one session of one user, with one request. */

import type { AuditRecord } from '../audit.js'
import type { Channel } from '../notification/channel.js'
import type { Notification } from '../notification/notification.js'
import type { PushState } from '../notification/push.js'
import type { User } from '../notification/user.js'
import type { Explanation, PolicyInForce } from '../policy/policy-body.js'
import type { InboxRequest } from '../request.js'
import type { Session } from '../session.js'
import type { TerminalSession } from '../terminal/terminal-session.js'
import type { Token } from '../token.js'

export const ID = {
  session: 'ses_01kz5w8qj3v9xkd2m4n6p8r0st',
  message: 'msg_01kz5w8qj4v9xkd2m4n6p8r0st',
  turn: 'trn_01kz5w8qj5v9xkd2m4n6p8r0st',
  event: 'evt_01kz5w8qj6v9xkd2m4n6p8r0st',
  permission: 'per_01kz5w8qj7v9xkd2m4n6p8r0st',
  question: 'que_01kz5w8qj8v9xkd2m4n6p8r0st',
  change: 'chg_01kz5w8qjav9xkd2m4n6p8r0st',
  undo: 'chg_01kz5w8qjbv9xkd2m4n6p8r0st',
  notification: 'ntf_01kz5w8qjcv9xkd2m4n6p8r0st',
  token: 'crd_01kz5w8qj9v9xkd2m4n6p8r0st',
  claude: '6f1c2d34-5a6b-4c7d-8e9f-0a1b2c3d4e5f',
  copy: '7a2d3e45-6b7c-4d8e-9f0a-1b2c3d4e5f60',
  tool: 'toolu_01A09q90qw90lq91',
  agent: 'a1b2c3d4',
  task: 'b5c6d7e8',
} as const

export const AT = '2026-11-15T12:00:00.000Z'
const LATER = '2026-11-15T12:00:04.000Z'
export const DIGEST = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'
export const USAGE = {
  inputTokens: 412,
  outputTokens: 96,
  cacheReadInputTokens: 18_200,
  cacheCreationInputTokens: 640,
}
export const KIM = { who: 'kim', via: 'dashboard', role: 'admin' } as const
export const CWD = '/home/kim/shop'
export const BEFORE = {
  id: '3b18e512dba79e4c8300dd08aeb37f8e728b8dad',
  tree: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
} as const
export const AFTER = {
  id: '8f94139338f9404f26296befa88755fc2598c289',
  tree: '2e65efe2a145dda7ee51d1741299f848e5bf752e',
} as const
export const CHANGED_FILE = {
  path: 'src/login.ts',
  change: 'changed',
  kind: 'file',
  insertions: 3,
  deletions: 1,
} as const
export const COMMENT = {
  path: 'src/login.ts',
  startLine: 12,
  endLine: 12,
  quote: 'const wait = 5000',
  text: 'Make this a setting.',
} as const
export const WORKTREE = {
  path: '/home/kim/shop.worktrees/fix-login',
  repository: CWD,
  name: 'fix-login',
  branch: 'signalbox/fix-login',
  base: 'main',
} as const
export const TOTALS = { files: 1, insertions: 3, deletions: 1 } as const

export const SESSION: Session = {
  id: ID.session,
  kind: 'managed',
  title: 'Fix the login test',
  name: 'Fix the login test',
  externalId: null,
  isPinned: false,
  isArchived: false,
  machine: 'local',
  tags: ['login'],
  cwd: CWD,
  worktree: null,
  branch: 'main',
  model: 'claude-sonnet-4-5',
  permissionMode: 'default',
  parentId: null,
  parentToolUseId: null,
  claudeSessionId: ID.claude,
  conversation: { kind: 'new', id: ID.claude },
  resumeAt: null,
  agent: null,
  policy: null,
  options: { maxTurns: 50 },
  thinkingTokens: null,
  effort: null,
  jail: { isOn: true, setting: 'auto', unproven: 'jail', reason: null },
  state: 'permission',
  activity: 'tool',
  condition: null,
  conditionDetail: null,
  failure: null,
  process: 'live',
  turn: { id: ID.turn, startedAt: AT, messageIds: [ID.message], origin: { kind: 'person' } },
  partial: null,
  pendingTools: { [ID.tool]: 'Bash' },
  pendingHooks: {},
  agents: {},
  tasks: {},
  pendingRequests: [ID.permission],
  parkedRequests: [],
  grants: [],
  queue: [],
  stopping: null,
  overlaps: {},
  staleFiles: [],
  completion: null,
  isInterrupted: false,
  turns: 0,
  contextTokens: 19_252,
  usage: USAGE,
  modelUsage: {},
  costUsd: 0.012,
  lastPrompt: 'Fix the login test',
  lastText: 'I will run the test first.',
  latest: { kind: 'tool', name: 'Bash', title: 'Bash: npm test -- login' },
  lastSeq: 12,
  createdAt: AT,
  updatedAt: LATER,
  endedAt: null,
  outcome: null,
  reason: null,
}

export const REQUEST: InboxRequest = {
  id: ID.permission,
  sessionId: ID.session,
  kind: 'permission',
  state: 'pending',
  requestedAt: AT,
  toolUseId: ID.tool,
  toolName: 'Bash',
  input: { command: 'npm test -- login' },
  inputDigest: DIGEST,
  agentId: null,
  title: 'npm test -- login',
  reason: 'Runs code of the workspace (npm test).',
  suggestions: [],
  questions: [],
  plan: null,
  grant: { tool: 'Bash', command: 'npm test -- login', folder: CWD },
  form: null,
  expiresAt: null,
  isParked: false,
  isOnlyInTerminal: false,
  resolution: null,
}

export const RESOLVED_REQUEST: InboxRequest = {
  ...REQUEST,
  state: 'resolved',
  resolution: { at: LATER, by: 'person', ...KIM, reason: null, decision: 'allow', rule: null },
}

export const TOKEN: Token = {
  id: ID.token,
  name: 'ci',
  role: 'operator',
  kind: 'token',
  createdAt: AT,
  expiresAt: null,
  user: null,
  device: null,
  answersByMcp: false,
}

export const AUDIT_RECORD: AuditRecord = {
  number: 7,
  hash: DIGEST,
  at: LATER,
  kind: 'request.resolved',
  who: 'kim',
  via: 'dashboard',
  role: 'admin',
  credentialId: null,
  by: 'person',
  subject: 'Bash: npm test -- login',
  verdict: 'allow',
  rule: null,
  reason: null,
  sessionId: ID.session,
  requestId: ID.permission,
  toolUseId: ID.tool,
  digest: DIGEST,
  changedDigest: null,
  mode: 'default',
  latencyMs: 4_000,
}

export const EXPLANATION: Explanation = {
  verdict: {
    verdict: 'ask',
    step: 'ask',
    rule: 'run-code',
    reason: 'Runs code of the workspace (npm test).',
    part: { text: 'npm test -- login', start: 0, end: 17 },
  },
  findings: [
    { verdict: 'ask', rule: 'run-code', reason: 'Runs code of the workspace (npm test).', part: null },
  ],
  commands: [['npm', 'test', '--', 'login']],
  files: [],
  grant: { tool: 'Bash', command: 'npm test -- login', folder: CWD },
}

export const RULE = { name: 'tests', verdict: 'allow' as const, when: { commands: ['npm test'] } }

export const POLICY: PolicyInForce = {
  policy: { preset: 'careful', denyFirst: false, rules: [RULE] },
  path: '/home/kim/.signalbox/policy.jsonc',
  always: [
    {
      name: 'own-home',
      verdict: 'deny',
      reason: 'The home of Signalbox.',
      when: { paths: ['~/.signalbox/**'] },
    },
  ],
}

export const TERMINAL_SESSION: TerminalSession = {
  id: ID.session,
  sessionId: ID.claude,
  provider: 'claude',
  state: 'active',
  activityPhase: 'busy',
  projectPath: CWD,
  cwd: CWD,
  title: null,
  permissionMode: 'default',
  entrypoint: 'cli',
  startedAt: AT,
  lastActivityAt: LATER,
  endedAt: null,
  endReason: null,
  lastUserMessage: 'Fix the login test',
  isInTurn: true,
  lastOutcome: null,
  waitingFor: null,
  currentSkill: null,
  skills: [],
  agents: [],
  model: 'claude-sonnet-4-5',
  tokens: { input: 412, output: 96, cached: 18_200, cacheCreation: 640 },
  models: null,
  contextTokens: 19_252,
  turnCount: 1,
  gitBranch: 'main',
  subagents: [],
  transcriptPath: `/home/kim/.claude/projects/-home-kim-shop/${ID.claude}.jsonl`,
  pid: 4_711,
  pidSpace: null,
  cpuPercent: 3.5,
  memMb: 210,
}

export const CHANNEL: Channel = {
  name: 'phone',
  kind: 'ntfy',
  source: 'admin',
  user: 'kim',
  may: 'answer',
  target: 'ntfy.example.com/kim',
  isPaused: false,
  health: 'ok',
  error: null,
  lastDeliveredAt: AT,
  lastFailedAt: null,
  pending: 0,
}

export const NOTIFICATION: Notification = {
  id: ID.notification,
  channel: 'phone',
  user: 'kim',
  state: 'delivered',
  isReminder: false,
  subjects: [{ kind: 'needs_you', sessionId: ID.session, requestId: ID.permission, severity: null }],
  createdAt: AT,
  at: AT,
  attempts: 1,
  nextTryAt: null,
  error: null,
  receipt: 'm7Kd2',
}

export const USER: User = { name: 'kim', source: 'admin', createdAt: AT, may: 'answer', language: 'en' }

export const PUSH: PushState = {
  publicKey: 'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
  user: 'kim',
  limit: 'answer',
  device: {
    name: 'Chrome on Android',
    may: 'answer',
    language: 'en',
    endpoint: 'https://push.example.com/send/dGhpcw',
  },
}
