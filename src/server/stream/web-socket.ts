/** The WebSocket: events and commands over one connection. */

import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { parse as parseCookies } from 'hono/utils/cookie'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import type { Hub } from '../../hub/port.js'
import type { Billing } from '../../protocol/dialect-name.js'
import { HubError } from '../../protocol/error.js'
import type { Actor } from '../../protocol/value.js'
import { WEB_SOCKET_PATH } from '../../protocol/web-socket.js'
import { authorize, bearerOf } from '../auth/authorize.js'
import type { Credentials, Identity } from '../auth/credentials.js'
import { checkHost, checkOrigin } from '../auth/host-check.js'
import { plainBody, type ShowError } from '../auth/shown-error.js'
import type { Strangers } from '../auth/stranger.js'
import { actorOf } from '../auth/via.js'
import { redactionFor, type ViewerRedaction } from '../auth/viewer-redaction.js'
import { statusOf } from '../error-status.js'
import type { Connections } from './connections.js'
import { type FeedSocket, openFeed } from './feed.js'
import { webSocketFrame } from './frame.js'
import { findStart, translatorFor } from './stream-start.js'
import { answerMessage, type MessageContext } from './web-socket-message.js'
import type { FlushScheduler } from './write-batcher.js'

export interface WebSocketDeps {
  hub: Hub
  access: Credentials
  connections: Connections
  flushes: FlushScheduler
  billing: Billing
  redaction: ViewerRedaction
  showError: ShowError
  strangers: Strangers
  allowedHosts(): ReadonlySet<string>
  cookieName(): string
  onFault(error: unknown): void
}

const MAX_MESSAGE_BYTES = 12 * 1024 * 1024
/** Messages of one connection that wait for their turn; more are not read before. */
const MAX_WAITING = 32
const HEARTBEAT_MS = 15_000
/** Timeout: a client that has not answered a heartbeat for this long is disconnected. */
const SILENCE_MS = 60_000
const CLOSE_MS = 500
/** Closing: the credential does not hold any more, or the server ends. */
const GOING_AWAY = 1001

/** Takes over connections that ask to become WebSockets. */
export function createUpgrade(
  deps: WebSocketDeps,
): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  // Compression would cost more than it saves, and every reader his own copy of each frame.
  const sockets = new WebSocketServer({
    noServer: true,
    perMessageDeflate: false,
    maxPayload: MAX_MESSAGE_BYTES,
  })
  return (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    admit(request, deps).then(
      (identity) =>
        sockets.handleUpgrade(request, socket, head, (webSocket) =>
          new Conversation(
            webSocket,
            socket,
            identity,
            actorOf(identity, request.headers['signalbox-via']),
            deps,
          ).start(),
        ),
      (error: unknown) => refuse(socket, request.socket.remoteAddress ?? '', error, deps),
    )
  }
}

async function admit(request: IncomingMessage, deps: WebSocketDeps): Promise<Identity> {
  const { headers } = request
  const bearer = bearerOf(headers.authorization)
  const { host, origin } = headers
  const fetchSite = [headers['sec-fetch-site']].flat()[0]
  const guarded = { method: 'POST', host, origin, fetchSite, hasBearer: bearer !== null }
  checkHost(guarded, deps.allowedHosts())
  // A connection over which orders are given: it is held to what holds for orders.
  checkOrigin(guarded)
  const path = (request.url ?? '').split('?')[0]
  if (path !== WEB_SOCKET_PATH)
    throw new HubError('route_not_found', `No WebSocket at this path. Connect to ${WEB_SOCKET_PATH}.`)
  const cookie = parseCookies(headers.cookie ?? '', deps.cookieName())[deps.cookieName()]
  return authorize(deps.access, bearer ?? cookie)
}

/** The one error shape, over a connection that has not become a WebSocket. */
function refuse(socket: Duplex, address: string, error: unknown, deps: WebSocketDeps): void {
  if (!(error instanceof HubError)) deps.onFault(error)
  const known = deps.strangers.refuse(
    error instanceof HubError
      ? error
      : new HubError('internal_error', 'Internal error. The log of the daemon has the details.'),
    address,
  )
  const body = JSON.stringify(plainBody(known))
  socket.end(
    `HTTP/1.1 ${statusOf(known.code)} Refused\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}

class Conversation {
  readonly #webSocket: WebSocket
  readonly #socket: FeedSocket
  readonly #identity: Identity
  readonly #deps: WebSocketDeps
  readonly #context: MessageContext
  #endFeed = () => {}
  #tail: Promise<void> = Promise.resolve()
  #waiting = 0
  #sinceTurn = 0
  #lastHeard = Date.now()

  constructor(webSocket: WebSocket, socket: Duplex, identity: Identity, actor: Actor, deps: WebSocketDeps) {
    this.#webSocket = webSocket
    this.#socket = socket
    this.#identity = identity
    this.#deps = deps
    this.#context = {
      hub: deps.hub,
      actor,
      subscribe: (filter) => this.#subscribe(filter),
      unsubscribe: () => this.#endFeed(),
    }
  }

  start(): void {
    const webSocket = this.#webSocket
    const forget = this.#deps.connections.add(this.#identity, () => this.#end())
    const heartbeat = setInterval(() => {
      if (Date.now() - this.#lastHeard > SILENCE_MS) webSocket.terminate()
      else webSocket.ping()
    }, HEARTBEAT_MS)
    webSocket.on('pong', () => {
      this.#lastHeard = Date.now()
    })
    webSocket.on('message', (data, isBinary) => this.#hear(data, isBinary))
    // ws closes the connection after an invalid frame; the listener only keeps the error from being thrown.
    webSocket.on('error', () => {})
    webSocket.on('close', () => {
      clearInterval(heartbeat)
      this.#endFeed()
      forget()
    })
  }

  #end(): void {
    this.#endFeed()
    this.#webSocket.close(GOING_AWAY)
    setTimeout(() => this.#webSocket.terminate(), CLOSE_MS)
  }

  /** One after the other, in the order in which they came. */
  #hear(data: RawData, isBinary: boolean): void {
    this.#lastHeard = Date.now()
    this.#waiting += 1
    if (this.#waiting >= MAX_WAITING) this.#webSocket.pause()
    this.#tail = this.#tail.then(async () => {
      await this.#yieldNow()
      await this.#answer(data, isBinary)
      this.#waiting -= 1
      if (this.#waiting < MAX_WAITING) this.#webSocket.resume()
    })
  }

  /** A packet can hold thousands of messages: others have their turn between them. */
  async #yieldNow(): Promise<void> {
    this.#sinceTurn += 1
    if (this.#sinceTurn < MAX_WAITING) return
    this.#sinceTurn = 0
    await turn()
  }

  async #answer(data: RawData, isBinary: boolean): Promise<void> {
    let tag: unknown
    try {
      const value = readObject(data, isBinary)
      tag = value['id']
      const { message, begin } = await answerMessage(value, this.#identity, this.#context)
      this.#say({ ...message, ...tagged(tag) })
      begin?.()
    } catch (error) {
      if (!(error instanceof HubError)) this.#deps.onFault(error)
      const known =
        error instanceof HubError
          ? error
          : new HubError('internal_error', 'Internal error. The log of the daemon has the details.')
      const body = await this.#deps.showError(known, this.#identity)
      this.#say({ type: 'error', ...tagged(tag), ...body })
    }
  }

  #say(message: object): void {
    if (!this.#socket.destroyed && this.#webSocket.readyState === this.#webSocket.OPEN)
      this.#socket.write(webSocketFrame(message))
  }

  async #subscribe(
    filter: Parameters<MessageContext['subscribe']>[0],
  ): Promise<{ after: number; begin(): void }> {
    const { hub, flushes, billing } = this.#deps
    const names = filter.sessions.includes('*') ? undefined : filter.sessions
    const { sessionIds, after, gap, pending } = await findStart(hub, names, filter.after)
    const { dialect } = filter
    const redaction = redactionFor(this.#identity, this.#deps.redaction)
    const translator = dialect && (await translatorFor(hub, sessionIds, { dialect, billing, redaction }))
    this.#endFeed()
    const begin = () => {
      if (gap) this.#say({ type: 'gap', ...gap })
      if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
      this.#endFeed = openFeed(this.#socket, hub.journal, flushes, {
        sessionIds,
        after,
        types: filter.types,
        hasDeltas: filter.deltas !== false,
        format: {
          encoding: 'websocket',
          cursor: sessionIds?.length === 1 ? 'seq' : 'position',
        },
        ...(translator && { translator, pending }),
        redaction,
        gapFrame: (missing) => webSocketFrame({ type: 'gap', ...missing }),
      })
    }
    return { after, begin }
  }
}

function tagged(tag: unknown): { id?: string | number } {
  return typeof tag === 'string' || typeof tag === 'number' ? { id: tag } : {}
}

function readObject(data: RawData, isBinary: boolean): Record<string, unknown> {
  const invalid = new HubError('request_invalid', 'The message is not a JSON object in a text frame.')
  if (isBinary) throw invalid
  let value: unknown
  try {
    value = JSON.parse(data.toString()) // oxlint-disable-line typescript/no-base-to-string -- a text frame is one buffer.
  } catch {
    throw invalid
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid
  return { ...value }
}
