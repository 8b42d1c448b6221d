/** Handlers of the routes. */

import type { Hub } from '../hub/port.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { Billing } from '../protocol/dialect-name.js'
import type { About, RouteInput, RouteName, RouteReply } from '../protocol/route.js'
import { skillsOf } from '../protocol/terminal-session.js'
import type { Actor } from '../protocol/value.js'
import type { Credentials, Identity } from './auth/credentials.js'
import { openApiDocument } from './open-api.js'

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
  secrets: Pick<SecretSet, 'redactInSlices'>
}

const DEFAULT_LIMIT = 100
/** Of what there are few: who does not ask for pages gets them all. */
const SHORT_LIST = 1_000

export function createHandlers(deps: HandlerDeps): Handlers {
  const { hub, access, about, url, isReady, billing, metrics } = deps
  const redactFor = ({ role }: Identity) => (role === 'viewer' ? deps.secrets.redactInSlices : undefined)
  // Made when it is asked for: that takes longer than everything else at the start.
  let document: ReturnType<typeof openApiDocument> | null = null
  return {
    about: async (_, { identity }) => ({ about: about(identity) }),
    createSession: async ({ body }, { actor, identity }) => ({
      session: await hub.createSession(body, actor, identity.role),
    }),
    async listSessions({ query: { q, archived, limit = DEFAULT_LIMIT, cursor, ...filter } }, { identity }) {
      const text = q === undefined ? {} : { text: q }
      const kept = archived === undefined ? {} : { isArchived: archived === 'true' }
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
    rewindSession: async ({ params, body }, { actor }) => ({
      rewound: await hub.rewind(params.id, body, actor),
    }),
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
    async listTools({ query: { limit = DEFAULT_LIMIT, cursor } }) {
      return pageOf('tools', hub.tools(), (tool) => tool.id, { limit, cursor })
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
    usage: async ({ query: { by = 'day', since, timeZone } }) => ({
      by,
      ...(await hub.usage(by, since, timeZone)),
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
    backtestPolicy: async ({ body }) => ({ backtest: await hub.policies.backtest(body) }),
    async listTerminalSessions({ query: { state, limit = DEFAULT_LIMIT, cursor } }) {
      const sessions = hub.terminalSessions().filter((session) => !state || session.state === state)
      return pageOf('sessions', sessions, (session) => session.sessionId, { limit, cursor })
    },
    async listTerminalSkills({ query: { state, sessionId, limit = DEFAULT_LIMIT, cursor } }) {
      const skills = skillsOf(hub.terminalSessions()).filter(
        (skill) => (!state || skill.state === state) && (!sessionId || skill.sessionId === sessionId),
      )
      return pageOf('skills', skills, (skill) => skill.id, { limit, cursor })
    },
    hookStatus: async () => ({ hooks: hub.hookStatus() }),
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
      const { code, expiresAt } = await access.createLoginCode(body.role, actor, identity)
      // Behind the #, so that it is neither sent nor logged on the way.
      return { code, expiresAt, url: `${url()}/#code=${code}` }
    },
    async listTokens({ query: { limit = SHORT_LIST, cursor } }) {
      return pageOf('tokens', await access.tokens(), (token) => token.id, { limit, cursor })
    },
    createToken: ({ body }, { actor }) => access.createToken(body, actor),
    revokeToken: async ({ params }, { actor }) => ({ token: await access.revoke(params.id, actor) }),
    async listAudit({ query: { limit = DEFAULT_LIMIT, cursor, ...filter } }) {
      const records = await hub.audit({ ...filter, before: cursor, limit: limit + 1 })
      const page = records.slice(0, limit)
      const next = records.length > limit ? (page.at(-1)?.number ?? null) : null
      return { records: page, nextCursor: next, alarm: await hub.auditAlarm() }
    },
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

/** A page of a list that is in memory, behind the one that the cursor names. */
function pageOf<Name extends string, Item>(
  name: Name,
  items: readonly Item[],
  idOf: (item: Item) => string,
  { limit, cursor }: { limit: number; cursor: string | undefined },
): Record<Name, Item[]> & { nextCursor: string | null } {
  const start = cursor === undefined ? 0 : items.findIndex((item) => idOf(item) === cursor) + 1
  const page = items.slice(start, start + limit)
  const last = page.at(-1)
  const isMore = last !== undefined && start + limit < items.length
  // One key that is not known here: the type of a computed name is any string.
  return { [name]: page, nextCursor: isMore ? idOf(last) : null } as Record<Name, Item[]> & {
    nextCursor: string | null
  }
}

/** One more was read than requested: if it is there, the list has a next page. */
function nextCursor(items: readonly { id: string }[], limit: number): string | null {
  return items.length > limit ? (items[limit - 1]?.id ?? null) : null
}
