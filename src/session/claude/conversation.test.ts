import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { cutConversation } from './conversation.js'

const call = (id: string) => ({
  type: 'assistant',
  message: { content: [{ type: 'tool_use', id, name: 'Write', input: { content: '한국어' } }] },
})
const result = (id: string) => ({
  type: 'user',
  message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'the "tool_result" of t9' }] },
})

async function record(...lines: unknown[]) {
  const path = join(await temporaryFolder(), 'c.jsonl')
  await writeFile(
    path,
    lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  )
  return { path, lines: async () => (await readFile(path, 'utf8')).split('\n').slice(0, -1) }
}

test('what was written since the first result of a call is taken back, and nothing before it', async () => {
  const { path, lines } = await record(call('t1'), call('t2'), result('t1'), 'no json', result('t2'), {
    type: 'assistant',
  })

  await cutConversation(path, new Set(['t2']))

  expect(await lines()).toEqual(
    [call('t1'), call('t2'), result('t1')].map((line) => JSON.stringify(line)).concat('no json'),
  )
})

test('a record without such a result stays as it is', async () => {
  const { path, lines } = await record(call('t1'), result('t9'), call('t2'))

  await cutConversation(path, new Set(['t1', 't2']))

  expect(await lines()).toHaveLength(3)
})
