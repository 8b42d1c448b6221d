import { expect, test } from 'vitest'
import { hideSecrets, type McpServers, serverSecrets } from './option.js'

const servers: McpServers = {
  net: {
    type: 'http',
    url: 'https://kim:canary-1@example.org/mcp?key=canary-2&page=3',
    headers: { authorization: 'canary-4' },
  },
  program: {
    command: 'serve',
    args: ['--port', '80', '--api-key', 'canary-5', '--token=canary-6', 'plain'],
    env: { A: 'canary-7' },
  },
}

test('secrets of a server are found in variables, headers, addresses and arguments', () => {
  expect(Object.values(servers).flatMap(serverSecrets)).toEqual([
    'canary-4',
    'canary-1',
    'canary-2',
    '3',
    'canary-7',
    'canary-5',
    'canary-6',
  ])
})

test('options are shown without them; what is no secret stays', () => {
  const shown = hideSecrets({ mcpServers: servers })
  expect(JSON.stringify(shown)).not.toContain('canary')
  expect(shown.mcpServers?.['program']).toMatchObject({
    command: 'serve',
    args: ['--port', '80', '--api-key', '(hidden)', '--token=(hidden)', 'plain'],
  })
  const plain = { mcpServers: { net: { type: 'http' as const, url: 'https://example.org/mcp' } } }
  expect(hideSecrets(plain)).toEqual(plain)
})
