import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { evaluate, grantFor, type PolicyCall } from './evaluate.js'
import { isInWorkspace } from './workspace-path.js'

function verdict(call: Partial<PolicyCall>): string {
  const { verdict: decided, rule } = evaluate({
    tool: 'Bash',
    input: {},
    mode: 'default',
    grants: [],
    now: '2026-11-15T12:00:00.000Z',
    isInWorkspace: (path) => path.startsWith('/work/'),
    ...call,
  })
  return `${decided} ${rule}`
}

test.each([
  ['Read', { file_path: '/work/a' }, 'allow read'],
  ['Read', { file_path: '/etc/hosts' }, 'ask no-rule'],
  ['Grep', { pattern: 'x', path: '/work/src' }, 'allow read'],
  ['Grep', { pattern: 'x', path: '/' }, 'ask no-rule'],
  ['Glob', { pattern: '**/*.ts' }, 'allow read'],
  ['Glob', { pattern: '/etc/*' }, 'ask no-rule'],
  ['Glob', { pattern: '../**' }, 'ask no-rule'],
  ['Glob', {}, 'ask no-rule'],
  ['TodoWrite', { todos: [] }, 'allow harmless'],
  ['Write', { file_path: '/work/a' }, 'ask no-rule'],
  ['Bash', { command: 'ls' }, 'ask no-rule'],
  ['WebFetch', { url: 'https://example.org' }, 'ask no-rule'],
  ['mcp__x__Read', { file_path: '/work/a' }, 'ask no-rule'],
  ['AskUserQuestion', {}, 'ask for-a-person'],
])('by default %s %j: %s', (tool, input, expected) => {
  expect(verdict({ tool, input })).toBe(expected)
})

test.each([
  ['acceptEdits', 'Write', { file_path: '/work/a' }, 'allow mode:acceptEdits'],
  ['acceptEdits', 'Write', { file_path: '/etc/passwd' }, 'ask no-rule'],
  ['acceptEdits', 'Write', {}, 'ask no-rule'],
  ['acceptEdits', 'Bash', { command: 'ls' }, 'ask no-rule'],
  ['bypassPermissions', 'Bash', { command: 'ls' }, 'allow mode:bypassPermissions'],
  ['bypassPermissions', 'AskUserQuestion', {}, 'ask for-a-person'],
  ['bypassPermissions', 'ExitPlanMode', {}, 'ask for-a-person'],
  ['bypassPermissions', 'Bash', { command: 'ls', dangerouslyDisableSandbox: true }, 'ask sandbox-escape'],
  ['dontAsk', 'Bash', { command: 'ls' }, 'deny mode:dontAsk'],
  ['dontAsk', 'Read', { file_path: '/work/a' }, 'allow read'],
  ['plan', 'Write', { file_path: '/work/a' }, 'ask no-rule'],
] as const)('in mode %s %s %j: %s', (mode, tool, input, expected) => {
  expect(verdict({ mode, tool, input })).toBe(expected)
})

describe('a grant', () => {
  const call = { tool: 'Bash', input: { command: 'npm test' } }

  test('holds for its tool and, for a shell, for its command', () => {
    const grants = [grantFor('Bash', call.input), grantFor('Write', { file_path: '/work/a' })]
    expect(verdict({ ...call, grants })).toBe('allow grant')
    expect(verdict({ tool: 'Bash', input: { command: 'npm test; rm -rf .' }, grants })).toBe('ask no-rule')
    expect(verdict({ tool: 'Write', input: { file_path: '/elsewhere' }, grants })).toBe('allow grant')
    expect(verdict({ tool: 'Edit', input: { file_path: '/work/a' }, grants })).toBe('ask no-rule')
  })

  test('ends when its time is up', () => {
    const grant = grantFor('Bash', call.input)
    expect(verdict({ ...call, grants: [{ ...grant, until: '2026-11-15T12:00:00.001Z' }] })).toBe(
      'allow grant',
    )
    expect(verdict({ ...call, grants: [{ ...grant, until: '2026-11-15T12:00:00.000Z' }] })).toBe(
      'ask no-rule',
    )
  })
})

test.each([null, undefined, 7, 'text', [], { command: null }, { file_path: {} }])(
  'input of the wrong shape asks: %j',
  (input) => {
    for (const tool of ['Bash', 'Read', 'Write', '']) expect(verdict({ tool, input })).toMatch(/^ask/)
  },
)

test('a path is in the workspace only if it is there once links and dots are followed', async () => {
  const folder = await temporaryFolder()
  const workspace = join(folder, 'project')
  await mkdir(join(workspace, 'src'), { recursive: true })
  await writeFile(join(folder, 'secret'), '')
  await symlink(join(folder, 'secret'), join(workspace, 'link'))
  await symlink(folder, join(workspace, 'out'))

  const inside = ['', '.', 'src', 'src/new/file.ts', join(workspace, 'a'), '..x']
  const outside = [
    '..',
    '../secret',
    'src/../../secret',
    'link',
    'out/secret',
    'out/new',
    '/',
    `${workspace}-2/a`,
    '~/a',
    '~root',
  ]
  expect(inside.filter((path) => !isInWorkspace(workspace, path))).toEqual([])
  expect(outside.filter((path) => isInWorkspace(workspace, path))).toEqual([])
})
