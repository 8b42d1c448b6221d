import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createGuardedClient, type GuardedClientOptions, type OutboundRequest } from './guarded-client.js'

type Serve = (request: IncomingMessage, response: ServerResponse) => void

async function aServer(serve: Serve = (_, response) => response.end('fine')) {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`)
    serve(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, seen }
}

const LOOPBACK: GuardedClientOptions = { privateAddresses: ['127.0.0.1'] }

function ask(url: string, options: GuardedClientOptions = LOOPBACK, more: Partial<OutboundRequest> = {}) {
  return createGuardedClient(options).request({ method: 'GET', url, ...more })
}

test('a listed address is reached, and its response is returned whatever its status is', async () => {
  const { url } = await aServer((request, response) => {
    response.writeHead(request.method === 'POST' ? 201 : 418, { 'x-here': 'yes' })
    request.pipe(response)
  })

  const made = await ask(url, LOOPBACK, { method: 'POST', body: 'hello', headers: { 'x-mine': '1' } })

  expect([made.status, made.headers['x-here'], made.body.toString()]).toEqual([201, 'yes', 'hello'])
  expect((await ask(url)).status).toBe(418)
})

describe('what is not listed is refused before anything is sent', () => {
  test.each([
    'http://127.0.0.1:PORT/',
    'https://127.0.0.1:PORT/',
    'http://localhost:PORT/',
    'http://0x7f000001:PORT/',
    'http://2130706433:PORT/',
    'http://127.1:PORT/',
    'http://[::ffff:127.0.0.1]:PORT/',
    'http://0.0.0.0:PORT/',
    'http://169.254.169.254/latest/meta-data',
    'https://10.0.0.1/',
    'https://[fd00::1]/',
  ])('%s', async (url) => {
    const { port, seen } = await aServer()
    await expect(ask(url.replace('PORT', String(port)), {})).rejects.toMatchObject({
      problem: 'address_refused',
    })
    expect(seen).toEqual([])
  })

  test('plain http to a public address', async () => {
    await expect(ask('http://8.8.8.8/', LOOPBACK)).rejects.toMatchObject({ problem: 'address_refused' })
  })

  test('a listed address where only public ones are accepted', async () => {
    const { url, seen } = await aServer()
    await expect(ask(url, LOOPBACK, { isPublicOnly: true })).rejects.toMatchObject({
      problem: 'address_refused',
    })
    expect(seen).toEqual([])
  })

  test.each(['file:///etc/passwd', 'ftp://example.com/', 'data:text/plain,x'])('%s', async (url) => {
    await expect(ask(url)).rejects.toMatchObject({ problem: 'scheme_refused' })
  })

  test.each(['nonsense', 'https://user:secret@example.com/', ''])('%j', async (url) => {
    await expect(ask(url)).rejects.toMatchObject({ problem: 'url_invalid' })
  })
})

test('a name is resolved once, and the connection goes to the checked address', async () => {
  const { port, seen } = await aServer()
  const answers = ['127.0.0.1', '169.254.169.254']
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return [{ address: answers[asked.length - 1] ?? '', family: 4 }]
  }

  const { body } = await ask(`http://rebinding.example:${port}/x`, { ...LOOPBACK, resolve })

  expect([body.toString(), asked, seen]).toEqual(['fine', ['rebinding.example'], ['GET /x']])
})

test('a name with one forbidden address among others is refused', async () => {
  const resolve = async () => [
    { address: '8.8.8.8', family: 4 },
    { address: '10.0.0.1', family: 4 },
  ]
  await expect(ask('https://mixed.example/', { resolve })).rejects.toMatchObject({
    problem: 'address_refused',
  })
})

test('a redirect is not followed', async () => {
  const other = await aServer()
  const { url } = await aServer((_, response) => response.writeHead(302, { location: other.url }).end())
  await expect(ask(url)).rejects.toMatchObject({ problem: 'redirect_refused' })
  expect(other.seen).toEqual([])
})

test('a response that is too large, too slow or cut is a problem, not a hang', async () => {
  const large = await aServer((_, response) => response.end('x'.repeat(2_000)))
  await expect(ask(large.url, LOOPBACK, { maxBytes: 1_000 })).rejects.toMatchObject({
    problem: 'response_too_large',
  })
  const slow = await aServer(() => {})
  await expect(ask(slow.url, LOOPBACK, { timeoutMs: 50 })).rejects.toMatchObject({ problem: 'timeout' })
  const drop = await aServer((_, response) => {
    response.writeHead(200)
    response.flushHeaders()
    response.write('a')
  })
  await expect(ask(drop.url, LOOPBACK, { timeoutMs: 50 })).rejects.toMatchObject({ problem: 'timeout' })
  const cut = await aServer((request) => request.socket.destroy())
  await expect(ask(cut.url)).rejects.toMatchObject({ problem: 'unreachable' })
  const half = await aServer((request, response) => {
    response.writeHead(200, { 'content-length': '10' })
    response.write('half', () => request.socket.destroy())
  })
  await expect(ask(half.url)).rejects.toMatchObject({ problem: 'unreachable' })
})

test('a server that switches protocols is a problem, not a hang', async () => {
  const server = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo

  await expect(ask(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ problem: 'unreachable' })
})

test('a resolver that hangs ends with the timeout, and a signal cancels', async () => {
  const resolve = () => new Promise<never>(() => {})
  await expect(ask('https://slow.example/', { resolve }, { timeoutMs: 20 })).rejects.toMatchObject({
    problem: 'timeout',
  })
  const signal = AbortSignal.abort()
  await expect(ask('https://slow.example/', { resolve }, { signal })).rejects.toMatchObject({
    problem: 'cancelled',
  })
})

test('an error names the host and never the path, which may be a secret', async () => {
  const cut = await aServer((request) => request.socket.destroy())
  const error = await ask(`${cut.url}/bot-SECRET/send`).catch((problem: unknown) => problem)
  expect(String(error)).not.toContain('SECRET')
})
