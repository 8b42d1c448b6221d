/** A local server that stands for a service on the internet, and misbehaves on demand. */

import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface ReceivedRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export type PlannedReply =
  | { status: number; headers?: Record<string, string>; body?: string }
  /** The connection ends without a reply, before or after the request was taken. */
  | 'cut'
  | 'cut after'
  /** No reply at all. */
  | 'hang'

export interface FakeService {
  url: string
  requests: ReceivedRequest[]
  /** The next replies, in place of the usual one. */
  planned: PlannedReply[]
  /** Paths that planned replies do not concern. */
  close(): void
}

export async function startFakeService(
  usual: (request: ReceivedRequest) => PlannedReply | Promise<PlannedReply>,
): Promise<FakeService> {
  const service: FakeService = { url: '', requests: [], planned: [], close: () => {} }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url: path = '', headers } = request
      const received = { method, path, headers, body: Buffer.concat(chunks).toString() }
      const planned = service.planned.shift()
      if (planned === 'cut') {
        request.socket.destroy()
        return
      }
      if (typeof planned !== 'object') service.requests.push(received)
      void Promise.resolve(planned ?? usual(received)).then((reply) => {
        if (reply === 'hang') return
        if (typeof reply === 'string') request.socket.destroy()
        else if (!response.destroyed) response.writeHead(reply.status, reply.headers).end(reply.body ?? '')
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  service.close = () => {
    server.closeAllConnections()
    server.close()
  }
  onTestFinished(() => service.close())
  return service
}

export function json(body: unknown, status = 200): PlannedReply {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
