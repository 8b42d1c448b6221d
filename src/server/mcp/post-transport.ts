/**
 * One MCP client behind the transport interface of the SDK. Each POST gets the responses to its requests as JSON; what the
 * server sends on its own goes to the stream that the client holds open. Every map here has a bound.
 */

import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, MessageExtraInfo, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { HubError } from '../../protocol/error.js'

/** Requests of one client that run at the same time. */
const MAX_RUNNING = 16

/** Where notifications go. */
export interface NotificationStream {
  /** Backpressure: false while the client has not read what was sent. */
  canWrite(): boolean
  write(message: JSONRPCMessage): void
  end(): void
}

export class PostTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: <Message extends JSONRPCMessage>(message: Message, extra?: MessageExtraInfo) => void
  /** The client reads notifications from now on, or again. */
  onListen?: () => void
  onEnd?: () => void
  readonly #running = new Map<RequestId, (reply: JSONRPCMessage) => void>()
  #stream: NotificationStream | null = null
  #isClosed = false

  async start(): Promise<void> {}

  get isBusy(): boolean {
    return this.#running.size > 0 || this.#stream !== null
  }

  get canNotify(): boolean {
    return this.#stream?.canWrite() ?? false
  }

  /** Resolves with the responses to the requests in it. `gone`: the client has closed the connection. */
  async receive(
    messages: readonly JSONRPCMessage[],
    extra: MessageExtraInfo,
    gone: AbortSignal,
  ): Promise<JSONRPCMessage[]> {
    const requests = messages.filter((message) => 'method' in message && 'id' in message)
    const ids = new Set(requests.map(({ id }) => id))
    if (ids.size < requests.length || requests.some(({ id }) => this.#running.has(id)))
      throw new HubError('request_invalid', 'The id of a request is in use. Give each request its own id.')
    if (this.#running.size + requests.length > MAX_RUNNING)
      throw new HubError('requests_limited', `A client can have ${MAX_RUNNING} requests at a time.`)
    const replies = requests.map(
      ({ id }) => new Promise<JSONRPCMessage>((resolve) => this.#running.set(id, resolve)),
    )
    const leave = () => {
      for (const { id } of requests) this.#reply(failed(id, 'The connection was closed.'))
    }
    gone.addEventListener('abort', leave, { once: true })
    try {
      for (const message of messages) this.#take(message, extra)
      return await Promise.all(replies)
    } finally {
      gone.removeEventListener('abort', leave)
    }
  }

  #take(message: JSONRPCMessage, extra: MessageExtraInfo): void {
    this.onmessage?.(message, extra)
    // The SDK does not answer a cancelled request, but its POST waits.
    if ('method' in message && message.method === 'notifications/cancelled') {
      const id = message.params?.['requestId']
      if (typeof id === 'string' || typeof id === 'number') this.#reply(failed(id, 'Cancelled.'))
    }
  }

  #reply(message: JSONRPCMessage): boolean {
    if (!('id' in message) || message.id === undefined || 'method' in message) return false
    const resolve = this.#running.get(message.id)
    this.#running.delete(message.id)
    resolve?.(message)
    return true
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#reply(message)) this.#stream?.write(message)
  }

  /** One stream at a time: the newest, as after a connection that broke off. */
  listen(stream: NotificationStream): () => void {
    this.#stream?.end()
    this.#stream = stream
    this.onListen?.()
    return () => {
      if (this.#stream === stream) this.#stream = null
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    for (const id of this.#running.keys()) this.#reply(failed(id, 'The session was closed.'))
    this.#stream?.end()
    this.#stream = null
    this.onEnd?.()
    this.onclose?.()
  }
}

const REQUEST_CANCELLED = -32_800

function failed(id: RequestId, message: string): JSONRPCMessage {
  return { jsonrpc: '2.0', id, error: { code: REQUEST_CANCELLED, message } }
}
