/** Listens, and shuts down without leaving a client hanging. */

import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hub } from '../hub/port.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import type { Notifications } from '../notification/notifications.js'
import type { Billing } from '../protocol/dialect-name.js'
import { HubError } from '../protocol/error.js'
import type { About } from '../protocol/route.js'
import { createApp, KEPT_SECONDS } from './app.js'
import { isLoopback } from './auth/attempt-limit.js'
import { proxyMatcher } from './auth/client-address.js'
import type { Credentials, Identity } from './auth/credentials.js'
import { loopbackHosts, namedHosts } from './auth/host-check.js'
import { createShowError } from './auth/shown-error.js'
import { createStrangers } from './auth/stranger.js'
import { createViewerRedaction } from './auth/viewer-redaction.js'
import { createHandlers } from './handler.js'
import { createMetrics } from './metrics.js'
import { createStaticFiles } from './static/static-files.js'
import { Connections } from './stream/connections.js'
import { createUpgrade } from './stream/web-socket.js'
import { FlushScheduler } from './stream/write-batcher.js'

export interface ServerDeps {
  hub: Hub
  access: Credentials
  clock: Clock
  ids: IdSource
  about(identity: Identity): About
  isReady(): Promise<unknown>
  billing: Billing
  secrets: Pick<SecretSet, 'redact' | 'redactInSlices' | 'redactEchoInSlices'>
  notifications: Notifications
  /** Where the built dashboard lies. */
  webFolder: string
  /** The certificate of our own authority, if there is one. */
  authority?(): Buffer | null
  version: string
  /** Whether the process at the other end of a connection belongs to a session of this home. Without it: none does. */
  isInSession?(socket: Socket): Promise<boolean>
  onFault(error: unknown, fields?: Record<string, unknown>): void
}

/** Where and how it can be reached. */
export interface Reach {
  host: string
  port: number
  /** Names under which it is reached, besides those of loopback. */
  hosts?: readonly string[]
  tls?: { cert: string; key: string } | null
  /** Without TLS, only these and this machine may connect. */
  trustedProxies?: readonly string[]
}

export interface RunningServer {
  /** For users. */
  readonly url: string
  /** For programs on this machine: always loopback. */
  readonly localUrl: string
  readonly port: number
  close(): Promise<void>
}

const CLOSE_MS = 2_000
const SWEEP_MS = 20

export async function startServer(deps: ServerDeps, reach: Reach): Promise<RunningServer> {
  const { access, clock, onFault } = deps
  const { host, hosts: names = [], tls = null, trustedProxies = [] } = reach
  const connections = new Connections(clock)
  const flushes = new FlushScheduler()
  const isProxy = proxyMatcher(trustedProxies)
  const isOnLoopback = host === 'localhost' || isLoopback(host)
  let url = ''
  let hosts: ReadonlySet<string> = new Set()
  let cookieName = ''
  const metrics = createMetrics({ hub: deps.hub, connections, clock })
  const shared = {
    access,
    hub: deps.hub,
    connections,
    flushes,
    billing: deps.billing,
    redaction: createViewerRedaction(deps.secrets),
    showError: createShowError(deps.secrets),
    strangers: createStrangers(clock),
    allowedHosts: () => hosts,
    cookieName: () => cookieName,
    clock,
    version: deps.version,
    isInSession: async (socket: Socket) => (await deps.isInSession?.(socket)) ?? false,
    onFault,
  }
  const app = createApp({
    ...shared,
    handlers: createHandlers({ ...deps, url: () => url, metrics: () => metrics.text() }),
    onAnswered: (status) => metrics.countAnswer(status),
    ids: deps.ids,
    files: createStaticFiles(deps.webFolder),
    authority: async () => deps.authority?.() ?? null,
    isProxy,
  })
  const upgrade = createUpgrade(shared)
  const answer = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // An address that cannot be read never reaches the application.
    errorHandler: () => Response.json(unreadable.toBody(), { status: 400 }),
  })
  const listener: RequestListener = (request, response) => {
    Promise.resolve(answer(request, response)).catch(onFault)
  }

  const main = tls ? createSecure(tls, listener) : createServer(listener)
  // In the open only the proxies that were named get through.
  if (!tls && !isOnLoopback) main.on('connection', keepOut(isProxy))
  const port = await listen(main, host, reach.port)
  const servers = [main]
  let localPort = port
  if (!isOnLoopback || tls) {
    const local = createServer(listener)
    servers.push(local)
    localPort = await listen(local, '127.0.0.1', 0)
  }
  const localUrl = isOnLoopback && !tls ? urlOf('http', host, port) : urlOf('http', '127.0.0.1', localPort)
  url = publicUrl(reach, port)
  const named = isOnLoopback ? names : [host, ...names]
  hosts = new Set([...loopbackHosts(port), ...loopbackHosts(localPort), ...namedHosts(named, port)])
  // Cookies ignore the port of their host, so the name contains it.
  cookieName = `signalbox-${port}`
  for (const server of servers) server.on('upgrade', upgrade)
  const stopListening = access.onRevoked((credentialIds) => connections.endOf(credentialIds))
  return {
    url,
    localUrl,
    port,
    async close() {
      stopListening()
      metrics.close()
      connections.endAll()
      await Promise.all(servers.map(close))
    },
  }
}

function createSecure(tls: { cert: string; key: string }, listener: RequestListener): Server {
  try {
    return createTlsServer(tls, listener)
  } catch (cause) {
    throw new HubError(
      'config_invalid',
      'tlsCert and tlsKey are not a matching certificate and key. Correct the two settings.',
      {},
      { cause },
    )
  }
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  // Race: longer than clients are given, so that no connection is closed at the moment it is reused.
  server.keepAliveTimeout = (KEPT_SECONDS + 3) * 1_000
  // A malformed request never reaches the application.
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(badRequest())
  })
  try {
    server.listen(port, host)
    await once(server, 'listening')
  } catch (cause) {
    throw listenError(cause, { host, port })
  }
  return (server.address() as AddressInfo).port // A server that listens on TCP has an AddressInfo.
}

function keepOut(isProxy: (address: string) => boolean): (socket: Socket) => void {
  return (socket) => {
    const { remoteAddress = '' } = socket
    if (!isLoopback(remoteAddress) && !isProxy(remoteAddress)) socket.destroy()
  }
}

function urlOf(scheme: string, host: string, port: number): string {
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** As a user would type it. A proxy has its own port. */
function publicUrl({ host, hosts = [], tls = null, trustedProxies = [] }: Reach, port: number): string {
  const [name] = hosts
  if (name === undefined) return urlOf(tls ? 'https' : 'http', host, port)
  if (tls) return name.includes(':') ? `https://${name}` : urlOf('https', name, port)
  return trustedProxies.length > 0 ? `https://${name}` : urlOf('http', host, port)
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  // A connection with a response in progress becomes idle later, and would stay open.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const force = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(force)
}

const unreadable = new HubError('request_invalid', 'The HTTP request is malformed.')

function badRequest(): string {
  const body = JSON.stringify(unreadable.toBody())
  return `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}

function listenError(cause: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!(cause instanceof Error) || !('code' in cause)) return cause
  if (cause.code === 'EADDRINUSE') {
    return new HubError(
      'port_in_use',
      `Port ${port} on ${host} is in use. Choose another with --port, or 0 for any free one.`,
      { host, port },
      { cause },
    )
  }
  if (cause.code === 'EADDRNOTAVAIL' || cause.code === 'ENOTFOUND') {
    return new HubError(
      'config_invalid',
      `This machine has no address ${host}. Correct the setting host or --host.`,
      { host },
      { cause },
    )
  }
  return cause
}
