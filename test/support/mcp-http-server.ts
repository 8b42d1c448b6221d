/** MCP servers over the network, for tests: one as it is done now, at `/mcp`, and one as it was done before, at `/sse`. */

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'

/** Its tool `greet` says how it was called, and what was shown for it. */
function greeter(how: string, { headers }: IncomingMessage): McpServer {
  const server = new McpServer({ name: 'greeter', version: '1.0.0' })
  const text = `hello over ${how}, ${headers.authorization ?? 'whoever you are'}`
  server.registerTool('greet', { description: 'Says hello' }, () => ({ content: [{ type: 'text', text }] }))
  return server
}

export async function startMcpHttpServer(): Promise<{ url: string; close(): Promise<void> }> {
  const open = new Map<string, SSEServerTransport>()
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/mcp') {
      const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
      await greeter('http', request).connect(transport)
      return transport.handleRequest(request, response)
    }
    if (pathname === '/sse') {
      const transport = new SSEServerTransport('/messages', response)
      open.set(transport.sessionId, transport)
      return greeter('sse', request).connect(transport)
    }
    const transport = open.get(searchParams.get('sessionId') ?? '')
    if (transport) return transport.handlePostMessage(request, response)
    response.writeHead(404).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
