import { readFileSync, statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { hideArguments } from './hidden-argument.js'

test('servers with their variables go by way of a file that only its owner can read', async () => {
  const folder = await temporaryFolder()
  const servers = JSON.stringify({ mcpServers: { a: { command: 'x', env: { KEY: 'hush' } } } })
  const args = hideArguments(['--print', '--mcp-config', servers, '--verbose'], folder)

  expect(args).toEqual(['--print', '--mcp-config', expect.stringContaining(folder), '--verbose'])
  const file = args[2] ?? ''
  expect(readFileSync(file, 'utf8')).toBe(servers)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('so do settings, in either form; what standard input carries as well is left out', async () => {
  const folder = await temporaryFolder()
  const args = hideArguments(
    [
      '--settings={"a":"hush"}',
      '--json-schema={"x":"hush"}',
      '--json-schema',
      'hush',
      '--model=m',
      '--settings',
      'hush',
    ],
    folder,
  )

  expect(args).toEqual([
    '--settings',
    expect.stringContaining(folder),
    '--model=m',
    '--settings',
    expect.any(String),
  ])
  expect(readFileSync(args[1] ?? '', 'utf8')).toBe('{"a":"hush"}')
  expect(args.join()).not.toContain('hush')
})

test('other arguments stay as they are', () => {
  expect(hideArguments(['--print', '--mcp-config'], '/nowhere')).toEqual(['--print', '--mcp-config'])
})
