/** The MCP session of this process with the daemon. It is opened again when the daemon has forgotten it, as after a restart. */

import { SseParser } from '../../client/sse-parser.js'
import { asRecord, asText } from '../../lib/read-json.js'

/** A JSON-RPC message, as far as it matters here. */
export type Message = Readonly<Record<string, unknown>>

export interface HttpSessionDeps {
  /** Where the daemon is now, and with which token it is asked; null if it does not run. */
  address(): { url: string; token: string } | null
  /** Whether this process runs inside a session. */
  isWithin: boolean
}

class DaemonMissing extends Error {}

const SESSION = 'mcp-session-id'

export class HttpSession {
  readonly #deps: HttpSessionDeps
  readonly #subscribed = new Set<string>()
  #id: string | null = null
  #initialize: Message | null = null
  #opening: Promise<void> | null = null

  constructor(deps: HttpSessionDeps) {
    this.#deps = deps
  }

  /** Resources whose changes the client wants to hear of. */
  get subscribed(): readonly string[] {
    return [...this.#subscribed]
  }

  get isOpen(): boolean {
    return this.#initialize !== null
  }

  /** Resolves with the responses. */
  async send(message: Message): Promise<Message[]> {
    if (message['method'] === 'initialize') return this.#start(message)
    this.#note(message)
    let response = await this.#post(message)
    if (response.status === 404) {
      await this.#reopen()
      response = await this.#post(message)
    }
    return messagesIn(response, message)
  }

  /** Ends when the connection does. `onOpen`: what has changed before is not in it. */
  async listen(onOpen: () => void, onMessage: (message: Message) => Promise<void>, signal: AbortSignal) {
    const response = await this.#ask('GET', { accept: 'text/event-stream' }, null, signal)
    if (response.status === 404) {
      await this.#reopen()
      return
    }
    if (!response.ok || !response.body) throw new DaemonMissing(await problemIn(response))
    onOpen()
    const parser = new SseParser()
    const decoder = new TextDecoder()
    for await (const chunk of response.body)
      for (const { data } of parser.push(decoder.decode(chunk, { stream: true })))
        await onMessage(JSON.parse(data) as Message)
  }

  async close(): Promise<void> {
    if (this.#id === null) return
    await this.#ask('DELETE', {}, null).catch(() => {})
    this.#id = null
  }

  async #start(message: Message): Promise<Message[]> {
    this.#id = null
    const response = await this.#post(message)
    this.#id = response.headers.get(SESSION)
    if (response.ok) this.#initialize = message
    return messagesIn(response, message)
  }

  /** The client does not notice: its subscriptions are made again. */
  async #reopen(): Promise<void> {
    const message = this.#initialize
    if (!message) return
    this.#opening ??= this.#openAgain(message).finally(() => {
      this.#opening = null
    })
    await this.#opening
  }

  async #openAgain(message: Message): Promise<void> {
    await this.#start(message)
    await this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    for (const [index, uri] of this.subscribed.entries())
      await this.#post({
        jsonrpc: '2.0',
        id: `again-${index}`,
        method: 'resources/subscribe',
        params: { uri },
      })
  }

  #note({ method, params }: Message): void {
    const uri = asText(asRecord(params)['uri'])
    if (uri === null) return
    if (method === 'resources/subscribe') this.#subscribed.add(uri)
    if (method === 'resources/unsubscribe') this.#subscribed.delete(uri)
  }

  #post(message: Message): Promise<Response> {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    return this.#ask('POST', headers, JSON.stringify(message))
  }

  async #ask(
    method: string,
    headers: Record<string, string>,
    body: string | null,
    signal?: AbortSignal,
  ): Promise<Response> {
    const address = this.#deps.address()
    if (!address) throw new DaemonMissing('Signalbox is not running. Start it with "signalbox start".')
    try {
      return await fetch(`${address.url}/mcp`, {
        method,
        headers: {
          authorization: `Bearer ${address.token}`,
          ...(this.#id !== null && { [SESSION]: this.#id }),
          ...(this.#deps.isWithin && { 'signalbox-within': 'session' }),
          ...headers,
        },
        ...(body !== null && { body }),
        ...(signal && { signal }),
      })
    } catch (cause) {
      throw new DaemonMissing('Cannot reach Signalbox. Start it with "signalbox start".', { cause })
    }
  }
}

async function messagesIn(response: Response, sent: Message): Promise<Message[]> {
  const isRequest = sent['id'] !== undefined && sent['method'] !== undefined
  if (!response.ok) return isRequest ? [failure(sent['id'], await problemIn(response))] : []
  const text = await response.text()
  if (text === '') return []
  const reply = JSON.parse(text) as Message | Message[]
  return Array.isArray(reply) ? reply : [reply]
}

async function problemIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => null)
  return (
    asText(asRecord(asRecord(body)['error'])['message']) ??
    `Signalbox replied with status ${response.status}.`
  )
}

export function failure(id: unknown, message: string): Message {
  return { jsonrpc: '2.0', id: id ?? null, error: { code: -32_000, message } }
}
