import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { streamedDelta } from './streamed-block.js'

const line = (event: unknown) =>
  `${JSON.stringify({ type: 'stream_event', event, parent_tool_use_id: null })}\n`
const BLOCK =
  line({ type: 'content_block_start' }) +
  line({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'so ' } }) +
  line({ type: 'content_block_delta', delta: { type: 'text_delta', text: 'far' } })
const TEXT = { kind: 'text', messageId: 'msg_1', index: 0, length: 6 } as const

test('the text so far is found behind a long output, without reading all of that', async () => {
  const path = join(await temporaryFolder(), 'out.jsonl')
  const before = Buffer.alloc(40 << 20, 'x')
  before[before.length - 1] = 10
  writeFileSync(path, Buffer.concat([before, Buffer.from(BLOCK)]))

  expect(streamedDelta(path, before.length + BLOCK.length, TEXT)).toEqual({
    type: 'text.delta',
    data: { messageId: 'msg_1', index: 0, offset: 0, text: 'so far' },
  })
})

test('a text whose start is not there any more is not shown in part', async () => {
  const path = join(await temporaryFolder(), 'out.jsonl')
  const [, ...rest] = BLOCK.split('\n')
  writeFileSync(path, rest.join('\n'))

  expect(streamedDelta(path, rest.join('\n').length, TEXT)).toBeNull()
})
