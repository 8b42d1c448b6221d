/** The HTTP application, made from the table of routes. */

import type { OutgoingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { generateCookie, getCookie } from 'hono/cookie'
import type { Hub } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import { digest } from '../lib/digest.js'
import type { IdSource } from '../lib/id.js'
import { machineFaultOf } from '../lib/sqlite/machine-fault.js'
import type { Billing, DialectName } from '../protocol/dialect-name.js'
import { HubError } from '../protocol/error.js'
import { type Route, type RouteInput, type RouteName, routes } from '../protocol/route.js'
import { storageUnavailable } from '../protocol/storage.js'
import { authorize, bearerOf, requireRole } from './auth/authorize.js'
import { type Peer, peerOf } from './auth/client-address.js'
import { type Credentials, type Identity, LOGIN_MS } from './auth/credentials.js'
import { checkHost, checkOrigin } from './auth/host-check.js'
import type { ShowError } from './auth/shown-error.js'
import { type Strangers, WAIT_SECONDS } from './auth/stranger.js'
import { actorOf } from './auth/via.js'
import { redactionFor, type ViewerRedaction } from './auth/viewer-redaction.js'
import { readJson } from './body.js'
import { checkedInput, handled, shownText } from './call-route.js'
import { statusOf } from './error-status.js'
import type { HandlerContext, Handlers } from './handler.js'
import { createMcpEndpoint, MCP_PATH } from './mcp/endpoint.js'
import { isKnown } from './static/content-encoding.js'
import type { StaticFiles } from './static/static-files.js'
import type { Connections } from './stream/connections.js'
import { holdOpen } from './stream/long-poll.js'
import { streamEvents } from './stream/sse.js'
import { findStart, translatorFor } from './stream/stream-start.js'
import type { FlushScheduler } from './stream/write-batcher.js'

export interface AppDeps {
  handlers: Handlers
  access: Credentials
  hub: Hub
  ids: IdSource
  files: StaticFiles
  /** The certificate of our own authority, for devices that are to trust it; null: there is none. */
  authority(): Promise<Buffer | null>
  /** Filled in when the port is known. */
  allowedHosts(): ReadonlySet<string>
  cookieName(): string
  connections: Connections
  flushes: FlushScheduler
  billing: Billing
  /** Whether what this address says about others is believed. */
  isProxy(address: string): boolean
  redaction: ViewerRedaction
  showError: ShowError
  strangers: Strangers
  clock: Clock
  version: string
  /** Whether the process at the other end of a connection belongs to a session of this home. */
  isInSession(socket: Socket): Promise<boolean>
  onAnswered(status: number): void
  onFault(error: unknown, fields?: Record<string, unknown>): void
}

interface AppEnvironment {
  Bindings: HttpBindings
  /** The authenticated requester, once known. */
  Variables: { identity?: Identity }
}

type Call = Context<AppEnvironment>

export function createApp(deps: AppDeps): Hono<AppEnvironment> {
  const app = new Hono<AppEnvironment>()

  app.use(async (call, next) => {
    const { outgoing } = call.env
    outgoing.setHeader('x-request-id', deps.ids.next('rid'))
    outgoing.setHeader('x-content-type-options', 'nosniff')
    outgoing.setHeader('referrer-policy', 'no-referrer')
    const guarded = {
      method: call.req.method,
      host: call.req.header('host'),
      origin: call.req.header('origin'),
      fetchSite: isApi(call.req.path) ? call.req.header('sec-fetch-site') : undefined,
      hasBearer: bearerOf(call.req.header('authorization')) !== null,
    }
    checkHost(guarded, deps.allowedHosts())
    checkOrigin(guarded)
    await next()
    deps.onAnswered(outgoing.statusCode)
  })

  for (const [name, route] of Object.entries(routes) as [RouteName, Route][]) {
    app.on(route.method, route.path, (call) => serve(call, name, route, deps))
  }
  const paths = new Set<string>(Object.values(routes).map((route) => route.path))
  for (const path of paths) {
    app.all(path, (call) => {
      throw new HubError(
        'method_not_allowed',
        `Method ${call.req.method} is not allowed for this path. See docs/protocol.md.`,
      )
    })
  }
  const mcp = createMcpEndpoint(deps)
  app.on(['GET', 'POST', 'DELETE'], MCP_PATH, async (call) => {
    const identity = await authorize(deps.access, bearerOf(call.req.header('authorization')))
    call.set('identity', identity)
    const { incoming, outgoing } = call.env
    const reply = await mcp.serve(incoming, outgoing, identity, peerOfCall(call, deps).address)
    if (reply === null) return RESPONSE_ALREADY_SENT
    return send(call, reply.status, { 'cache-control': 'no-store', ...reply.headers }, reply.body)
  })
  app.get('/signalbox-ca.crt', async (call) => {
    const certificate = await deps.authority()
    if (certificate === null)
      throw new HubError('route_not_found', 'This machine has no certificate authority of its own.')
    return send(
      call,
      200,
      { 'content-type': 'application/x-x509-ca-cert', 'cache-control': 'no-store' },
      certificate,
    )
  })
  app.get('*', async (call) => {
    const { path } = call.req
    const file = path.startsWith('/api/')
      ? null
      : await deps.files.find(path, call.req.header('accept-encoding'))
    if (file && isKnown(call.req.header('if-none-match'), file.etag))
      return send(call, 304, file.headers, null)
    if (file) return send(call, 200, file.headers, file.body)
    throw new HubError('route_not_found', 'No such route. See docs/protocol.md.')
  })
  app.notFound((call) => failure(call, new HubError('route_not_found', 'Not found.'), deps))
  app.onError((error, call) => {
    if (error instanceof HubError) return failure(call, error, deps)
    const { problem } = deps.hub.storage
    if (problem && machineFaultOf(error)) return failure(call, storageUnavailable(problem, error), deps)
    const id = String(call.env.outgoing.getHeader('x-request-id'))
    deps.onFault(error, { requestId: id })
    const message = `Internal error. The log of the daemon has the details (request ${id}).`
    return failure(call, new HubError('internal_error', message), deps)
  })
  return app
}

function isApi(path: string): boolean {
  return path.startsWith('/api/') || path === MCP_PATH
}

async function failure(call: Call, cause: HubError, deps: AppDeps): Promise<Response> {
  const reader = call.get('identity') ?? null
  const error = reader === null ? deps.strangers.refuse(cause, peerOfCall(call, deps).address) : cause
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    ...(error.code === 'credential_missing' && { 'www-authenticate': 'Bearer' }),
    ...(error.code === 'requests_limited' && { 'retry-after': String(WAIT_SECONDS) }),
  }
  return send(call, statusOf(error.code), headers, JSON.stringify(await deps.showError(error, reader)))
}

/** Keep-alive time that clients are given. The server closes an idle connection a little later. */
export const KEPT_SECONDS = 5

/** To the connection itself: a web response around it takes as long as all the rest of a small answer. */
function send(
  { env: { outgoing } }: Call,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Buffer | null,
): Response {
  outgoing.writeHead(status, {
    ...headers,
    ...(body !== null && { 'content-length': Buffer.byteLength(body) }),
    ...(outgoing.shouldKeepAlive && { connection: 'keep-alive', 'keep-alive': `timeout=${KEPT_SECONDS}` }),
  })
  outgoing.end(body)
  return RESPONSE_ALREADY_SENT
}

async function serve(call: Call, name: RouteName, route: Route, deps: AppDeps): Promise<Response> {
  const shown = bearerOf(call.req.header('authorization')) ?? getCookie(call, deps.cookieName())
  const identity = route.role === null ? NOBODY : await authorize(deps.access, shown)
  if (route.role !== null) {
    call.set('identity', identity)
    requireRole(identity, route.role)
  }
  const input = await checkedInput(deps.hub, identity, route, {
    params: call.req.param(),
    query: call.req.query(),
    body: route.body ? await readJson(call.env.incoming, route.maxBodyBytes) : undefined,
  })
  if (name === 'holdRequest') return openHold(call, input as unknown as HoldInput, identity, deps)
  if (name === 'streamSession' || name === 'streamAll') {
    return openStream(call, input as unknown as StreamInput, identity, deps)
  }
  const peer = peerOfCall(call, deps)
  const context: HandlerContext = {
    identity,
    actor: actorOf(identity, call.req.header('signalbox-via')),
    address: peer.address,
    setCookie: (secret) =>
      call.env.outgoing.setHeader(
        'set-cookie',
        generateCookie(deps.cookieName(), secret ?? '', {
          httpOnly: true,
          sameSite: 'Strict',
          secure: peer.isSecure,
          path: '/',
          maxAge: secret === null ? 0 : LOGIN_MS / 1000,
        }),
      ),
  }
  const reply = await handled(deps, name, route, input, context)
  return answer(call, route, reply, redactionFor(identity, deps.redaction))
}

/** Polled answers carry an ETag and are sent again only after a change. */
async function answer(
  call: Call,
  route: Route,
  reply: unknown,
  redaction: ViewerRedaction | null,
): Promise<Response> {
  const text = await shownText(route, reply, redaction)
  const headers: OutgoingHttpHeaders = {
    'content-type': route.media ?? 'application/json',
    'cache-control': route.method === 'GET' ? 'private, no-cache' : 'no-store',
  }
  if (route.method === 'GET' && route.role !== null) {
    headers['etag'] = `"${digest(text).slice(0, 32)}"`
    if (call.req.header('if-none-match') === headers['etag']) return send(call, 304, headers, null)
  }
  return send(call, route.status, headers, text)
}

function peerOfCall(call: Call, { isProxy }: AppDeps): Peer {
  return peerOf(call.env.incoming.socket, (name) => call.req.header(name), isProxy)
}

const NOBODY: Identity = {
  name: 'nobody',
  role: 'viewer',
  kind: 'token',
  credentialId: null,
  expiresAt: null,
  user: null,
  answersByMcp: false,
}

interface HoldInput {
  body: RouteInput<'holdRequest'>['body']
}

function openHold(
  call: Call,
  { body }: HoldInput,
  identity: Identity,
  { hub, connections, onFault }: AppDeps,
): Response {
  const { outgoing } = call.env
  const end = holdOpen(outgoing, (signal) => hub.holdTerminal(body.lineId, signal), onFault)
  outgoing.on('close', connections.add(identity, end))
  return RESPONSE_ALREADY_SENT
}

interface StreamInput {
  params: { id: string } | undefined
  query: { after?: number; deltas?: '0' | '1'; type?: readonly string[]; dialect?: DialectName }
}

async function openStream(
  call: Call,
  { params, query }: StreamInput,
  identity: Identity,
  { hub, connections, flushes, billing, redaction }: AppDeps,
): Promise<Response> {
  const lastId = readLastEventId(call.req.header('last-event-id'))
  const {
    gap: beyond,
    pending,
    ...start
  } = await findStart(
    hub,
    params && [params.id],
    lastId === 'unreadable' ? undefined : (lastId ?? query.after),
  )
  // A cursor that cannot be read may stand for anything: the reader learns that it may have missed events.
  const gap = lastId === 'unreadable' ? { after: 0, next: start.after + 1 } : beyond
  const { outgoing } = call.env
  const filter = { ...start, types: query.type, hasDeltas: query.deltas !== '0' }
  const readerRedaction = redactionFor(identity, redaction)
  const { dialect } = query
  const translator =
    dialect && (await translatorFor(hub, start.sessionIds, { dialect, billing, redaction: readerRedaction }))
  const end = streamEvents(outgoing, hub.journal, flushes, {
    ...filter,
    gap,
    ...(translator && { translator, pending }),
    redaction: readerRedaction,
  })
  outgoing.on('close', connections.add(identity, end))
  return RESPONSE_ALREADY_SENT
}

function readLastEventId(header: string | undefined): number | 'unreadable' | null {
  if (header === undefined || header === '') return null
  return /^\d{1,15}$/.test(header) ? Number(header) : 'unreadable'
}
