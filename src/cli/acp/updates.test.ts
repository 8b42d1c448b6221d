import { expect, test } from 'vitest'
import type { Delta, SessionEvent } from '../../protocol/event/event.js'
import { Updates } from './updates.js'

type Data = Record<string, unknown>
const SESSION = 'ses_01kz5w8qj3v9xkd2m4n6p8r0st'
const MESSAGE = 'msg_01kz5w8qj4v9xkd2m4n6p8r0st'

function setup(own: readonly string[] = [], hasNotices = false) {
  const updates = new Updates({ cwd: '/shop', isOwn: (id) => own.includes(id), hasNotices })
  return (type: string, data: Data) =>
    // Cast: the events of these tests are as the reducers tolerate them.
    updates.after({ type, data, sessionId: SESSION, at: '2026-11-15T12:00:00.000Z' } as unknown as
      | SessionEvent
      | Delta)
}

const block = (offset: number, text: string) => ({ messageId: 'm', index: 0, offset, text })
const textOf = (updates: ReturnType<ReturnType<typeof setup>>) =>
  updates.map((update) =>
    'content' in update && update.content && 'text' in update.content ? update.content.text : '',
  )

test('each piece of text is sent once, whatever a reconnect repeats', () => {
  const after = setup()
  const sent = [
    ...after('text.delta', block(0, 'Hel')),
    ...after('text.delta', block(3, 'lo')),
    ...after('text.delta', block(0, 'Hello wor')),
    ...after('text.ended', { messageId: 'm', index: 0, text: 'Hello world' }),
  ]
  expect(textOf(sent).join('')).toBe('Hello world')
  expect(textOf(after('text.ended', { messageId: 'm', index: 0, text: 'again' }))).toEqual(['again'])
})

test('the text of a subagent stays with the call that started it', () => {
  const after = setup()
  expect(after('text.ended', { messageId: 'm', index: 0, text: 'x', parentToolUseId: 't' })).toEqual([])
  expect(after('thinking.delta', { ...block(0, 'x'), agentId: 'a' })).toEqual([])
})

test('messages of others are shown when the agent reads them, and own and cancelled ones never', () => {
  const after = setup(['own'])
  after('message.queued', { messageId: 'own', text: 'mine' })
  after('message.queued', { messageId: 'gone', text: 'gone' })
  after('message.queued', {
    messageId: MESSAGE,
    text: 'look',
    content: [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
      { type: 'document', title: 'a.txt', source: { type: 'text', media_type: 'text/plain', data: 'a' } },
    ],
  })
  after('message.cancelled', { messageId: 'gone' })
  expect(after('message.delivered', { messageId: 'own' })).toEqual([])
  expect(after('message.delivered', { messageId: 'gone' })).toEqual([])
  expect(
    after('message.delivered', { messageId: MESSAGE }).map((update) => 'content' in update && update.content),
  ).toEqual([
    { type: 'text', text: 'look' },
    { type: 'image', mimeType: 'image/png', data: 'AAAA' },
    { type: 'text', text: '[attached: a.txt]' },
  ])
})

test('an edit is a diff with its place, and its state follows the call', () => {
  const after = setup()
  const input = { file_path: 'src/a.ts', old_string: 'one', new_string: 'two' }
  const diff = { type: 'diff', path: '/shop/src/a.ts', oldText: 'one', newText: 'two' }
  expect(after('tool.requested', { toolUseId: 't', name: 'Edit', input })).toMatchObject([
    {
      sessionUpdate: 'tool_call',
      kind: 'edit',
      status: 'pending',
      content: [diff],
      locations: [{ path: '/shop/src/a.ts' }],
    },
  ])
  expect(after('tool.started', { toolUseId: 't' })).toMatchObject([{ status: 'in_progress' }])
  expect(
    after('tool.ended', { toolUseId: 't', name: 'Edit', outcome: 'completed', result: {} }),
  ).toMatchObject([{ status: 'completed', content: [diff] }])
})

test('a file that was replaced is shown with its state before', () => {
  const after = setup()
  after('tool.requested', { toolUseId: 't', name: 'Write', input: { file_path: '/shop/a', content: 'new' } })
  const result = { type: 'update', originalFile: 'old', content: 'new' }
  expect(after('tool.ended', { toolUseId: 't', name: 'Write', outcome: 'completed', result })).toMatchObject([
    { content: [{ type: 'diff', path: '/shop/a', oldText: 'old', newText: 'new' }] },
  ])
})

test('a command and its output cannot leave their frame, and a long output is cut', () => {
  const after = setup()
  const command = 'echo ```\u202e'
  after('tool.requested', { toolUseId: 't', name: 'Bash', input: { command } })
  const stdout = `\`\`\`\u001b[31m${'x'.repeat(200_000)}`
  const [update] = after('tool.ended', {
    toolUseId: 't',
    name: 'Bash',
    outcome: 'completed',
    result: { stdout },
  })
  if (update?.sessionUpdate !== 'tool_call_update') throw new Error('unreachable')
  const texts = (update.content ?? []).map((part) =>
    part.type === 'content' && part.content.type === 'text' ? part.content.text : '',
  )
  expect(texts[0]).toBe('````sh\necho ```\ufffd\n````')
  expect(texts[1]).toMatch(/^````\n```\u241b\[31mx+/)
  expect(texts[1]?.length).toBeLessThan(101_000)
  expect(update.rawOutput).toBeUndefined()
})

test('a call that was denied says by whom', () => {
  const after = setup()
  after('tool.requested', { toolUseId: 't', name: 'Bash', input: { command: 'x' } })
  const [update] = after('tool.ended', { toolUseId: 't', name: 'Bash', outcome: 'denied', by: 'person: kim' })
  expect(update).toMatchObject({
    status: 'failed',
    content: [{ type: 'content', content: { type: 'text', text: 'denied by person: kim' } }],
  })
})

test('the tasks of the agent become the plan, and no calls', () => {
  const after = setup()
  const call = (name: string, id: string, input: Data, result: Data = {}) => [
    ...after('tool.requested', { toolUseId: id, name, input }),
    ...after('tool.started', { toolUseId: id }),
    ...after('tool.ended', { toolUseId: id, name, outcome: 'completed', result }),
  ]
  expect(call('TaskCreate', 'a', { subject: 'Read' }, { task: { id: '1' } })).toEqual([
    { sessionUpdate: 'plan', entries: [{ content: 'Read', status: 'pending', priority: 'medium' }] },
  ])
  expect(call('TaskUpdate', 'b', { taskId: '1', status: 'completed' })).toEqual([
    { sessionUpdate: 'plan', entries: [{ content: 'Read', status: 'completed', priority: 'medium' }] },
  ])
  expect(call('TaskList', 'c', {})).toEqual([])
  expect(call('TaskUpdate', 'd', { taskId: '1', status: 'deleted' })).toEqual([
    { sessionUpdate: 'plan', entries: [] },
  ])
  expect(call('TodoWrite', 'e', { todos: [{ content: 'Go', status: 'in_progress' }] })).toEqual([
    { sessionUpdate: 'plan', entries: [{ content: 'Go', status: 'in_progress', priority: 'medium' }] },
  ])
})

test('notices are for editors that show them', () => {
  const notice = { level: 'warning', topic: 'retry', text: 'The model does not answer.' }
  expect(setup()('notice.raised', notice)).toEqual([])
  expect(setup([], true)('notice.raised', notice)).toEqual([
    { sessionUpdate: 'notice', severity: 'warning', title: 'The model does not answer.' },
  ])
  expect(setup([], true)('notice.raised', { ...notice, level: 'info' })).toEqual([])
})
