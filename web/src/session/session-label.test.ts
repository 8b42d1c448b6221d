import { expect, test } from 'vitest'
import type { InboxRequest, Session } from '../../../src/protocol/index.js'
import { statusText } from './session-label.js'

const waiting = { condition: null, state: 'permission' } as Session

const wanted = (toolName: string, title: string) => statusText(waiting, { toolName, title } as InboxRequest)

test('a session that waits for permission names the effect of the call', () => {
  expect(wanted('Write', 'Write: haiku.txt')).toBe('Wants to write haiku.txt')
  expect(wanted('Bash', 'Bash: npm test')).toBe('Wants to run npm test')
})

test('a tool with an unknown effect is named instead', () => {
  expect(wanted('Grep', 'Grep: needle')).toBe('Wants to use Grep: needle')
  expect(wanted('mcp__forms__ask', 'mcp__forms__ask')).toBe('Wants to use forms · ask')
  expect(wanted('Write', 'Write')).toBe('Wants to use Write')
})
