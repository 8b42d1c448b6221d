/** Listens, and stops listening without leaving anybody hanging. */

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import type { Hub } from '../hub/hub.js'
import type { IdSource } from '../lib/id.js'
import { HubError } from '../protocol/error.js'
import type { About } from '../protocol/route.js'
import type { Access, Identity } from './access.js'
import { createApp } from './app.js'
import { loopbackHosts } from './guard.js'
import { createHandlers } from './handler.js'
import { createStaticFiles } from './static-files.js'

export interface ServerDeps {
  hub: Hub
  access: Access
  ids: IdSource
  about(identity: Identity): About
  isReady(): Promise<unknown>
  /** Where the built dashboard lies. */
  webFolder: string
  onFault(error: unknown): void
}

export interface RunningServer {
  readonly url: string
  readonly port: number
  close(): Promise<void>
}

const CLOSE_MS = 2_000

export async function startServer(
  deps: ServerDeps,
  listen: { host: string; port: number },
): Promise<RunningServer> {
  const streams = new Set<() => void>()
  let url = ''
  let hosts: ReadonlySet<string> = new Set()
  let cookieName = ''
  const app = createApp({
    handlers: createHandlers({ ...deps, url: () => url }),
    access: deps.access,
    hub: deps.hub,
    ids: deps.ids,
    files: createStaticFiles(deps.webFolder),
    allowedHosts: () => hosts,
    cookieName: () => cookieName,
    streams,
    onFault: deps.onFault,
  })
  const listener = getRequestListener(app.fetch, {
    overrideGlobalObjects: false,
    // An address that can not be read never reaches the application.
    errorHandler: () => Response.json(unreadable.toBody(), { status: 400 }),
  })
  const server = createServer((request, response) => {
    Promise.resolve(listener(request, response)).catch(deps.onFault)
  })
  // A malformed request never reaches the application.
  server.on('clientError', (_, socket) => {
    if (socket.writable) socket.end(badRequest())
  })
  try {
    server.listen(listen.port, listen.host)
    await once(server, 'listening')
  } catch (cause) {
    throw listenError(cause, listen)
  }
  const { port } = server.address() as AddressInfo // A server that listens on TCP has an AddressInfo.
  url = `http://${listen.host.includes(':') ? `[${listen.host}]` : listen.host}:${port}`
  hosts = loopbackHosts(port)
  // Cookies do not tell ports apart; their names do.
  cookieName = `signalbox-${port}`
  return {
    url,
    port,
    async close() {
      for (const end of streams) end()
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      const force = setTimeout(() => server.closeAllConnections(), CLOSE_MS)
      await closed
      clearTimeout(force)
    },
  }
}

const unreadable = new HubError('request_invalid', 'This is not an HTTP request that can be read.')

function badRequest(): string {
  const body = JSON.stringify(unreadable.toBody())
  return `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
}

function listenError(cause: unknown, { host, port }: { host: string; port: number }): unknown {
  if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EADDRINUSE') return cause
  return new HubError(
    'port_in_use',
    `Something else listens on ${host}:${port}. Choose another port with --port, or 0 for any free one.`,
    { host, port },
    { cause },
  )
}
