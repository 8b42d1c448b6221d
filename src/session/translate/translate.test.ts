import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readRecording, recordedSituations } from '../../../test/support/fixtures.js'
import { replay, run } from '../../../test/support/replay.js'
import { DeltaDraft, EventDraft } from '../../protocol/event/event.js'
import type { Usage } from '../../protocol/value.js'
import { type Emission, newTranslationState } from './state.js'
import type { SessionInput } from './translate.js'

/** Events in short: type and what distinguishes it. Fragments and changes of activity are left out. */
function brief(output: readonly Emission[]): string[] {
  return output.flatMap((item): string[] => {
    switch (item.type) {
      case 'text.delta':
      case 'thinking.delta':
      case 'tool.input.delta':
        return []
      case 'session.changed':
        return item.data.activity === undefined &&
          item.data.contextTokens === undefined &&
          item.data.turnUsage === undefined
          ? [`session.changed ${JSON.stringify(item.data)}`]
          : []
      case 'turn.started':
        return [`turn.started ${item.data.origin.kind}`]
      case 'turn.ended':
        return [`turn.ended ${item.data.outcome} ${item.data.stopReason}`]
      case 'tool.requested':
        return [`tool.requested ${item.data.name}${item.data.agentId ? ' of an agent' : ''}`]
      case 'tool.ended':
        return [
          `tool.ended ${item.data.name} ${item.data.outcome}${item.data.by ? ` by ${item.data.by}` : ''}`,
        ]
      case 'text.ended':
      case 'thinking.ended':
        return [`${item.type} ${item.data.agentId ? 'of an agent: ' : ''}${item.data.text.split('\n')[0]}`]
      case 'agent.started':
        return [`agent.started ${item.data.isBackground ? 'in the background' : 'in the foreground'}`]
      case 'notice.raised':
        return [`notice.raised ${item.data.level} ${item.data.topic}`]
      default:
        return [item.type]
    }
  })
}

const BEGIN = ['turn.started person', 'message.delivered', 'session.started']
const AGAIN = ['turn.started person', 'message.delivered']

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'tool-allowed': [
    ...BEGIN,
    'thinking.ended A file, then.',
    'text.ended I will write it.',
    'tool.requested Write',
    'tool.started',
    'tool.ended Write completed',
    'text.ended Done.',
    'turn.ended completed finished',
    ...AGAIN,
    'text.ended ok',
    'turn.ended completed finished',
  ],
  'tools-parallel': [
    ...BEGIN,
    'tool.requested Write',
    'tool.requested Write',
    'tool.started',
    'tool.ended Write completed',
    'tool.started',
    'tool.ended Write completed',
    'text.ended Done.',
    'turn.ended completed finished',
  ],
  'tool-denied': [
    ...BEGIN,
    'tool.requested Write',
    'tool.ended Write denied by person: kim',
    'text.ended Not then.',
    'turn.ended completed finished',
  ],
  'tool-denied-by-hook': [
    ...BEGIN,
    'tool.requested Write',
    'tool.judged',
    'tool.ended Write denied by policy',
    'text.ended Not then.',
    'turn.ended completed finished',
  ],
  'tool-failed': [
    ...BEGIN,
    'tool.requested Bash',
    'tool.started',
    'tool.ended Bash failed',
    'text.ended It failed.',
    'turn.ended completed finished',
  ],
  'tool-input-invalid': [
    ...BEGIN,
    'tool.requested Read',
    'tool.ended Read failed',
    'text.ended Wrong input.',
    'turn.ended completed finished',
  ],
  'interrupted-in-text': [
    ...BEGIN,
    'text.ended word word wo',
    'turn.ended interrupted interrupted',
    ...AGAIN,
    'text.ended ok',
    'turn.ended completed finished',
  ],
  'interrupted-in-tool': [
    ...BEGIN,
    'tool.requested Bash',
    'tool.started',
    'tool.ended Bash cancelled by interrupt',
    'turn.ended interrupted interrupted',
    ...AGAIN,
    'text.ended ok',
    'turn.ended completed finished',
  ],
  'interrupted-in-permission': [
    ...BEGIN,
    'tool.requested Write',
    'tool.ended Write cancelled by interrupt',
    'turn.ended interrupted interrupted',
    ...AGAIN,
    'text.ended ok',
    'turn.ended completed finished',
  ],
  question: [
    ...BEGIN,
    'tool.requested AskUserQuestion',
    'tool.started',
    'tool.ended AskUserQuestion completed',
    'text.ended SQLite it is.',
    'turn.ended completed finished',
  ],
  'message-injected': [
    ...BEGIN,
    'tool.requested Bash',
    'tool.started',
    'tool.ended Bash completed',
    'message.delivered',
    'text.ended Both then.',
    'turn.ended completed finished',
  ],
  'api-error': [...BEGIN, 'notice.raised error api', 'turn.ended failed api_error'],
  'api-retried': [
    ...BEGIN,
    'session.changed {"condition":"retrying","conditionDetail":{"attempt":1,"maxAttempts":10,"nextTryAt":"1970-01-01T00:00:01.557Z","reason":"overloaded"}}',
    'notice.raised warning retry',
    'session.changed {"condition":null}',
    'text.ended At last.',
    'turn.ended completed finished',
  ],
  'max-turns': [
    ...BEGIN,
    'tool.requested Bash',
    'tool.started',
    'tool.ended Bash completed',
    'tool.requested Bash',
    'tool.started',
    'tool.ended Bash completed',
    'turn.ended failed max_turns',
  ],
  refusal: [
    ...BEGIN,
    'text.ended I can not.',
    'notice.raised info claude',
    'sdk.message',
    'text.ended I can not.',
    'notice.raised warning model',
    'notice.raised error api',
    'turn.ended failed refusal',
  ],
  'slash-command': [...BEGIN, 'text.ended ## Context Usage', 'turn.ended completed finished'],
  'subagent-foreground': [
    ...BEGIN,
    'tool.requested Agent',
    'tool.started',
    'agent.started in the foreground',
    'sdk.message',
    'text.ended of an agent: Looking.',
    'task.progressed',
    'tool.requested Bash of an agent',
    'tool.started',
    'tool.ended Bash completed',
    'text.ended of an agent: Found nothing.',
    'agent.ended',
    'tool.ended Agent completed',
    'text.ended The scout found nothing.',
    'turn.ended completed finished',
  ],
  'subagent-background': [
    ...BEGIN,
    'tool.requested Agent',
    'tool.started',
    'agent.started in the background',
    'tool.ended Agent completed',
    'text.ended The scout is on its way.',
    'turn.ended completed finished',
    'text.ended of an agent: Found nothing.',
    'agent.ended',
    'turn.started task',
    'text.ended The scout is back.',
    'turn.ended completed finished',
  ],
}

describe('what the real CLI says', () => {
  test('every recorded situation is expected here', () => {
    expect(Object.keys(EXPECTED).toSorted()).toEqual(recordedSituations().toSorted())
  })

  test.each(Object.keys(EXPECTED))('%s', (name) => {
    const { state, output } = replay(name)

    expect(brief(output)).toEqual(EXPECTED[name])
    expect({ turn: state.turn, tools: state.tools, tasks: state.tasks }).toEqual({
      turn: null,
      tools: {},
      tasks: {},
    })
  })

  test.each(recordedSituations())('%s gives only valid events and fragments', (name) => {
    for (const item of replay(name).output) {
      const schema = item.type.endsWith('.delta') ? DeltaDraft : EventDraft
      expect(schema.safeParse(item).error?.issues ?? []).toEqual([])
    }
  })
})

test('the fragments of a block add up to the whole', () => {
  const { output } = replay('tool-allowed')
  const parts = new Map<string, string>()
  for (const item of output) {
    if (item.type !== 'text.delta' && item.type !== 'thinking.delta') continue
    const { messageId, index, offset, text } = item.data
    const key = `${messageId}/${index}`
    expect(offset).toBe((parts.get(key) ?? '').length)
    parts.set(key, (parts.get(key) ?? '') + text)
  }

  const wholes = output.flatMap((item) =>
    item.type === 'text.ended' || item.type === 'thinking.ended'
      ? [[`${item.data.messageId}/${item.data.index}`, item.data.text] as const]
      : [],
  )
  expect(new Map(wholes)).toEqual(parts)
})

test('activity follows what the agent does', () => {
  const changes = replay('tool-allowed').output.flatMap((item) =>
    item.type === 'session.changed' && item.data.activity !== undefined ? [item.data.activity] : [],
  )

  expect(changes).toEqual([
    'thinking',
    'responding',
    'tool',
    'thinking',
    'responding',
    'thinking',
    'responding',
  ])
})

test('a turn costs what the sum has grown by, and a cleared conversation starts again', () => {
  const result = (total: number): SessionInput => ({
    kind: 'sdk',
    message: { type: 'result', subtype: 'success', total_cost_usd: total },
  })

  const { output } = run(
    [result(0.5), result(0.75), result(0.25)],
    newTranslationState({
      costUsd: 0.25,
      modelUsage: {},
      permissionMode: 'default',
      contextTokens: null,
      turns: 0,
    }),
  )

  const costs = output.flatMap((item) => (item.type === 'turn.ended' ? [item.data.costUsd] : []))
  expect(costs).toEqual([0.25, 0.25, 0.25])
})

describe('the context', () => {
  const stream = (event: object): SessionInput => ({ kind: 'sdk', message: { type: 'stream_event', event } })
  const message = (input: number, cached: number, output: number): SessionInput[] => [
    stream({
      type: 'message_start',
      message: {
        id: 'msg_1',
        usage: { input_tokens: input, cache_read_input_tokens: cached, output_tokens: 1 },
      },
    }),
    stream({ type: 'message_delta', usage: { output_tokens: output } }),
  ]
  const told = (...inputs: SessionInput[]) =>
    run(inputs).output.flatMap((item) =>
      item.type === 'session.changed' && item.data.contextTokens !== undefined
        ? [item.data.contextTokens]
        : [],
    )

  test('is what the newest message was made from, and that message; told when it changes', () => {
    expect(told(...message(10, 500, 20), ...message(10, 500, 20), ...message(30, 530, 40))).toEqual([
      530, 600,
    ])
  })

  test('is unknown where usage is not told, and after the conversation was cleared', () => {
    const untold = [
      stream({ type: 'message_start', message: { id: 'msg_2' } }),
      stream({ type: 'message_delta', usage: { output_tokens: 5 } }),
    ]
    const cleared: SessionInput = { kind: 'sdk', message: { type: 'conversation_reset' } }

    expect(told(...untold)).toEqual([])
    expect(told(...message(10, 0, 20), cleared, ...message(10, 0, 20))).toEqual([30, null, 30])
  })
})

describe('the usage of a running turn', () => {
  const usages = (output: readonly Emission[]) =>
    output.flatMap((item) =>
      item.type === 'session.changed' && item.data.turnUsage ? [item.data.turnUsage] : [],
    )

  test.each(recordedSituations())('in %s grows to what its end says, and starts again', (name) => {
    const { output } = replay(name)
    let last: Usage | null = null
    for (const item of output) {
      if (item.type === 'session.changed' && item.data.turnUsage) {
        if (last) expect(item.data.turnUsage.outputTokens).toBeGreaterThan(last.outputTokens)
        last = item.data.turnUsage
      }
      if (item.type === 'turn.ended') {
        if (last && item.data.usage && item.data.outcome === 'completed')
          expect(last).toEqual(item.data.usage)
        last = null
      }
    }
    const isAnswered = output.some(
      (item) => item.type === 'turn.ended' && (item.data.usage?.outputTokens ?? 0) > 0,
    )
    if (isAnswered) expect(usages(output)).not.toEqual([])
  })

  test('counts a message once, however often its end is told, and takes the last word on its input', () => {
    const stream = (event: object): SessionInput => ({
      kind: 'sdk',
      message: { type: 'stream_event', event },
    })
    const begin = stream({
      type: 'message_start',
      message: { id: 'msg_1', usage: { input_tokens: 10, cache_read_input_tokens: 5, output_tokens: 1 } },
    })
    const { output } = run([
      { kind: 'sdk', message: { type: 'system', subtype: 'init' } },
      begin,
      stream({ type: 'message_delta', usage: { output_tokens: 20 } }),
      stream({ type: 'message_delta', usage: { output_tokens: 30, input_tokens: 12 } }),
      begin,
      stream({ type: 'message_delta', usage: { output_tokens: 7 } }),
    ])
    const none = { cacheCreationInputTokens: 0 }
    expect(usages(output)).toEqual([
      { inputTokens: 10, outputTokens: 20, cacheReadInputTokens: 5, ...none },
      { inputTokens: 12, outputTokens: 30, cacheReadInputTokens: 5, ...none },
      { inputTokens: 22, outputTokens: 37, cacheReadInputTokens: 10, ...none },
    ])
  })
})

test('a process that dies ends everything that it had started', () => {
  const lines = readRecording('subagent-foreground')
  const cut = lines.findIndex((line) => line.from === 'canUseTool' && 'agentID' in line)
  const inputs = lines
    .slice(0, cut)
    .flatMap((line): SessionInput[] => (line.from === 'sdk' ? [{ kind: 'sdk', message: line.message }] : []))

  const { state, output } = run([
    ...inputs,
    { kind: 'closed', stopReason: 'crashed', errors: ['signal SIGKILL'] },
  ])

  expect(brief(output).slice(-4)).toEqual([
    'tool.ended Agent cancelled by interrupt',
    'tool.ended Bash cancelled by interrupt',
    'agent.ended',
    'turn.ended failed crashed',
  ])
  expect({ turn: state.turn, tools: state.tools, tasks: state.tasks }).toEqual({
    turn: null,
    tools: {},
    tasks: {},
  })
})

test('the gate may know of a call before its message comes: it is written down once', () => {
  const judged: SessionInput = {
    kind: 'judged',
    judgement: {
      toolUseId: 'toolu_1',
      name: 'Bash',
      input: { command: 'ls' },
      decision: 'allow',
      by: 'policy',
    },
  }
  const message: SessionInput = {
    kind: 'sdk',
    message: {
      type: 'assistant',
      message: {
        id: 'msg_1',
        content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
      },
    },
  }

  const told = ['tool.requested Bash', 'tool.judged', 'tool.started']
  expect(brief(run([judged, message]).output)).toEqual(told)
  expect(brief(run([message, judged]).output)).toEqual(told)
})

test('a verdict about a call that the end of its turn has cancelled does not begin the call again', () => {
  const call = { toolUseId: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
  const output = brief(
    run([
      { kind: 'requested', call },
      { kind: 'sdk', message: { type: 'result', subtype: 'error_max_budget_usd', is_error: true } },
      { kind: 'requested', call },
      { kind: 'judged', judgement: { ...call, decision: 'allow', by: 'policy' } },
    ]).output,
  )
  expect(output.filter((text) => text.startsWith('tool.'))).toEqual([
    'tool.requested Bash',
    'tool.ended Bash cancelled by interrupt',
  ])
})

test('a verdict about a call that was interrupted while it was judged does not begin the call again', () => {
  const call = { toolUseId: 'toolu_1', name: 'Bash', input: { command: 'ls' } }
  const content = [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: true, content: 'Interrupted' }]
  const output = brief(
    run([
      { kind: 'requested', call },
      { kind: 'sdk', message: { type: 'user', message: { role: 'user', content } } },
      { kind: 'judged', judgement: { ...call, decision: 'allow', by: 'policy' } },
    ]).output,
  )
  expect(output.filter((text) => text.startsWith('tool.'))).toEqual([
    'tool.requested Bash',
    expect.stringMatching(/^tool\.ended Bash/),
  ])
})

test('a denial that ends the turn gives its reason, though the CLI has no result for the call', () => {
  const call = { toolUseId: 'toolu_1', name: 'Write', input: {} }
  const denied: SessionInput = {
    kind: 'judged',
    judgement: { ...call, decision: 'deny', by: 'person: kim', reason: 'Provider cleanup' },
  }
  const closed: SessionInput = { kind: 'closed', stopReason: 'interrupted', errors: [] }

  const ended = run([denied, closed]).output.find(({ type }) => type === 'tool.ended')
  expect(ended?.data).toMatchObject({ outcome: 'denied', by: 'person: kim', error: 'Provider cleanup' })
})

describe('a skill that the agent calls', () => {
  const call = {
    toolUseId: 'toolu_1',
    name: 'Skill',
    input: { skill: 'spec', args: 'review @docs/abc.md now' },
  }
  const skill = {
    skillName: 'spec',
    triggerCommand: '/spec review @docs/abc.md now',
    turnSeq: 4,
    targetDocPath: 'docs/abc.md',
    startedBy: 'model',
    toolUseId: 'toolu_1',
  }
  const judged = (decision: 'allow' | 'deny'): SessionInput => ({
    kind: 'judged',
    judgement: { ...call, decision, by: 'policy' },
  })
  const result = (isError: boolean): SessionInput => ({
    kind: 'sdk',
    message: {
      type: 'user',
      message: {
        content: [{ type: 'tool_result', tool_use_id: 'toolu_1', is_error: isError, content: 'x' }],
      },
    },
  })
  const closed: SessionInput = { kind: 'closed', stopReason: 'interrupted', errors: [] }
  const told = (inputs: readonly SessionInput[]) =>
    run(inputs, { ...newTranslationState(), turns: 4 }).output.flatMap((item) =>
      item.type === 'skill.started' || item.type === 'skill.ended' ? [[item.type, item.data]] : [],
    )

  test.each([
    ['completes', result(false), 'completed'],
    ['fails', result(true), 'failed'],
    ['is interrupted', closed, 'interrupted'],
  ])('and that %s ends with its outcome', (_, end, outcome) => {
    expect(told([judged('allow'), end])).toEqual([
      ['skill.started', skill],
      ['skill.ended', { ...skill, outcome, durationMs: expect.any(Number) }],
    ])
  })

  test('and that is refused has never started', () => {
    expect(told([judged('deny'), result(true)])).toEqual([])
  })
})

test('what nobody knows is kept whole', () => {
  const message = { type: 'weather_report', sky: 'clear' }

  expect(run([{ kind: 'sdk', message }]).output).toEqual([{ type: 'sdk.message', data: { message } }])
})

test('nothing that the CLI could say breaks the translation or gives an invalid event', () => {
  const types = [
    'system',
    'assistant',
    'user',
    'result',
    'stream_event',
    'command_lifecycle',
    'tool_progress',
    'x',
  ]
  const subtypes = [
    'init',
    'status',
    'task_started',
    'task_notification',
    'hook_response',
    'compact_boundary',
    'y',
  ]
  const keys = [
    'message',
    'content',
    'id',
    'name',
    'input',
    'event',
    'delta',
    'index',
    'task_id',
    'tool_use_id',
    'state',
  ]
  const anyMessage = fc.oneof(
    fc.anything(),
    fc
      .tuple(
        fc.record({ type: fc.constantFrom(...types), subtype: fc.constantFrom(...subtypes) }),
        fc.dictionary(fc.constantFrom(...keys), fc.jsonValue({ maxDepth: 4 })),
      )
      .map(([known, rest]) => ({ ...rest, ...known })),
  )
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 20 }), (messages) => {
      const { output } = run(messages.map((message) => ({ kind: 'sdk', message })))
      for (const item of output) {
        if (item.type === 'sdk.message') continue
        const schema = item.type.endsWith('.delta') ? DeltaDraft : EventDraft
        expect(schema.safeParse(item).error?.issues ?? []).toEqual([])
      }
    }),
    { numRuns: 500 },
  )
})
