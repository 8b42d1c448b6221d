import { expect, test } from 'vitest'
import { aPerson } from '../../../test/support/build.js'
import type { Actor } from '../../protocol/value.js'
import { isVerbatim } from './verbatim.js'

const mayRead = async (path: string) => !path.includes('.env')
const sent = (text: string, from: Actor = aPerson) =>
  isVerbatim({ messageId: 'msg_1', text, whenBusy: 'inject', from }, mayRead)

test('a message that mentions only what the agent may read is looked into', async () => {
  expect(await sent('hello')).toBe(false)
  expect(await sent('/review @src/a.ts, thanks me@example.com')).toBe(false)
})

test('a message that mentions a file that would be asked about goes as written', async () => {
  expect(await sent('look at @.env')).toBe(true)
  expect(await sent('/review @src/a.ts @".env"')).toBe(true)
  const content = [{ type: 'text' as const, text: 'see @.env' }]
  const message = { messageId: 'msg_1', text: '', content, whenBusy: 'inject' as const, from: aPerson }
  expect(await isVerbatim(message, mayRead)).toBe(true)
  expect(await sent(Array.from({ length: 300 }, (_, index) => `@a${index}`).join(' '))).toBe(true)
})

test('a message of another agent neither mentions files nor calls commands', async () => {
  const agent: Actor = { who: 'planner', via: 'agent' }
  expect(await sent('read @src/a.ts', agent)).toBe(true)
  expect(await sent(' /review', agent)).toBe(true)
  expect(await sent('review the change', agent)).toBe(false)
})
