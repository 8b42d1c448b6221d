import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createQuickFetch } from './quick-fetch.js'

const quickFetch = createQuickFetch(false)

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // It listens on TCP.
  return `http://127.0.0.1:${port}/path?query=1`
}

test('what is asked arrives, and what is answered comes back', async () => {
  const url = await serve((request, response) => {
    const { method, headers } = request
    request.setEncoding('utf8').on('data', (body: string) => {
      response.writeHead(409, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ method, url: request.url, via: headers['signalbox-via'], body }))
    })
  })

  const reply = await quickFetch(url, {
    method: 'POST',
    headers: { 'signalbox-via': 'cli' },
    body: '{"text":"안녕"}',
  })

  expect(reply).toMatchObject({ ok: false, status: 409 })
  expect(await reply.json()).toEqual({
    method: 'POST',
    url: '/path?query=1',
    via: 'cli',
    body: '{"text":"안녕"}',
  })
})

test('a text that is cut between the bytes of a letter is put together', async () => {
  const bytes = Buffer.from('{"title":"한국어"}')
  const url = await serve((_, response) => {
    response.write(bytes.subarray(0, 11), () => response.end(bytes.subarray(11)))
  })
  const reply = await quickFetch(url, { method: 'GET', headers: {} })
  expect(await reply.json()).toEqual({ title: '한국어' })
})

test('nobody there, or an answer that breaks off, is a failure', async () => {
  await expect(quickFetch('http://127.0.0.1:1/', { method: 'GET', headers: {} })).rejects.toThrow()
  const url = await serve((_, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('{', () => response.destroy())
  })
  const reply = await quickFetch(url, { method: 'GET', headers: {} })
  await expect(reply.json()).rejects.toThrow()
})

test('what is followed comes piece by piece, until nobody wants it any more', async () => {
  let tellClosed = () => {}
  const isClosed = new Promise<void>((resolve) => {
    tellClosed = resolve
  })
  const url = await serve((_, response) => {
    response.write('one')
    response.on('close', tellClosed)
  })
  const leave = new AbortController()
  const reply = await quickFetch(url, { method: 'GET', headers: {}, signal: leave.signal })
  const reader = reply.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('one')
  leave.abort()
  await expect(reader?.read()).rejects.toThrow()
  await isClosed
})
