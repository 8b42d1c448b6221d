/** The agent side of the Agent Client Protocol: each method of an editor, as calls of the daemon. */

import {
  type AgentConnection,
  type AgentContext,
  agent,
  type InitializeRequest,
  type InitializeResponse,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  type Stream,
} from '@agentclientprotocol/sdk'
import { HubError } from '../../protocol/error.js'
import type { Session } from '../../protocol/session.js'
import { readVersion } from '../../version.js'
import { serversOf } from './mcp-servers.js'
import { OpenSession } from './open-session.js'
import type { Plane } from './plane.js'
import { contentOf } from './prompt-content.js'
import { refusalOf } from './refusal.js'
import { changeOf } from './settings.js'

export interface AgentOptions {
  plane: Plane
  stream: Stream
  log(message: string): void
}

const PAGE = 100
/** Each is a connection to the daemon. */
const MAX_OPEN = 100

export function serveEditor({ plane, stream, log }: AgentOptions): AgentConnection {
  const { client, role } = plane
  const open = new Map<string, OpenSession>()
  let capabilities: InitializeRequest['clientCapabilities']

  const find = (id: string): OpenSession => {
    const session = open.get(id)
    if (session) return session
    throw new HubError(
      'session_not_found',
      `Session ${id} is not open here. Use session/load or session/resume.`,
    )
  }
  const enter = async (session: Session, editor: AgentContext, isReplayed: boolean) => {
    const known = open.get(session.id)
    if (known?.isPrompted)
      throw new HubError('request_invalid', `A prompt of session ${session.id} is running. Cancel it first.`)
    if (!known && open.size >= MAX_OPEN)
      throw new HubError(
        'requests_limited',
        `More than ${MAX_OPEN} sessions are open here. Close some with session/close.`,
      )
    known?.close()
    const entered = new OpenSession({
      plane,
      editor,
      session,
      hasForms: Boolean(capabilities?.elicitation?.form),
      hasNotices: Boolean(capabilities?.session?.notices),
      log,
    })
    open.set(session.id, entered)
    try {
      await entered.open(isReplayed)
    } catch (error) {
      // Race: it may have been opened again meanwhile.
      if (open.get(session.id) === entered) open.delete(session.id)
      entered.close()
      throw error
    }
    return entered
  }
  const read = async (id: string) => (await plane.call(() => client.getSession({ params: { id } }))).session

  const app = agent({ name: 'signalbox' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities
      return introduction(plane)
    })
    .onRequest(methods.agent.authenticate, () => ({}))
    .onRequest(methods.agent.session.new, ({ params, client: editor }) =>
      answered(async () => {
        const { cwd, additionalDirectories = [], mcpServers } = params
        const servers = allowedServers(plane, mcpServers, log)
        const options = {
          ...(additionalDirectories.length > 0 && { additionalDirectories }),
          ...(servers.length > 0 && { mcpServers: serversOf(servers) }),
        }
        const body = {
          cwd,
          idempotencyKey: crypto.randomUUID(),
          ...(Object.keys(options).length > 0 && { options }),
        }
        const { session } = await plane.call(() => client.createSession({ body }))
        const { settings } = await enter(session, editor, false)
        return { sessionId: session.id, ...settings }
      }),
    )
    .onRequest(methods.agent.session.load, ({ params, client: editor }) =>
      answered(async () => (await enter(await read(params.sessionId), editor, true)).settings),
    )
    .onRequest(methods.agent.session.resume, ({ params, client: editor }) =>
      answered(async () => (await enter(await read(params.sessionId), editor, false)).settings),
    )
    .onRequest(methods.agent.session.list, ({ params }) =>
      answered(async () => {
        const query = {
          kind: 'managed' as const,
          limit: PAGE,
          ...(params.cwd && { cwd: params.cwd }),
          ...(params.cursor && { cursor: params.cursor }),
        }
        const { sessions, nextCursor } = await plane.call(() => client.listSessions({ query }))
        return {
          sessions: sessions.map(({ id, cwd, name, updatedAt }) => ({
            sessionId: id,
            cwd,
            title: name,
            updatedAt,
          })),
          ...(nextCursor !== null && { nextCursor }),
        }
      }),
    )
    .onRequest(methods.agent.session.prompt, ({ params, signal }) =>
      answered(async () => ({
        stopReason: await find(params.sessionId).prompt(contentOf(params.prompt), signal),
      })),
    )
    .onNotification(methods.agent.session.cancel, ({ params }) => open.get(params.sessionId)?.cancel())
    .onRequest(methods.agent.session.setMode, ({ params }) =>
      answered(async () => {
        await find(params.sessionId).change(changeOf('mode', params.modeId))
        return {}
      }),
    )
    .onRequest(methods.agent.session.setConfigOption, ({ params }) =>
      answered(async () => {
        const session = find(params.sessionId)
        await session.change(changeOf(params.configId, params.value))
        return { configOptions: session.settings.configOptions }
      }),
    )
    .onRequest(methods.agent.session.close, ({ params }) =>
      answered(async () => {
        const session = find(params.sessionId)
        if (session.isPrompted) await session.cancel()
        open.delete(session.id)
        session.close()
        return {}
      }),
    )
  if (role === 'admin')
    app.onRequest(methods.agent.session.delete, ({ params }) =>
      answered(async () => {
        const { sessionId } = params
        await plane.call(() => client.deleteSession({ params: { id: sessionId } }))
        open.get(sessionId)?.close()
        open.delete(sessionId)
        return {}
      }),
    )
  const connection = app.connect(stream)
  // Sessions go on without the editor.
  void connection.closed.then(() => {
    for (const session of open.values()) session.close()
  })
  return connection
}

function introduction({ role, url }: Plane): InitializeResponse {
  const canDelete = role === 'admin' && { delete: {} }
  return {
    protocolVersion: PROTOCOL_VERSION,
    agentInfo: { name: 'signalbox', title: 'Signalbox', version: readVersion() },
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, embeddedContext: true },
      mcpCapabilities: { http: true, sse: true },
      sessionCapabilities: { list: {}, resume: {}, close: {}, additionalDirectories: {}, ...canDelete },
    },
    authMethods: [],
    _meta: { signalbox: { url, role } },
  }
}

/** Servers are programs, so that only an admin may bring them along. */
function allowedServers(
  { role }: Plane,
  servers: readonly McpServer[],
  log: AgentOptions['log'],
): readonly McpServer[] {
  if (role === 'admin' || servers.length === 0) return servers
  log(
    `The editor's MCP servers need the role admin and are left out: ${servers.map(({ name }) => name).join(', ')}.`,
  )
  return []
}

async function answered<Reply>(work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work()
  } catch (error) {
    throw refusalOf(error)
  }
}
