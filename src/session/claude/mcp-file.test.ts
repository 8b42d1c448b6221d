import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { parseMcpFile, readMcpFile } from './mcp-file.js'

const parse = (value: unknown, env: Record<string, string> = {}) =>
  parseMcpFile(JSON.stringify(value), '/srv/app', env)

test('programs, servers on the network, folders and variables', () => {
  const servers = parse(
    {
      mcpServers: {
        files: {
          command: '${BIN:-node}',
          args: ['server.js', '${MISSING}'],
          cwd: './mcp',
          env: { KEY: '${KEY}' },
        },
        net: { type: 'http', url: 'https://${HOST}/mcp', headers: { authorization: 'Bearer ${KEY}' } },
        old: { type: 'sse', url: 'https://example.org/sse' },
      },
    },
    { KEY: 'k', HOST: 'example.org' },
  )

  expect(servers).toEqual({
    files: { command: 'node', args: ['server.js', ''], cwd: '/srv/app/mcp', env: { KEY: 'k' } },
    net: { type: 'http', url: 'https://example.org/mcp', headers: { authorization: 'Bearer k' } },
    old: { type: 'sse', url: 'https://example.org/sse' },
  })
})

test('no file and an empty one name no servers', async () => {
  expect(await readMcpFile(await temporaryFolder(), {})).toEqual({})
  expect(parse({})).toEqual({})
})

test.each([
  ['{ "mcpServers": ', /not valid JSON/],
  ['[]', /expected object/],
  ['{ "mcpServers": { "a": { "command": 7 } } }', /in a:/],
  ['{ "mcpServers": { "a": { "type": "http", "url": "nonsense" } } }', /in a:/],
  ['{ "mcpServers": { "a": {} } }', /in a:/],
])('what is wrong with %s is said', (text, problem) => {
  expect(() => parseMcpFile(text, '/srv/app', {})).toThrow(problem)
})
