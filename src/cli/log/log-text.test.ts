import { expect, test } from 'vitest'
import { isLogEntry, isSdkLine, parseLine } from './log-line.js'
import { entryText, sdkText } from './log-text.js'

const entry = { time: '2026-11-18T08:00:00.000Z', level: 'error' } as const

test('an entry says what happened, then why, then the details, without the stack', () => {
  expect(entryText({ ...entry, message: 'storage_unavailable', error: 'The disk is full.', code: 'x' })).toBe(
    'Storage unavailable: The disk is full. (code x)',
  )
  expect(entryText({ ...entry, message: 'fault', error: 'No route.\nHere', stack: 'Error: at' })).toBe(
    'No route. Here',
  )
  expect(entryText({ ...entry, message: 'started', pid: 7, model: 'scripted' })).toBe(
    'Started (pid 7, model scripted)',
  )
})

test('text of others cannot act on the terminal, and is bounded', () => {
  expect(entryText({ ...entry, message: 'fault', error: 'a\u001b[2Jb\u202e' })).toBe('a␛[2Jb�')
  expect(entryText({ ...entry, message: 'fault', error: 'x'.repeat(10_000) })).toHaveLength(401)
})

test.each([
  [{ type: 'user', message: { content: 'fix it' } }, '→ user: fix it'],
  [
    {
      type: 'assistant',
      message: {
        content: [
          { type: 'thinking', thinking: 'Hm.' },
          { type: 'text', text: 'I read **it**.' },
          { type: 'tool_use', name: 'Read', input: { file_path: 'a.ts' } },
        ],
      },
    },
    '→ assistant: (thinking) Hm. · I read **it**. · Read: a.ts',
  ],
  [
    {
      type: 'user',
      message: { content: [{ type: 'tool_result', content: [{ type: 'text', text: 'done' }] }] },
    },
    '→ user: (result) done',
  ],
  [
    { type: 'result', subtype: 'success', result: 'All good.', duration_ms: 1_234, total_cost_usd: 0.5 },
    '→ result success: All good. (1.2 s, $0.50)',
  ],
  [{ type: 'system', subtype: 'init', tools: [] }, '→ system init'],
  [{ content: [{ type: 'image', source: { data: 'x'.repeat(10_000) } }] }, '→ message: (image)'],
  ['a text', '→ message'],
  [null, '→ message'],
])('a message in one line: %j', (data, expected) => {
  const line = { timestamp: entry.time, sessionId: 'ses_1', direction: 'input', data } as const
  expect(sdkText(line)).toBe(expected)
})

test('a line of another shape is no entry', () => {
  for (const line of ['', 'null', '"a"', '{"time":', '{"time":"soon","level":"info","message":"m"}'])
    expect([isLogEntry(parseLine(line)), isSdkLine(parseLine(line))]).toEqual([false, false])
})
