import { expect, test } from 'vitest'
import { Policy } from '../../protocol/policy/policy.js'
import type { PermissionMode } from '../../protocol/value.js'
import { evaluate } from '../evaluate.js'
import { emptyFileSystem } from '../file/file-system.js'
import { CONVERSATION_RULES } from '../source/conversation-rules.js'

function verdict(input: unknown, mode: PermissionMode = 'default'): string {
  const call = { tool: 'Skill', input, mode, cwd: '/w', home: '/home/dev', fs: emptyFileSystem }
  const { verdict: said, rule } = evaluate(call, Policy.parse({ rules: [...CONVERSATION_RULES] }))
  return `${said} ${rule}`
}

test('a skill is allowed, and so are files that the agent may read', () => {
  expect(verdict({ skill: 'review' })).toBe('allow read-only')
  expect(verdict({ skill: 'plugin:review', args: 'the last change, see @src/a.ts and 테스트' })).toBe(
    'allow read-only',
  )
})

const SPELLED = [
  '@.env',
  'see @.env, please',
  '@"./.env"',
  '@.env#L1-5',
  '.env',
  '"config/../.env"',
  '@.env:1',
  '@.env|',
  '@.env。',
  '@.env=',
  '@.env를',
  '.env、',
]

test.each(SPELLED)('arguments that mention a protected file are asked about: %s', (args) => {
  expect(verdict({ skill: 'review', args })).toBe('ask protected-read')
  expect(verdict({ skill: 'review', args }, 'acceptEdits')).toBe('ask protected-read')
})

test('arguments that mention a file outside the workspace are asked about', () => {
  expect(verdict({ skill: 'review', args: '@../other/notes.txt' })).toBe('ask outside-workspace')
  expect(verdict({ skill: 'review', args: '@/etc/hosts' })).toBe('ask outside-workspace')
})

test('fields that are not known, and arguments that are no text or endless, are asked about', () => {
  expect(verdict({ skill: 'review', shell: 'zsh' })).toBe('ask malformed')
  expect(verdict({ skill: 'review', args: ['@.env'] })).toBe('ask malformed')
  expect(verdict({ args: '' })).toBe('ask malformed')
  expect(verdict({ skill: 'review', args: '@server:secret://x' })).toBe('ask too-large')
  expect(verdict({ skill: 'review', args: `@${'a/'.repeat(3_000)}` })).toBe('ask too-large')
  const args = Array.from({ length: 5_000 }, (_, index) => `a${index}`).join(' ')
  expect(verdict({ skill: 'review', args })).toBe('ask too-large')
})
