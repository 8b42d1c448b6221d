/** A small MCP server over standard input and output, for tests: one tool that tells where and how it runs. */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

const server = new McpServer({ name: 'test', version: '1.0.0' })
server.registerTool('where', { description: 'Tells where it runs' }, () => ({
  content: [
    { type: 'text', text: `in ${process.cwd().split('/').at(-1)} with ${process.env.GREETING ?? 'nothing'}` },
  ],
}))
await server.connect(new StdioServerTransport())
