import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { aToolContext } from '../../../test/support/tool-context.js'
import { AgentLimits } from '../../protocol/agent.js'
import { callTool } from '../call.js'
import { ToolRegistry } from '../registry.js'
import { jsonSchemaOf } from '../tool.js'
import { builtInTools } from './built-in.js'
import { formatTime, TOKEN_NAMES } from './date-format.js'

const clock = createManualClock(Date.UTC(2026, 10, 5, 3, 4, 5, 67))
const tools = new ToolRegistry(
  builtInTools({
    clock,
    guard: () => ({ allowed: true }),
    agents: { writer: {} },
    agentLimits: AgentLimits.parse({}),
    agentPort: {
      lineageOf: () => Promise.reject(new Error('unused')),
      run: () => Promise.reject(new Error('unused')),
    },
  }),
)

async function call(name: string, args: unknown, context = aToolContext()) {
  const tool = tools.get(name)
  if (!tool) throw new Error(`no tool ${name}`)
  const result = await callTool(tool, args, context)
  const [part] = result.content
  return `${result.isError ? 'failed: ' : ''}${part?.type === 'text' ? part.text : ''}`
}

const text = (description: string) => ({ type: 'string', description })

test('the six tools have exactly these inputs', () => {
  const inputs = Object.fromEntries(tools.published().map((tool) => [tool.name, jsonSchemaOf(tool)]))
  expect(inputs).toEqual({
    directory_lister: {
      type: 'object',
      properties: {
        targetPath: text('Directory path to list'),
        depth: { type: 'number', description: 'Maximum depth for listing' },
        excludePatterns: { type: 'array', items: { type: 'string' }, description: 'Patterns to exclude' },
        query: text('Search query'),
        searchMode: { type: 'string', enum: ['substring', 'glob', 'regex'], description: 'Search mode' },
      },
    },
    file_reader: {
      type: 'object',
      properties: {
        path: text('File path to read'),
        offset: { type: 'number', description: 'Start line number' },
        limit: { type: 'number', description: 'Number of lines to read' },
      },
      required: ['path'],
    },
    text_edit_tool: {
      type: 'object',
      properties: {
        path: text('File path to edit'),
        edits: {
          type: 'array',
          description: 'Array of edit operations',
          items: {
            type: 'object',
            properties: {
              old_text: text('Text to replace'),
              new_text: text('New text'),
              all_occurrences: { type: 'boolean', description: 'Replace all occurrences' },
            },
            required: ['old_text', 'new_text'],
          },
        },
      },
      required: ['path', 'edits'],
    },
    agent_caller: {
      type: 'object',
      properties: {
        target_agent: text('Target agent name'),
        message: text('Message to send to agent'),
        context: {
          type: 'object',
          propertyNames: { type: 'string' },
          additionalProperties: {},
          description: 'Additional context',
        },
      },
      required: ['target_agent', 'message'],
    },
    datetime: {
      type: 'object',
      properties: { format: text('Date format string'), timezone: text('Timezone') },
    },
    attempt_completion: {
      type: 'object',
      properties: {
        result: text('Completion result'),
        success: { type: 'boolean', description: 'Whether completion was successful' },
      },
      required: ['result'],
    },
  })
})

test.each([
  [{ timezone: 'UTC' }, '2026-11-05T03:04:05+00:00'],
  [{ timezone: 'Asia/Seoul' }, '2026-11-05T12:04:05+09:00'],
  [{ timezone: 'Asia/Kathmandu' }, '2026-11-05T08:49:05+05:45'],
  [{ timezone: 'America/New_York' }, '2026-11-04T22:04:05-05:00'],
  [{ timezone: 'America/St_Johns', format: 'Z ZZ z' }, '-03:30 -0330 America/St_Johns'],
  [{ timezone: 'UTC', format: 'date' }, '2026-11-05'],
  [{ timezone: 'UTC', format: 'time' }, '03:04:05'],
  [{ timezone: 'UTC', format: 'datetime' }, '2026-11-05 03:04:05'],
  [{ timezone: 'UTC', format: 'rfc2822' }, 'Thu, 05 Nov 2026 03:04:05 +0000'],
  [{ format: 'unix' }, '1793847845'],
  [{ format: 'unix_ms' }, '1793847845067'],
  [{ timezone: 'UTC', format: 'YYYY-MM-DDTHH:mm:ss.SSS' }, '2026-11-05T03:04:05.067'],
  [{ timezone: 'UTC', format: 'dddd D MMMM YY, h:mm a [Uhr m]' }, 'Thursday 5 November 26, 3:04 am Uhr m'],
  [{ timezone: 'Asia/Seoul', format: 'hh:m:s A, M/D H ddd MMM' }, '12:4:5 PM, 11/5 12 Thu Nov'],
  [{ timezone: 'UTC', format: 'YYYY년 MM월 DD일' }, '2026년 11월 05일'],
])('datetime %j', async (args, expected) => {
  expect(await call('datetime', args)).toBe(expected)
})

test.each([
  [{ timezone: 'Seoul' }, 'failed: Seoul is not a time zone. Did you mean Asia/Seoul?'],
  [
    { timezone: 'Mars/Base' },
    'failed: Mars/Base is not a time zone. Use a name as "Asia/Seoul", "Europe/Berlin" or "UTC".',
  ],
  [{ format: 'Q' }, 'failed: "Q" in the format means nothing. Tokens: YYYY'],
  [{ format: '%Y-%m' }, 'failed: "%" in the format means nothing.'],
  [{ format: 'Y'.repeat(201) }, 'failed: The format is longer than 200 characters.'],
])('datetime refuses %j', async (args, problem) => {
  expect(await call('datetime', args)).toContain(problem)
})

test('without a zone it is the zone of this machine', async () => {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  expect(await call('datetime', {})).toBe(formatTime(clock.now(), timeZone, 'iso'))
})

test.each(['Europe/Berlin', 'America/Santiago', 'Pacific/Chatham', 'Asia/Tehran'])(
  'in %s the time and its offset are one moment, in summer and winter',
  (zone) => {
    for (let month = 0; month < 12; month += 1) {
      const moment = Date.UTC(2026, month, 15, 12, 34, 56)
      expect(Date.parse(formatTime(moment, zone, 'iso'))).toBe(moment)
    }
  },
)

test('every token is written without another in it', () => {
  expect(TOKEN_NAMES.filter((name) => formatTime(clock.now(), 'UTC', name) === '')).toEqual([])
})

test('a completion is recorded as what the agent says', async () => {
  const context = aToolContext()
  expect(await call('attempt_completion', { result: 'All done' }, context)).toContain('is recorded')
  await call('attempt_completion', { result: 'No', success: false }, context)
  expect(context.completions).toEqual([
    { result: 'All done', success: true },
    { result: 'No', success: false },
  ])
})

test('a completion that cannot be recorded is a failure', async () => {
  const context = aToolContext({ complete: () => Promise.reject(new Error('The log is closed.')) })
  expect(await call('attempt_completion', { result: 'x' }, context)).toBe('failed: The log is closed.')
})
