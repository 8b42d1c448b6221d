/**
 * The decision table of `classic`: mode by tool by pattern. Each expected cell is derived from the documented order of
 * steps.
 */

import { describe, expect, test } from 'vitest'
import { Policy, type PolicyInput } from '../protocol/policy/policy.js'
import type { PermissionMode } from '../protocol/value.js'
import { evaluate } from './evaluate.js'
import { emptyFileSystem } from './file/file-system.js'

const MODES = ['default', 'acceptEdits', 'bypassPermissions'] as const
const AUTO_ALLOWED = ['Read', 'Glob', 'Grep', 'WebSearch', 'WebFetch', 'TodoWrite']
const ACCEPTED = ['Edit', 'Write', 'Bash', 'NotebookEdit']
const OTHERS = [
  'MultiEdit',
  'Task',
  'Agent',
  'Skill',
  'ExitPlanMode',
  'mcp__files__write',
  'Monitor',
  'unknown',
]

/** An input that a tool may be called with; `danger` is the reason for a denial, null without one. */
interface Pattern {
  name: string
  input: unknown
  danger: string | null
}

const plainPath: Pattern = { name: 'an ordinary file', input: { file_path: '/w/src/a.ts' }, danger: null }
const files: Pattern[] = [
  plainPath,
  ...['.env', '.env.local', 'app.secret', 'db.credentials', 'user.password', 'config/credentials.json'].map(
    (name) => ({ name, input: { file_path: `/w/${name}` }, danger: 'Protected file' }),
  ),
  ...['src/password-form.tsx', '.env.example', 'environment.ts', 'secretary.txt'].map((name) => ({
    name,
    input: { file_path: `/w/${name}` },
    danger: null,
  })),
]
const commands: Pattern[] = [
  ...['rm -rf /', "r''m -rf /", 'sudo rm -fr ~', 'format C:', 'shutdown -h now', 'mkfs.ext4 /dev/sda1'].map(
    (command) => ({ name: command, input: { command }, danger: 'Dangerous command' }),
  ),
  ...['ls', 'npm run format', 'npm run shutdown:test', 'rm -rf dist', 'echo "rm -rf /"', 'git push'].map(
    (command) => ({
      name: command,
      input: { command },
      danger: null,
    }),
  ),
]

const patternsOf = (tool: string): Pattern[] => {
  if (tool === 'Edit' || tool === 'Write') return files
  if (tool === 'Bash' || tool === 'Monitor') return commands
  return [plainPath, { name: 'a protected file', input: { file_path: '/w/.env' }, danger: null }]
}

interface Cell {
  mode: PermissionMode
  tool: string
  pattern: Pattern
}

const cells: Cell[] = MODES.flatMap((mode) =>
  ['AskUserQuestion', ...AUTO_ALLOWED, ...ACCEPTED, ...OTHERS].flatMap((tool) =>
    patternsOf(tool).map((pattern) => ({ mode, tool, pattern })),
  ),
)

/** The five steps in their documented order. */
function expected({ mode, tool, pattern }: Cell, { denyFirst }: { denyFirst: boolean }): string {
  if (tool === 'AskUserQuestion') return 'ask'
  if (denyFirst && pattern.danger !== null) return `deny: ${pattern.danger}`
  if (mode === 'bypassPermissions') return 'allow'
  if (mode === 'acceptEdits' && ACCEPTED.includes(tool)) return 'allow'
  if (AUTO_ALLOWED.includes(tool)) return 'allow'
  return pattern.danger === null ? 'ask' : `deny: ${pattern.danger}`
}

function decided({ mode, tool, pattern }: Cell, policy: PolicyInput): string {
  const { verdict, reason } = evaluate(
    { tool, input: pattern.input, mode, cwd: '/w', home: '/home/dev', fs: emptyFileSystem },
    Policy.parse({ preset: 'classic', ...policy }),
  )
  return verdict === 'deny' ? `deny: ${reason}` : verdict
}

describe.each([false, true])('denyFirst %s', (denyFirst) => {
  test.each(cells.map((cell) => [cell.mode, cell.tool, cell.pattern.name, cell] as const))(
    '%s, %s, %s',
    (_, __, ___, cell) => {
      expect(decided(cell, { denyFirst })).toBe(expected(cell, { denyFirst }))
    },
  )
})

test('the tools that are allowed by themselves can be chosen', () => {
  const fetch = { mode: 'default', tool: 'WebFetch', pattern: plainPath } as const
  const task = { mode: 'default', tool: 'Task', pattern: plainPath } as const
  expect(decided(fetch, { autoAllowTools: ['Task'] })).toBe('ask')
  expect(decided(task, { autoAllowTools: ['Task'] })).toBe('allow')
})

test('to leave the sandbox is asked under classic as well', () => {
  const input = { command: 'ls', dangerouslyDisableSandbox: true }
  for (const mode of MODES) {
    expect(decided({ mode, tool: 'Bash', pattern: { name: '', input, danger: null } }, {})).toBe('ask')
  }
})
