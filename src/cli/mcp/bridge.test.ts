/** The MCP server on standard input and output: messages pass, and the client does not notice a restart of the daemon. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { type BoundedLine, boundedLines } from './bounded-lines.js'
import { runBridge } from './bridge.js'

interface Message {
  id?: number | string | null
  method?: string
  params?: { uri?: string }
  result?: unknown
  error?: { message: string }
}

/** A daemon as far as the bridge sees it. */
async function startDaemon(onCall: (message: Message) => void = () => {}): Promise<Server & { url: string }> {
  const sessions = new Set<string>()
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const session = String(request.headers['mcp-session-id'])
    const message = request.method === 'POST' ? ((await bodyOf(request)) as Message) : {}
    onCall({ ...message, ...(request.method !== 'POST' && { method: request.method ?? '' }) })
    if (message.method !== 'initialize' && !sessions.has(session))
      return void response.writeHead(404).end('{}')
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': open\n\n')
      return
    }
    if (message.id === undefined) return void response.writeHead(202).end()
    const id = message.method === 'initialize' ? `s${sessions.size}-${Math.random()}` : session
    sessions.add(id)
    response.writeHead(200, { 'mcp-session-id': id })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { did: message.method } }))
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => stop(server))
  const { port } = server.address() as AddressInfo // It listens on TCP.
  return Object.assign(server, { url: `http://127.0.0.1:${port}` })
}

async function stop(server: Server): Promise<void> {
  if (!server.listening) return
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = ''
  for await (const part of request) text += String(part)
  return JSON.parse(text)
}

function startBridge(address: () => { url: string; token: string } | null) {
  const input = new PassThrough()
  const output = new PassThrough()
  const lines: Message[] = []
  createInterface({ input: output }).on('line', (line) => lines.push(JSON.parse(line) as Message))
  const done = runBridge({ input, output, address, isWithin: false })
  onTestFinished(async () => {
    input.end()
    await done
  })
  const reply = async (id: number | null) => {
    await expect.poll(() => lines.some((line) => line.id === id)).toBe(true)
    return lines.find((line) => line.id === id)
  }
  return { lines, reply, send: (message: unknown) => void input.write(`${JSON.stringify(message)}\n`), input }
}

const INITIALIZE = { jsonrpc: '2.0', id: 0, method: 'initialize', params: {} }

test('the client keeps its session and its subscriptions when the daemon restarts', async () => {
  const first = await startDaemon()
  let url = first.url
  const { send, reply, lines } = startBridge(() => ({ url, token: 't' }))
  send(INITIALIZE)
  expect(await reply(0)).toMatchObject({ result: { did: 'initialize' } })
  send({ jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'signalbox://inbox' } })
  await reply(1)

  await stop(first)
  const calls: Message[] = []
  url = (await startDaemon((message) => calls.push(message))).url
  send({ jsonrpc: '2.0', id: 2, method: 'tools/list' })

  expect(await reply(2)).toMatchObject({ result: { did: 'tools/list' } })
  const again = calls.filter(({ method }) => method === 'resources/subscribe')
  expect(again).toMatchObject([{ params: { uri: 'signalbox://inbox' } }])
  // The bridge cannot know what has changed meanwhile, so it reports all as changed.
  await expect
    .poll(() => lines.find(({ method }) => method === 'notifications/resources/updated'), { timeout: 5_000 })
    .toMatchObject({ params: { uri: 'signalbox://inbox' } })
})

test('without a daemon each request gets an error that says what to do', async () => {
  const { send, reply } = startBridge(() => null)
  send(INITIALIZE)
  expect((await reply(0))?.error?.message).toMatch(/signalbox start/)
})

test('lines that are too long or no JSON are refused by their id, and the next one passes', async () => {
  const { url } = await startDaemon()
  const { send, reply, input } = startBridge(() => ({ url, token: 't' }))
  send(INITIALIZE)
  await reply(0)
  send({ method: 'tools/call', params: { text: 'x'.repeat(3_000_000) }, jsonrpc: '2.0', id: 5 })
  expect((await reply(5))?.error?.message).toMatch(/larger than/)
  input.write('not JSON\n')
  expect((await reply(null))?.error?.message).toMatch(/not a JSON-RPC message/)
  send({ jsonrpc: '2.0', id: 6, method: 'ping' })
  expect(await reply(6)).toMatchObject({ result: { did: 'ping' } })
})

test('a line without an end takes no memory', async () => {
  const input = new PassThrough()
  const lines: BoundedLine[] = []
  const reading = (async () => {
    for await (const line of boundedLines(input, 10)) lines.push(line)
  })()
  input.write('short\nabcdefgh')
  for (let count = 0; count < 1_000; count += 1) input.write('x'.repeat(1_000))
  input.end('the end\nlast')
  await reading
  expect(lines).toMatchObject([{ text: 'short' }, { tooLong: true }, { text: 'last' }])
  expect(JSON.stringify(lines).length).toBeLessThan(1_000)
})
