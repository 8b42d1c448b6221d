/** An example of each route: request and response. Printed in docs/protocol.md. */

import type { RouteName } from '../route.js'
import { type RouteExample, sessionRouteExamples } from './session-route-example.js'
import {
  AT,
  AUDIT_RECORD,
  CHANNEL,
  CWD,
  EXPLANATION,
  ID,
  NOTIFICATION,
  POLICY,
  PUSH,
  REQUEST,
  RESOLVED_REQUEST,
  RULE,
  TERMINAL_SESSION,
  TOKEN,
  USAGE,
  USER,
} from './value-example.js'

const usage = { ...USAGE, costUsd: 0.012, sessions: 1, sources: ['sdk' as const], unpriced: [] }
const counts = { allow: 40, deny: 1, ask: 3 }
const backtest = {
  since: AT,
  calls: 44,
  isTruncated: false,
  before: counts,
  after: { ...counts, allow: 41, ask: 2 },
  changes: [
    {
      sessionId: ID.session,
      toolUseId: ID.tool,
      at: AT,
      tool: 'Bash',
      title: 'npm test -- login',
      before: EXPLANATION.verdict,
      after: { ...EXPLANATION.verdict, verdict: 'allow' as const, step: 'rule' as const, rule: 'tests' },
      outcome: 'completed',
    },
  ],
}
const prompt = {
  name: 'review',
  text: 'Review the last commit. List problems first.',
  savedAt: AT,
  savedBy: 'kim',
  role: 'operator' as const,
}
const workspace = { machine: 'local', path: CWD, trustedAt: AT, trustedBy: 'kim' }

/** Exhaustive: a missing route is a compile error. */
export const routeExamples: { readonly [Name in RouteName]: RouteExample<Name> } = {
  ...sessionRouteExamples,
  usage: {
    query: { by: 'day', since: '2026-11-15', timeZone: 'Asia/Seoul' },
    reply: {
      by: 'day',
      usage: [{ key: '2026-11-15', ...usage }],
      total: { key: 'total', ...usage },
      billing: 'api',
    },
  },
  listRequests: { query: { state: 'pending' }, reply: { requests: [REQUEST], nextCursor: null } },
  getRequest: { params: { id: ID.permission }, reply: { request: REQUEST } },
  answerRequest: {
    params: { id: ID.permission },
    body: { decision: 'allow' },
    reply: { request: RESOLVED_REQUEST },
  },
  explainRequest: { params: { id: ID.permission }, reply: { explanation: EXPLANATION } },
  suggestRule: {
    params: { id: ID.permission },
    reply: { suggestion: { requestId: ID.permission, rule: RULE, preview: backtest } },
  },
  proposeRule: {
    params: { id: ID.permission },
    body: { scope: 'exact', place: 'folder' },
    reply: {
      proposal: {
        requestId: ID.permission,
        scopes: ['exact', 'flags'],
        scope: 'exact',
        rule: RULE,
        isCovering: true,
        nearby: [
          { kind: 'operand', title: 'npm test -- other', before: 'ask', after: 'ask', severity: 'notice' },
        ],
      },
    },
  },
  getPolicy: { reply: POLICY },
  setPolicy: { body: { preset: 'careful', rules: [RULE] }, reply: POLICY },
  addPolicyRule: { body: RULE, reply: POLICY },
  evaluatePolicy: {
    body: { tool: 'Bash', input: { command: 'npm test -- login' }, cwd: CWD },
    reply: EXPLANATION,
  },
  previewRule: {
    body: { rule: RULE, cwd: CWD },
    reply: {
      preview: {
        call: { tool: 'Bash', input: { command: 'npm test' }, title: 'npm test' },
        before: 'ask',
        after: 'allow',
        nearby: [
          { kind: 'operand', title: 'npm test other', before: 'ask', after: 'ask', severity: 'notice' },
        ],
      },
    },
  },
  backtestPolicy: { body: { policy: 'classic', since: AT }, reply: { backtest } },
  listTerminalSessions: {
    query: { state: 'active' },
    reply: { sessions: [TERMINAL_SESSION], nextCursor: null },
  },
  listTerminalSkills: {
    query: { state: 'completed' },
    reply: {
      skills: [
        {
          id: `${ID.claude}#${AT}#review`,
          sessionId: ID.claude,
          skillName: 'review',
          triggerCommand: '/review',
          targetDocPath: null,
          startedBy: 'person',
          state: 'completed',
          startedAt: AT,
          completedAt: '2026-11-15T12:00:09.000Z',
          outcome: 'completed',
          durationMs: 9_000,
        },
      ],
      nextCursor: null,
    },
  },
  transcriptStatus: {
    reply: {
      transcripts: {
        isOn: true,
        state: 'importing',
        folder: '/home/kim/.claude/projects',
        excluded: ['/home/kim/private'],
        sessions: 340,
        importedSessions: 34,
        bytes: 1_200_000_000,
        importedBytes: 96_000_000,
      },
    },
  },
  hookStatus: {
    reply: {
      hooks: {
        installations: [
          {
            way: 'settings',
            scope: 'user',
            path: '/home/kim/.claude/settings.json',
            installedAt: AT,
            remote: true,
            missing: [],
          },
        ],
        hook: { path: '/home/kim/.signalbox/hook', target: null, works: true },
        stream: { path: '/home/kim/.kw-chat/streams/lifecycle.jsonl', bytes: 20_480, last: null },
        fires: true,
        switchedOffBy: [],
        older: [],
        broken: [],
      },
    },
  },
  holdRequest: {
    body: { lineId: ID.copy },
    reply: '{"hookSpecificOutput":{"hookEventName":"PermissionRequest","decision":{"behavior":"allow"}}}',
  },
  listWorkspaces: { query: { limit: 20 }, reply: { workspaces: [workspace], nextCursor: null } },
  trustWorkspace: { body: { path: CWD }, reply: { workspace } },
  distrustWorkspace: { body: { path: CWD }, reply: {} },
  searchFiles: {
    query: { folder: CWD, q: 'logi', limit: 20 },
    reply: {
      files: [
        { path: 'src/login/', kind: 'folder' },
        { path: 'src/login/form.tsx', kind: 'file' },
      ],
      total: 412,
      state: 'ready',
      isWhole: true,
    },
  },
  listFolders: {
    query: { path: CWD },
    reply: {
      path: CWD,
      parent: null,
      folders: [{ name: 'src', path: `${CWD}/src`, isRepository: false }],
      isWhole: true,
    },
  },
  listRecentFolders: {
    query: { limit: 20 },
    reply: { folders: [{ path: CWD, usedAt: AT, isTrusted: true }] },
  },
  listModels: {
    reply: {
      models: [
        {
          value: 'opus',
          resolved: 'claude-opus-5-5',
          name: 'Opus',
          description: 'Best for everyday, complex tasks',
          efforts: ['low', 'medium', 'high'],
        },
      ],
      seenAt: AT,
    },
  },
  listCommands: {
    query: { sessionId: ID.session },
    reply: {
      commands: [
        { name: 'deploy', description: 'Deploys the app', argumentHint: '<place>', kind: 'command' },
      ],
    },
  },
  listPrompts: { reply: { prompts: [prompt] } },
  savePrompt: { params: { name: prompt.name }, body: { text: prompt.text }, reply: { prompt } },
  deletePrompt: { params: { name: prompt.name }, reply: { prompt } },
  listTools: {
    query: { limit: 20 },
    reply: {
      tools: [
        {
          id: 'count_stock',
          agentName: 'mcp__signalbox__count_stock',
          description: 'Counts what is in stock.',
          input: { type: 'object', properties: { article: { type: 'string' } } },
          annotations: { readOnlyHint: true },
          timeoutMs: 60_000,
          source: 'program',
        },
      ],
      nextCursor: null,
    },
  },
  login: { body: { code: 'k3x9-p2m7' }, reply: {} },
  logout: { body: {}, reply: {} },
  createLoginCode: {
    body: { role: 'viewer' },
    reply: { code: 'k3x9-p2m7', url: 'http://127.0.0.1:4747/#code=k3x9-p2m7', expiresAt: AT },
  },
  listTokens: { query: { limit: 20 }, reply: { tokens: [TOKEN], nextCursor: null } },
  createToken: {
    body: { name: 'ci', role: 'operator' },
    reply: { token: TOKEN, secret: 'shown only once' },
  },
  revokeToken: { params: { id: ID.token }, reply: { token: TOKEN } },
  lookLoginCode: {
    body: { code: 'k3Jd9sQ2' },
    reply: { login: { name: 'kim', role: 'operator', user: 'kim', expiresAt: AT } },
  },
  listChannels: { query: { limit: 50 }, reply: { channels: [CHANNEL], nextCursor: null } },
  createChannel: {
    body: {
      name: 'phone',
      settings: {
        kind: 'ntfy',
        url: 'https://ntfy.example.com',
        topic: 'kim',
        token: 'tk_9f2c',
        user: 'kim',
        may: 'answer',
      },
    },
    reply: { channel: CHANNEL },
  },
  changeChannel: {
    params: { name: 'phone' },
    body: { isPaused: true },
    reply: { channel: { ...CHANNEL, isPaused: true } },
  },
  removeChannel: { params: { name: 'phone' }, reply: { channel: CHANNEL } },
  testChannel: { params: { name: 'phone' }, body: {}, reply: { channel: CHANNEL } },
  listNotifications: { query: { limit: 50 }, reply: { notifications: [NOTIFICATION], nextCursor: null } },
  listUsers: { query: { limit: 50 }, reply: { users: [USER], nextCursor: null } },
  setUser: {
    params: { name: 'kim' },
    body: { may: 'answer', quiet: { from: '22:00', to: '07:00', timeZone: 'Asia/Seoul' } },
    reply: { user: USER },
  },
  removeUser: { params: { name: 'kim' }, reply: { user: USER } },
  getPush: { reply: { push: PUSH } },
  subscribePush: {
    body: {
      endpoint: 'https://push.example.com/send/dGhpcw',
      keys: {
        p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        auth: 'BTBZMqHH6r4Tts7J_aSIgg',
      },
      name: 'Chrome on Android',
      may: 'answer',
      isMobile: true,
    },
    reply: { push: PUSH },
  },
  unsubscribePush: { reply: { push: { ...PUSH, device: null } } },
  testPush: { body: {}, reply: {} },
  notePresence: { body: { sessionIds: [ID.session] }, reply: { isUsed: true } },
  lookAnswer: {
    body: { token: 'sba_Vb3fJk1oXn5sQ8tR2wY7zA0cD4eG6hI9lM-pU_vW3xE' },
    reply: {
      answer: {
        request: REQUEST,
        session: { id: ID.session, name: 'Fix the login test', cwd: CWD },
        decisions: ['allow', 'deny'],
        user: 'kim',
        channel: 'phone',
        expiresAt: AT,
      },
    },
  },
  answerByToken: {
    body: { token: 'sba_Vb3fJk1oXn5sQ8tR2wY7zA0cD4eG6hI9lM-pU_vW3xE', decision: 'allow' },
    reply: { request: RESOLVED_REQUEST },
  },
  listAudit: {
    query: { sessionId: ID.session },
    reply: { records: [AUDIT_RECORD], nextCursor: null, alarm: null },
  },
  acceptAudit: { body: { reason: 'Restored from a backup' }, reply: { alarm: null } },
  about: {
    reply: {
      about: {
        name: 'signalbox',
        version: '0.1.0',
        model: 'account',
        startedAt: AT,
        pid: 4_711,
        home: '/home/kim/.signalbox',
        url: 'http://127.0.0.1:4747',
        jail: { state: 'verified', kind: 'bubblewrap', reason: null },
        command: 'signalbox',
        sampleWorkspace: null,
        storage: null,
        you: { name: 'kim', role: 'admin' },
      },
    },
  },
  health: { reply: { status: 'ok' } },
  ready: { reply: { status: 'ok' } },
  metrics: { reply: 'signalbox_uptime_seconds 3600\n' },
  openApi: { reply: { openapi: '3.1.0', info: { title: 'Signalbox', version: '0.1.0' } } },
}
