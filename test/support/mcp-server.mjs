/** A small MCP server over standard input and output, for tests: it reports where it runs, and sends elicitations. */

import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'

const server = new McpServer({ name: 'test', version: '1.0.0' })
server.registerTool('where', { description: 'Tells where it runs' }, () => ({
  content: [
    { type: 'text', text: `in ${process.cwd().split('/').at(-1)} with ${process.env.GREETING ?? 'nothing'}` },
  ],
}))

/** Asks with a form. */
server.registerTool('register', { description: 'Registers somebody' }, async () => {
  const reply = await server.server.elicitInput({
    message: 'Who are you?',
    requestedSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', title: 'Your name', minLength: 2 },
        age: { type: 'integer', minimum: 0 },
        colour: { type: 'string', enum: ['red', 'blue'] },
        news: { type: 'boolean', default: false },
      },
      required: ['name', 'colour'],
    },
  })
  return { content: [{ type: 'text', text: `registered ${JSON.stringify(reply)}` }] }
})

/** Asks to visit a page. */
server.registerTool('visit', { description: 'Wants a page to be visited' }, async () => {
  const page = {
    mode: 'url',
    message: 'Please log in.',
    url: 'https://example.com/login',
    elicitationId: 'e1',
  }
  const reply = await server.server.elicitInput(page)
  return { content: [{ type: 'text', text: `visited ${JSON.stringify(reply)}` }] }
})

await server.connect(new StdioServerTransport())
