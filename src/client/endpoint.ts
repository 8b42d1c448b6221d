/** Every route as a client needs it. Made from src/protocol/route.ts by `npm run docs`. */

export interface Endpoint {
  readonly method: string
  readonly path: string
  readonly hasBody: boolean
  readonly reply: 'json' | 'text' | 'events'
}

// biome-ignore format: one line a route.
export const endpoints = {
  createSession: { method: 'POST', path: '/api/v1/sessions', hasBody: true, reply: 'json' },
  listSessions: { method: 'GET', path: '/api/v1/sessions', hasBody: false, reply: 'json' },
  getSession: { method: 'GET', path: '/api/v1/sessions/:id', hasBody: false, reply: 'json' },
  deleteSession: { method: 'DELETE', path: '/api/v1/sessions/:id', hasBody: false, reply: 'json' },
  sendMessage: { method: 'POST', path: '/api/v1/sessions/:id/messages', hasBody: true, reply: 'json' },
  interruptSession: { method: 'POST', path: '/api/v1/sessions/:id/interrupt', hasBody: true, reply: 'json' },
  stopSession: { method: 'POST', path: '/api/v1/sessions/:id/stop', hasBody: true, reply: 'json' },
  resumeSession: { method: 'POST', path: '/api/v1/sessions/:id/resume', hasBody: true, reply: 'json' },
  changeSession: { method: 'PATCH', path: '/api/v1/sessions/:id', hasBody: true, reply: 'json' },
  forkSession: { method: 'POST', path: '/api/v1/sessions/:id/fork', hasBody: true, reply: 'json' },
  rewindSession: { method: 'POST', path: '/api/v1/sessions/:id/rewind', hasBody: true, reply: 'json' },
  compactSession: { method: 'POST', path: '/api/v1/sessions/:id/compact', hasBody: true, reply: 'json' },
  stopTask: { method: 'POST', path: '/api/v1/sessions/:id/tasks/:taskId/stop', hasBody: true, reply: 'json' },
  inspectSession: { method: 'GET', path: '/api/v1/sessions/:id/inspect/:what', hasBody: false, reply: 'json' },
  setMcpServers: { method: 'PUT', path: '/api/v1/sessions/:id/mcp', hasBody: true, reply: 'json' },
  editMessage: { method: 'PATCH', path: '/api/v1/sessions/:id/messages/:messageId', hasBody: true, reply: 'json' },
  cancelMessage: { method: 'DELETE', path: '/api/v1/sessions/:id/messages/:messageId', hasBody: false, reply: 'json' },
  revokeGrant: { method: 'POST', path: '/api/v1/sessions/:id/grants/revoke', hasBody: true, reply: 'json' },
  listEvents: { method: 'GET', path: '/api/v1/sessions/:id/events', hasBody: false, reply: 'json' },
  streamSession: { method: 'GET', path: '/api/v1/sessions/:id/stream', hasBody: false, reply: 'events' },
  streamAll: { method: 'GET', path: '/api/v1/stream', hasBody: false, reply: 'events' },
  search: { method: 'GET', path: '/api/v1/search', hasBody: false, reply: 'json' },
  usage: { method: 'GET', path: '/api/v1/usage', hasBody: false, reply: 'json' },
  listRequests: { method: 'GET', path: '/api/v1/requests', hasBody: false, reply: 'json' },
  getRequest: { method: 'GET', path: '/api/v1/requests/:id', hasBody: false, reply: 'json' },
  answerRequest: { method: 'POST', path: '/api/v1/requests/:id/answer', hasBody: true, reply: 'json' },
  explainRequest: { method: 'GET', path: '/api/v1/requests/:id/explanation', hasBody: false, reply: 'json' },
  suggestRule: { method: 'GET', path: '/api/v1/requests/:id/rule', hasBody: false, reply: 'json' },
  getPolicy: { method: 'GET', path: '/api/v1/policy', hasBody: false, reply: 'json' },
  setPolicy: { method: 'PUT', path: '/api/v1/policy', hasBody: true, reply: 'json' },
  addPolicyRule: { method: 'POST', path: '/api/v1/policy/rules', hasBody: true, reply: 'json' },
  evaluatePolicy: { method: 'POST', path: '/api/v1/policy/evaluate', hasBody: true, reply: 'json' },
  backtestPolicy: { method: 'POST', path: '/api/v1/policy/backtest', hasBody: true, reply: 'json' },
  listTerminalSessions: { method: 'GET', path: '/api/v1/lifecycle/sessions', hasBody: false, reply: 'json' },
  listTerminalSkills: { method: 'GET', path: '/api/v1/lifecycle/skills', hasBody: false, reply: 'json' },
  holdRequest: { method: 'POST', path: '/api/v1/lifecycle/hold', hasBody: true, reply: 'events' },
  listWorkspaces: { method: 'GET', path: '/api/v1/workspaces', hasBody: false, reply: 'json' },
  trustWorkspace: { method: 'POST', path: '/api/v1/workspaces/trust', hasBody: true, reply: 'json' },
  distrustWorkspace: { method: 'POST', path: '/api/v1/workspaces/distrust', hasBody: true, reply: 'json' },
  listTools: { method: 'GET', path: '/api/v1/tools', hasBody: false, reply: 'json' },
  login: { method: 'POST', path: '/api/v1/login', hasBody: true, reply: 'json' },
  logout: { method: 'POST', path: '/api/v1/logout', hasBody: true, reply: 'json' },
  createLoginCode: { method: 'POST', path: '/api/v1/login-codes', hasBody: true, reply: 'json' },
  listTokens: { method: 'GET', path: '/api/v1/tokens', hasBody: false, reply: 'json' },
  createToken: { method: 'POST', path: '/api/v1/tokens', hasBody: true, reply: 'json' },
  revokeToken: { method: 'DELETE', path: '/api/v1/tokens/:id', hasBody: false, reply: 'json' },
  listAudit: { method: 'GET', path: '/api/v1/audit', hasBody: false, reply: 'json' },
  about: { method: 'GET', path: '/api/v1/about', hasBody: false, reply: 'json' },
  health: { method: 'GET', path: '/healthz', hasBody: false, reply: 'json' },
  ready: { method: 'GET', path: '/readyz', hasBody: false, reply: 'json' },
  metrics: { method: 'GET', path: '/metrics', hasBody: false, reply: 'text' },
  openApi: { method: 'GET', path: '/api/v1/openapi.json', hasBody: false, reply: 'json' },
} as const satisfies Record<string, Endpoint>
