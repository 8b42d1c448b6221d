/** MCP over streamable HTTP, at one path. Only tokens are accepted: a browser is not an MCP client. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { HubError } from '../../protocol/error.js'
import { type RouteReply, type RouteRequest, routes } from '../../protocol/route.js'
import type { Actor } from '../../protocol/value.js'
import type { AppDeps } from '../app.js'
import { requireRole } from '../auth/authorize.js'
import type { Identity } from '../auth/credentials.js'
import { redactionFor } from '../auth/viewer-redaction.js'
import { readJson } from '../body.js'
import { checkedInput, handled, shownText } from '../call-route.js'
import type { HandledRoute } from '../handler.js'
import type { McpCaller } from './mcp-session.js'
import { McpSessions } from './mcp-sessions.js'
import { openNotificationStream } from './notification-stream.js'

export const MCP_PATH = '/mcp'
const MAX_BYTES = 1024 * 1024
const MAX_BATCH = 16
const SESSION = 'mcp-session-id'
const VERSION = 'mcp-protocol-version'
/** By it the command "signalbox mcp" says that it runs inside a session. */
const WITHIN = 'signalbox-within'

export interface McpReply {
  status: number
  headers: Record<string, string>
  body: string
}

export interface McpEndpoint {
  /** Null: the stream was opened, and the response is being written. */
  serve(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    identity: Identity,
    address: string,
  ): Promise<McpReply | null>
}

export type McpEndpointDeps = Pick<
  AppDeps,
  | 'handlers'
  | 'hub'
  | 'redaction'
  | 'showError'
  | 'connections'
  | 'clock'
  | 'version'
  | 'isInSession'
  | 'onFault'
>

export function createMcpEndpoint(deps: McpEndpointDeps): McpEndpoint {
  const { hub, clock, version, connections, onFault } = deps
  const sessions = new McpSessions({ version, journal: hub.journal, clock, connections, onFault })
  const requireSession = (incoming: IncomingMessage, identity: Identity) => {
    const id = headerOf(incoming, SESSION)
    if (id === null)
      throw new HubError('request_invalid', 'Send the header mcp-session-id, or initialize first.')
    return sessions.find(id, identity)
  }

  async function post(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    caller: McpCaller,
  ): Promise<McpReply> {
    await checkVersion(incoming)
    const messages = await readMessages(incoming)
    const { isInitializeRequest } = await import('@modelcontextprotocol/sdk/types.js')
    const isFirst = messages.some(isInitializeRequest)
    if (isFirst && messages.length > 1)
      throw new HubError('request_invalid', 'initialize must be sent alone.')
    const client = isFirst ? await sessions.open(caller.identity) : requireSession(incoming, caller.identity)
    if (!client) return NO_SESSION
    const gone = new AbortController()
    outgoing.once('close', () => gone.abort())
    const extra = { authInfo: { token: '', clientId: caller.identity.name, scopes: [], extra: { caller } } }
    const replies = await client.transport.receive(messages, extra, gone.signal)
    const headers: Record<string, string> = isFirst ? { [SESSION]: client.id } : {}
    if (replies.length === 0) return { status: 202, headers, body: '' }
    const [only] = replies
    return jsonReply(200, replies.length === 1 && only ? only : replies, headers)
  }

  return {
    async serve(incoming, outgoing, given, address) {
      const identity = limited(given)
      const caller = callerOf(identity, { incoming, address, deps })
      if (incoming.method === 'POST') return post(incoming, outgoing, caller)
      const client = requireSession(incoming, identity)
      if (!client) return NO_SESSION
      if (incoming.method === 'DELETE') {
        sessions.close(client.id)
        return { status: 204, headers: {}, body: '' }
      }
      if (!headerOf(incoming, 'accept')?.includes('text/event-stream'))
        throw new HubError('request_invalid', 'GET opens a stream: send "accept: text/event-stream".')
      const leave = client.transport.listen(openNotificationStream(outgoing, client.id))
      outgoing.once('close', leave)
      return null
    },
  }
}

/** The token of the home, or a login, gives no more than reading: a token made for the client says more. */
function limited(identity: Identity): Identity {
  if (identity.kind === 'token') return identity
  return { ...identity, name: 'mcp', role: 'viewer', user: null, answersByMcp: false }
}

interface Sender {
  incoming: IncomingMessage
  address: string
  deps: McpEndpointDeps
}

function callerOf(identity: Identity, { incoming, address, deps }: Sender): McpCaller {
  const { name: who, role, credentialId } = identity
  const actor: Actor = { who, via: 'mcp', role, ...(credentialId !== null && { credentialId }) }
  const redaction = redactionFor(identity, deps.redaction)
  const context = { identity, actor, address, setCookie: () => {} }
  return {
    identity,
    async call<Name extends HandledRoute>(name: Name, request: RouteRequest<Name>) {
      const route = routes[name]
      if (route.role !== null) requireRole(identity, route.role)
      const input = await checkedInput(deps.hub, identity, route, asSent(request))
      const reply = await handled(deps, name, route, input, context)
      // Cast: the reply of that route, as JSON.
      return JSON.parse(await shownText(route, reply, redaction)) as RouteReply<Name>
    },
    async textOf(problem) {
      const { error } = await deps.showError(problem, identity)
      return `${error.code}: ${error.message}`
    },
    async requireOutside() {
      if (headerOf(incoming, WITHIN) === null && !(await deps.isInSession(incoming.socket))) return
      throw new HubError(
        'role_insufficient',
        'This client runs inside a session. Requests of agents are answered by users, or by a client outside.',
      )
    },
  }
}

/** The values of a query are texts, as in an address. */
function asSent(request: object) {
  const { query, ...rest } = request as { query?: Record<string, unknown> }
  const texts = Object.entries(query ?? {}).map(([name, value]) => [name, String(value)])
  return { ...rest, query: Object.fromEntries(texts) }
}

async function readMessages(incoming: IncomingMessage): Promise<JSONRPCMessage[]> {
  const body = await readJson(incoming, MAX_BYTES)
  const given = Array.isArray(body) ? body : [body]
  const { JSONRPCMessageSchema } = await import('@modelcontextprotocol/sdk/types.js')
  if (given.length === 0 || given.length > MAX_BATCH)
    throw new HubError('request_invalid', `A batch has 1 to ${MAX_BATCH} messages.`)
  return given.map((message) => {
    const parsed = JSONRPCMessageSchema.safeParse(message)
    if (parsed.success) return parsed.data
    throw new HubError('request_invalid', 'The body is not a JSON-RPC 2.0 message.')
  })
}

async function checkVersion(incoming: IncomingMessage): Promise<void> {
  const version = headerOf(incoming, VERSION)
  const { SUPPORTED_PROTOCOL_VERSIONS: known } = await import('@modelcontextprotocol/sdk/types.js')
  if (version !== null && !known.includes(version))
    throw new HubError('request_invalid', `Unknown ${VERSION}. Known: ${known.join(', ')}.`)
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' ? value : null
}

function jsonReply(status: number, value: unknown, headers: Record<string, string> = {}): McpReply {
  return { status, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

/** The status by which a client knows that it has to initialize again. */
const NO_SESSION = jsonReply(404, {
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_001, message: 'No such MCP session. Initialize again.' },
})
