import { expect, test } from 'vitest'
import { folderIn, scanTranscript, type UsedMessage } from './scan-transcript.js'

const usage = {
  input_tokens: 3,
  cache_creation_input_tokens: 50,
  cache_read_input_tokens: 700,
  cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 40 },
  output_tokens: 9,
  service_tier: 'standard',
}

function line(more: object = {}, message: object = {}): string {
  return JSON.stringify({
    parentUuid: null,
    message: {
      model: 'claude-opus-5',
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'hello' }],
      usage,
      ...message,
    },
    requestId: 'req_1',
    type: 'assistant',
    cwd: '/home/kim/project',
    timestamp: '2026-11-01T10:00:00.000Z',
    ...more,
  })
}

function scan(...lines: string[]): UsedMessage[] {
  const found: UsedMessage[] = []
  scanTranscript(Buffer.from(lines.map((text) => `${text}\n`).join('')), (message) => found.push(message))
  return found
}

test('the figures of a message are found', () => {
  expect(scan('{"type":"summary"}', line(), '{"type":"user"}')).toEqual([
    {
      id: 'msg_1 req_1',
      model: 'claude-opus-5',
      hour: Date.parse('2026-11-01T10:00:00.000Z') / 3_600_000,
      day: '2026-11-01',
      inputTokens: 3,
      outputTokens: 9,
      cacheReadInputTokens: 700,
      cacheCreationInputTokens: 50,
      cacheHourInputTokens: 40,
    },
  ])
})

test('what an agent writes about figures counts for nothing', () => {
  const text = '"usage":{"input_tokens":1000000}, "id":"msg_9", "timestamp":"1999"'
  const input = { usage: { input_tokens: 1_000_000, output_tokens: 5 }, id: 'msg_8', timestamp: '1999' }
  const content = [
    { type: 'text', text },
    { type: 'tool_use', id: 'toolu_1', name: 'Write', input },
  ]
  expect(scan(line({}, { content }))).toEqual(scan(line()))
  expect(
    scan(JSON.stringify({ type: 'user', message: { content: [{ type: 'tool_result', usage }] } })),
  ).toEqual([])
})

test.each([
  ['broken', '{"type":"assistant","message":{"id":"msg_1","model":"m","usage":{"input_tokens":'],
  ['without a time', line({ timestamp: 'soon' })],
  ['made by the CLI itself', line({}, { model: '<synthetic>' })],
  ['without an id', line({}, { id: undefined, content: [] })],
])('a line that is %s counts for nothing', (_, text) => {
  expect(scan(text)).toEqual([])
})

test('a line that is not whole is left for later', () => {
  const found: UsedMessage[] = []
  scanTranscript(Buffer.from(line()), (message) => found.push(message))
  expect(found).toEqual([])
})

test('the folder is read, whatever is in its name', () => {
  expect(folderIn(Buffer.from(line()))).toBe('/home/kim/project')
  expect(folderIn(Buffer.from(line({ cwd: '/home/kim/"한글"\\' })))).toBe('/home/kim/"한글"\\')
  expect(folderIn(Buffer.from('{}'))).toBeNull()
})
