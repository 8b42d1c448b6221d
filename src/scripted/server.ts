/** The scripted model: a server on loopback that speaks the Messages API from a script. */

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { chooseRule, fill } from './choose.js'
import { errorType } from './error-type.js'
import { playReply, prepareReply, type Reply, wholeMessage } from './reply.js'
import { type MessagesRequest, readFacts } from './request.js'
import { checkScript, type Script, type ScriptInput } from './script.js'
import { checkHeaders, checkRequest } from './validate.js'

const MAX_BODY_BYTES = 32 * 1024 * 1024
const MAX_RECORDED = 1_000

/** A request to the model, and the rule that answered it (its place in the script, or null). */
export interface RecordedRequest {
  call: number
  at: string
  path: string
  status: number
  rule: number | null
  body: unknown
}

export interface ScriptedModel {
  /** The value for ANTHROPIC_BASE_URL. */
  readonly url: string
  /** The newest thousand requests, oldest first. */
  readonly requests: readonly RecordedRequest[]
  /** Replaces the script; counters start again. */
  use(script: ScriptInput): void
  /** Lets the process end while the model is still open. */
  unref(): void
  close(): Promise<void>
}

export async function startScriptedModel(
  script: ScriptInput,
  options: { port?: number; host?: string } = {},
): Promise<ScriptedModel> {
  const model = new Model(checkScript(script))
  const server = createServer((request, response) => {
    model.handle(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy()
      else refuse(response, 500, error instanceof Error ? error.message : 'unknown failure')
    })
  })
  const host = options.host ?? '127.0.0.1'
  server.listen(options.port ?? 0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // A server that listens on TCP has an AddressInfo.
  return {
    url: `http://${host}:${port}`,
    requests: model.requests,
    use: (next) => model.use(checkScript(next)),
    unref: () => void server.unref(),
    close: () => close(server),
  }
}

async function close(server: Server): Promise<void> {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

class Model {
  readonly requests: RecordedRequest[] = []
  #script: Script
  #used: number[] = []
  #calls = 0
  #ids = 0
  /** Ids must differ from those of a previous run: conversations outlive the server. */
  readonly #life = randomBytes(4).toString('hex')

  constructor(script: Script) {
    this.#script = script
  }

  use(script: Script): void {
    this.#script = script
    this.#used = []
    this.#calls = 0
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '/').split('?')[0] ?? '/'
    response.setHeader('request-id', `req_${(this.#ids += 1)}`)
    const route = `${request.method} ${path}`
    if (route === 'GET /__requests') return json(response, 200, { requests: this.requests })
    if (route === 'GET /v1/models') return json(response, 200, MODELS)
    if (route !== 'POST /v1/messages' && route !== 'POST /v1/messages/count_tokens') {
      return refuse(response, 404, `Not found: ${route}`)
    }

    const body = await readBody(request)
    if (body === null) return refuse(response, 413, 'Request exceeds the maximum size')
    const record = this.#record(path, body.value)
    const refusal = body.isJson ? checkHeaders(request.headers) : NOT_JSON
    if (refusal) return this.#refuse(response, record, refusal.status, refusal.message)
    if (path.endsWith('/count_tokens')) {
      return json(response, 200, { input_tokens: Math.ceil(JSON.stringify(body.value).length / 4) })
    }
    const checked = checkRequest(body.value)
    if ('refusal' in checked)
      return this.#refuse(response, record, checked.refusal.status, checked.refusal.message)
    await this.#answer(checked.request, record, response)
  }

  #record(path: string, body: unknown): RecordedRequest {
    if (path === '/v1/messages') this.#calls += 1
    const record = { call: this.#calls, at: new Date().toISOString(), path, status: 200, rule: null, body }
    this.requests.push(record)
    if (this.requests.length > MAX_RECORDED) this.requests.shift()
    return record
  }

  #refuse(response: ServerResponse, record: RecordedRequest, status: number, message: string): void {
    record.status = status
    refuse(response, status, message)
  }

  async #answer(request: MessagesRequest, record: RecordedRequest, response: ServerResponse): Promise<void> {
    const facts = readFacts(request)
    const choice = chooseRule(this.#script.rules, facts, record.call, this.#used)
    if (choice) this.#used[choice.index] = (this.#used[choice.index] ?? 0) + 1
    record.rule = choice?.index ?? null
    const id = (this.#ids += 1)
    let tools = 0
    const reply = prepareReply(choice ? fill(choice.rule.reply, choice.values) : NO_RULE, {
      messageId: `msg_${this.#life}_${id}`,
      model: request.model,
      defaults: this.#script.defaults,
      usage: choice?.rule.usage,
      newToolId: () => `toolu_${this.#life}_${id}_${(tools += 1)}`,
    })
    const early = reply.parts.find((part) => part.kind !== 'wait')
    if (early?.kind === 'fail') record.status = early.status
    if (request.stream) await stream(reply, response)
    else await answerWhole(reply, response)
  }
}

async function stream(reply: Reply, response: ServerResponse): Promise<void> {
  for (const action of playReply(reply)) {
    if (response.destroyed) return
    if (action.kind === 'wait') await wait(action.ms)
    else if (action.kind === 'cut') return cut(response)
    else if (action.kind === 'fail') return fail(response, action)
    else await write(response, action.event)
  }
  response.end()
}

/** Breaks the connection, behind what was sent so far. */
async function cut(response: ServerResponse): Promise<void> {
  if (response.headersSent) await new Promise((resolve) => response.write('\n', resolve))
  response.destroy()
}

async function write(response: ServerResponse, event: { type: string }): Promise<void> {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  const isFlushed = response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  if (isFlushed || response.destroyed) return
  const waited = new AbortController()
  const { signal } = waited
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })].map(quietly))
  waited.abort()
}

/** The loser of a race is cancelled, which rejects it. */
function quietly(happening: Promise<unknown>): Promise<unknown> {
  return happening.catch(() => {})
}

async function answerWhole(reply: Reply, response: ServerResponse): Promise<void> {
  for (const part of reply.parts) {
    if (part.kind === 'wait') await wait(part.ms)
    if (part.kind === 'cut') return void response.destroy()
    if (part.kind === 'fail') return fail(response, part)
  }
  json(response, 200, wholeMessage(reply))
}

interface Failure {
  status: number
  message: string
  headers: Readonly<Record<string, string>>
}

/** A status while nothing is sent yet, an error event afterwards. */
function fail(response: ServerResponse, { status, message, headers }: Failure): void {
  if (!response.headersSent) return refuse(response, status, message, headers)
  const event = { type: 'error', error: { type: errorType(status), message } }
  response.end(`event: error\ndata: ${JSON.stringify(event)}\n\n`)
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Failure['headers'] = {},
): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  json(response, status, { type: 'error', error: { type: errorType(status), message } })
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
}

interface Body {
  value: unknown
  isJson: boolean
}

/** Null: too large. */
async function readBody(request: IncomingMessage): Promise<Body | null> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY_BYTES) return null
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    return { value: JSON.parse(text), isJson: true }
  } catch {
    return { value: text, isJson: false }
  }
}

const NOT_JSON = { status: 400, message: 'The request body is not valid JSON' }

const NO_RULE = [{ text: 'No rule of the script matches this request.' }]

const MODELS = {
  data: ['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'].map((id) => ({
    type: 'model',
    id,
    display_name: id,
    created_at: '2026-01-01T00:00:00Z',
  })),
  has_more: false,
  first_id: null,
  last_id: null,
}
