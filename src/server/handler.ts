/** Handlers of the routes. */

import type { Hub } from '../hub/port.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { Notifications } from '../notification/notifications.js'
import type { Billing } from '../protocol/dialect-name.js'
import { HubError } from '../protocol/error.js'
import type { About, RouteInput, RouteName, RouteReply } from '../protocol/route.js'
import { skillsOf } from '../protocol/terminal/terminal-session.js'
import type { Actor } from '../protocol/value.js'
import type { Credentials, Identity } from './auth/credentials.js'
import { createNotificationHandlers } from './notification-handler.js'
import { openApiDocument } from './open-api.js'
import { pageOf } from './page.js'

export interface HandlerContext {
  identity: Identity
  actor: Actor
  address: string
  /** Gives the browser a secret to come back with; null takes it away. */
  setCookie(secret: string | null): void
}

/** Those that keep the connection open are not here. */
export type HandledRoute = Exclude<RouteName, 'streamSession' | 'streamAll' | 'holdRequest'>

export type Handlers = {
  [Name in HandledRoute]: (input: RouteInput<Name>, context: HandlerContext) => Promise<RouteReply<Name>>
}

export interface HandlerDeps {
  hub: Hub
  access: Credentials
  about(identity: Identity): About
  /** The address of the dashboard. */
  url(): string
  isReady(): Promise<unknown>
  billing: Billing
  metrics(): Promise<string>
  notifications: Notifications
  secrets: Pick<SecretSet, 'redactInSlices'>
}

const DEFAULT_LIMIT = 100
const DEFAULT_MATCHES = 50
/** Of what there are few: who does not ask for pages gets them all. */
const SHORT_LIST = 1_000

export function createHandlers(deps: HandlerDeps): Handlers {
  const { hub, access, about, url, isReady, billing, metrics, notifications } = deps
  const redactFor = ({ role }: Identity) => (role === 'viewer' ? deps.secrets.redactInSlices : undefined)
  // Made when it is asked for: that takes longer than everything else at the start.
  let document: ReturnType<typeof openApiDocument> | null = null
  return {
    ...createNotificationHandlers(notifications, access),
    about: async (_, { identity }) => ({ about: about(identity) }),
    createSession: async ({ body }, { actor, identity }) => ({
      session: await hub.createSession(body, actor, identity.role),
    }),
    async listSessions({ query }, { identity }) {
      const { q, archived, ended, limit = DEFAULT_LIMIT, cursor, ...filter } = query
      const text = q === undefined ? {} : { text: q }
      const kept = {
        ...(archived !== undefined && { isArchived: archived === 'true' }),
        ...(ended !== undefined && { isEnded: ended === 'true' }),
      }
      const sessions = await hub.sessions(
        { ...filter, ...text, ...kept, before: cursor, limit: limit + 1 },
        redactFor(identity),
      )
      return { sessions: sessions.slice(0, limit), nextCursor: nextCursor(sessions, limit) }
    },
    getSession: async ({ params }) => ({ session: await hub.session(params.id) }),
    deleteSession: async ({ params }, { actor }) => ({
      sessionId: await hub.deleteSession(params.id, actor),
    }),
    sendMessage: ({ params, body }, { actor }) => hub.send(params.id, body, actor),
    interruptSession: async ({ params }) => ({ session: await hub.interrupt(params.id) }),
    stopSession: async ({ params, body }, { actor }) => ({
      session: await hub.stop(params.id, body.reason, actor),
    }),
    resumeSession: async ({ params, body }, { actor }) => ({
      session: await hub.resume(params.id, body, actor),
    }),
    changeSession: async ({ params, body }, { actor, identity }) => ({
      session: await hub.change(params.id, body, actor, identity.role),
    }),
    forkSession: async ({ params, body }, { actor, identity }) => ({
      session: await hub.fork(params.id, body, actor, identity.role),
    }),
    rewindSession: async ({ params, body }, { actor, identity }) => ({
      rewound: await hub.rewind(params.id, body, actor, identity.role),
    }),
    listChanges: ({ params }) => hub.changes.list(params.id),
    getDiff: async ({ params, query }, { identity }) => ({
      diff: await hub.changes.diff(params.id, query, redactFor(identity)),
    }),
    getChangedPicture: async ({ params, query }, { identity }) => ({
      picture: await hub.changes.picture(params.id, { ...query, isViewer: identity.role === 'viewer' }),
    }),
    undoChanges: async ({ params, body }, { actor, identity }) => ({
      undo: await hub.changes.undo(params.id, body, actor, identity.role),
    }),
    listWorktrees: async ({ query }) => ({ worktrees: await hub.worktrees.list(query.cwd) }),
    getWorktree: async ({ params }) => ({ worktree: await hub.worktrees.status(params.id) }),
    changeWorktree: async ({ params, body }, { actor }) => ({
      result: await hub.worktrees.change(params.id, body, actor),
    }),
    listComments: async ({ params }) => ({ comments: await hub.changes.comments(params.id) }),
    sendComments: ({ params, body }, { actor }) => hub.changes.sendComments(params.id, body, actor),
    compactSession: ({ params, body: { instructions = '' } }, { actor }) =>
      hub.send(params.id, { text: `/compact ${instructions}`.trim(), whenBusy: 'queue' }, actor),
    async stopTask({ params: { id, taskId } }) {
      await hub.stopTask(id, taskId)
      return { session: await hub.session(id) }
    },
    inspectSession: async ({ params: { id, what } }) => ({ what, value: await hub.inspect(id, what) }),
    setMcpServers: async ({ params, body }, { actor, identity }) => ({
      change: await hub.setMcpServers(params.id, body, actor, identity.role),
    }),
    editMessage: ({ params, body }, { actor }) =>
      hub.editMessage(params.id, params.messageId, body.text, actor),
    async cancelMessage({ params: { id, messageId } }, { actor }) {
      await hub.cancelMessage(id, messageId, actor)
      return { messageId }
    },
    async listWorkspaces({ query: { limit = SHORT_LIST, cursor } }) {
      const workspaces = await hub.trustedWorkspaces()
      return pageOf('workspaces', workspaces, (workspace) => workspace.path, { limit, cursor })
    },
    trustWorkspace: async ({ body }, { actor }) => ({ workspace: await hub.trust(body.path, actor) }),
    async distrustWorkspace({ body }, { actor }) {
      await hub.distrust(body.path, actor)
      return {}
    },
    searchFiles: ({ query: { folder, q = '', limit = DEFAULT_MATCHES } }, { identity }) =>
      hub.compose.files(folder, q, limit, identity.role),
    listFolders: ({ query }, { identity }) => hub.compose.folders(query.path, identity.role),
    listRecentFolders: async ({ query: { limit = DEFAULT_MATCHES } }) => ({
      folders: await hub.compose.recentFolders(limit),
    }),
    listModels: () => hub.compose.models(),
    listCommands: async ({ query }, { identity }) => ({
      commands: await hub.compose.commands(query, identity.role),
    }),
    listPrompts: async () => ({ prompts: await hub.compose.prompts.list() }),
    savePrompt: async ({ params, body }, { actor, identity }) => ({
      prompt: await hub.compose.prompts.save(params.name, body.text, actor, identity.role),
    }),
    deletePrompt: async ({ params }, { identity }) => ({
      prompt: await hub.compose.prompts.delete(params.name, identity.role),
    }),
    async listTools({ query: { limit = DEFAULT_LIMIT, cursor } }) {
      return pageOf('tools', await hub.tools(), (tool) => tool.id, { limit, cursor })
    },
    async listEvents({ params, query: { after, limit = DEFAULT_LIMIT, type } }) {
      const { events, next } = await hub.eventPage(params.id, {
        ...(after !== undefined && { after }),
        ...(type !== undefined && { types: type }),
        limit,
      })
      return { events, nextCursor: next, gap: await hub.gapBehind(params.id, after ?? 0) }
    },
    async listRequests({ query: { limit = DEFAULT_LIMIT, cursor, ...filter } }) {
      const { requests, next } = await hub.requestPage({
        ...filter,
        ...(cursor !== undefined && { after: cursor }),
        limit,
      })
      return { requests, nextCursor: next }
    },
    getRequest: async ({ params }) => ({ request: await hub.inbox.request(params.id) }),
    answerRequest: async ({ params, body }, { actor }) => ({
      request: await hub.inbox.answer(params.id, body, actor),
    }),
    async search({ query: { q, limit = DEFAULT_LIMIT, cursor, ...filter } }, { identity }) {
      const before = cursor === undefined ? {} : { before: cursor }
      const found = await hub.search({ text: q, ...filter, ...before, limit: limit + 1 }, redactFor(identity))
      const page = found.slice(0, limit)
      return {
        results: page.map(({ result }) => result),
        nextCursor: found.length > limit ? (page.at(-1)?.position ?? null) : null,
      }
    },
    usage: async ({ query: { by = 'day', ...query } }) => ({
      by,
      ...(await hub.usage({ by, ...query })),
      billing,
    }),
    explainRequest: async ({ params }) => ({ explanation: await hub.policies.explain(params.id) }),
    proposeRule: async ({ params, body }) => ({
      proposal: await hub.policies.proposeRule(params.id, body),
    }),
    suggestRule: async ({ params }) => ({ suggestion: await hub.policies.suggestRule(params.id) }),
    revokeGrant: async ({ params, body }, { actor }) => ({
      session: await hub.policies.revokeGrant(params.id, body, actor),
    }),
    getPolicy: async () => hub.policies.show(),
    setPolicy: async ({ body }, { actor }) => hub.policies.replace(body, actor),
    addPolicyRule: async ({ body }, { actor }) => hub.policies.addRule(body, actor),
    evaluatePolicy: ({ body }) => hub.policies.evaluate(body),
    previewRule: async ({ body }) => ({ preview: await hub.policies.previewRule(body) }),
    backtestPolicy: async ({ body }) => ({ backtest: await hub.policies.backtest(body) }),
    async listTerminalSessions({ query: { state, limit = DEFAULT_LIMIT, cursor } }) {
      const sessions = (await hub.terminalSessions()).filter((session) => !state || session.state === state)
      return pageOf('sessions', sessions, (session) => session.sessionId, { limit, cursor })
    },
    async listTerminalSkills({ query: { state, sessionId, limit = DEFAULT_LIMIT, cursor } }) {
      const skills = skillsOf(await hub.terminalSessions()).filter(
        (skill) => (!state || skill.state === state) && (!sessionId || skill.sessionId === sessionId),
      )
      return pageOf('skills', skills, (skill) => skill.id, { limit, cursor })
    },
    hookStatus: async () => ({ hooks: await hub.hookStatus() }),
    transcriptStatus: async () => ({ transcripts: await hub.transcriptStatus() }),
    async login({ body }, { address, setCookie }) {
      setCookie(await access.login(body, address))
      return {}
    },
    async logout(_, { identity, setCookie }) {
      await access.logout(identity)
      setCookie(null)
      return {}
    },
    async createLoginCode({ body }, { actor, identity }) {
      const { role, user, isPairing = false } = body
      if (isPairing && role === undefined)
        throw new HubError('request_invalid', 'A link for pairing needs a role.')
      if (user !== undefined) notifications.directory.requireUser(user)
      const { code, expiresAt } = await access.createLoginCode(role, actor, identity, user)
      // Behind the #, so that it is neither sent nor logged on the way.
      return { code, expiresAt, url: `${url()}/${isPairing ? 'pair' : ''}#code=${code}` }
    },
    lookLoginCode: async ({ body: { code } }, { address }) => ({
      login: access.lookLoginCode(code, address),
    }),
    async listTokens({ query: { limit = SHORT_LIST, cursor } }) {
      return pageOf('tokens', await access.tokens(), (token) => token.id, { limit, cursor })
    },
    async createToken({ body }, { actor }) {
      if (body.user !== undefined) notifications.directory.requireUser(body.user)
      return access.createToken(body, actor)
    },
    revokeToken: async ({ params }, { actor }) => ({ token: await access.revoke(params.id, actor) }),
    listAudit: async ({ query: { limit = DEFAULT_LIMIT, cursor, ...filter } }) => ({
      ...(await hub.audit({ ...filter, before: cursor, limit })),
      alarm: await hub.auditAlarm(),
    }),
    acceptAudit: async ({ body }, { actor }) => ({ alarm: await hub.acceptAudit(body.reason, actor) }),
    health: async () => ({ status: 'ok' }),
    metrics: () => metrics(),
    openApi: async () => (document ??= openApiDocument()),
    async ready() {
      await isReady()
      return { status: 'ok' }
    },
  }
}

/** One more was read than requested: if it is there, the list has a next page. */
function nextCursor(items: readonly { id: string }[], limit: number): string | null {
  return items.length > limit ? (items[limit - 1]?.id ?? null) : null
}
