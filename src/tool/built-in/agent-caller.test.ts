import { describe, expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { aToolContext } from '../../../test/support/tool-context.js'
import { type AgentConfig, AgentLimits } from '../../protocol/agent.js'
import { callTool } from '../call.js'
import type { Lineage } from './agent-call.js'
import { type AgentPort, type ChildCall, type ChildResult, createAgentCaller } from './agent-caller.js'

const agents: Record<string, AgentConfig> = {
  writer: { prompt: 'You write.', description: 'Writes texts', cwd: '/texts' },
  reviewer: { prompt: 'You review.', model: 'claude-haiku-5-5', mode: 'plan', tools: ['Read'] },
}
const done: ChildResult = {
  sessionId: 'ses_child',
  outcome: 'completed',
  text: 'Fine.',
  costUsd: 0.1,
  reason: null,
}
const root: Lineage = { rootId: 'ses_root', agents: [], calls: 0, spentUsd: 0 }

interface Setup {
  lineage?: Partial<Lineage>
  limits?: Partial<AgentLimits>
  run?: AgentPort['run']
}

function setup({ lineage = {}, limits = {}, run = async () => done }: Setup = {}) {
  const clock = createManualClock()
  const calls: ChildCall[] = []
  const tool = createAgentCaller({
    agents,
    limits: AgentLimits.parse(limits),
    clock,
    port: {
      lineageOf: async () => ({ ...root, ...lineage }),
      run: (call) => {
        calls.push(call)
        return run(call)
      },
    },
  })
  const host = new AbortController()
  const context = aToolContext({ workspace: '/project', signal: host.signal })
  const call = async (args: Record<string, unknown> = {}) => {
    const result = await callTool(tool, { target_agent: 'writer', message: 'Write.', ...args }, context)
    const [part] = result.content
    return `${result.isError ? 'failed: ' : ''}${part?.type === 'text' ? part.text : ''}`
  }
  return { tool, call, calls, clock, context, host }
}

test('a call runs the configured agent as a child and returns what it said', async () => {
  const { call, calls, context, tool } = setup({
    run: async ({ onProgress }) => {
      onProgress('writing')
      return done
    },
  })
  expect(await call({ message: 'Write.', context: { tone: 'kind' } })).toBe('Fine.')
  expect(calls).toMatchObject([
    {
      agent: 'writer',
      definition: { prompt: 'You write.' },
      message: 'Write.\n\nContext:\n{\n  "tone": "kind"\n}',
      cwd: '/texts',
      parentId: context.sessionId,
      parentToolUseId: 'toolu_1',
      budgetUsd: 1,
    },
  ])
  expect(context.told).toEqual(['writing'])
  expect(tool.description).toContain('- writer: Writes texts\n- reviewer')
})

test.each([
  [
    { outcome: 'failed', reason: 'the model refused', text: null },
    'failed: writer failed: the model refused.',
  ],
  [
    { outcome: 'interrupted', reason: 'somebody stopped it', text: 'Half.' },
    'failed: writer was interrupted: somebody stopped it. Its last words: Half.',
  ],
  [{ outcome: 'completed', text: '' }, 'writer has ended without a word.'],
] as const)('how a child ends is told: %j', async (end, told) => {
  const { call } = setup({ run: async () => ({ ...done, ...end }) })
  expect(await call()).toBe(told)
})

test('a child that cannot be started is a failure', async () => {
  const { call } = setup({ run: () => Promise.reject(new Error('Claude could not be started.')) })
  expect(await call()).toBe('failed: Claude could not be started.')
})

describe('bounds', () => {
  test.each([
    [
      'an unknown agent',
      {},
      { target_agent: 'poet' },
      'There is no agent "poet". There are: writer, reviewer.',
    ],
    ['a name of the language', {}, { target_agent: 'constructor' }, 'There is no agent "constructor".'],
    ['an empty message', {}, { message: ' ' }, 'The message is empty.'],
    [
      'a circle',
      { lineage: { agents: ['writer', 'reviewer'] } },
      {},
      'writer is at work already, above you: writer → reviewer → writer. Agents cannot call each other in a circle.',
    ],
    [
      'too deep',
      { lineage: { agents: ['reviewer'] }, limits: { maxDepth: 1 } },
      {},
      'Agents may call agents 1 deep, and this would go deeper: reviewer → writer.',
    ],
    ['too many', { lineage: { calls: 50 } }, {}, 'All 50 calls of agents that this task has are used up.'],
    [
      'too expensive',
      { lineage: { spentUsd: 4.995 } },
      {},
      'The budget for agents of this task (5 USD) is used up',
    ],
  ])('%s is refused', async (_, options, args, reason) => {
    const { call, calls } = setup(options)
    expect(await call(args)).toContain(`failed: ${reason}`)
    expect(calls).toEqual([])
  })

  test('a call gets no more than what is left of the budget', async () => {
    const { call, calls } = setup({ lineage: { spentUsd: 4.6 } })
    await call()
    expect(calls[0]?.budgetUsd).toBeCloseTo(0.4)
  })

  test('calls at the same time share the budget, and there are only so many', async () => {
    const ends: ((result: ChildResult) => void)[] = []
    const { call, calls } = setup({
      limits: { maxParallel: 3, budgetUsd: 2, callBudgetUsd: 1.5 },
      run: () => new Promise((resolve) => ends.push(resolve)),
    })
    const running = [call(), call()]
    await expect.poll(() => ends.length).toBe(2)
    expect(calls.map(({ budgetUsd }) => budgetUsd)).toEqual([1.5, 0.5])
    expect(await call()).toContain('is used up or in use')

    for (const end of ends) end(done)
    expect(await Promise.all(running)).toEqual(['Fine.', 'Fine.'])
    const again = call()
    await expect.poll(() => ends.length).toBe(3)
    ends[2]?.(done)
    expect(await again).toBe('Fine.')
  })

  test('two agents that call each other are stopped, and both are told', async () => {
    const paths: string[] = []
    const port: AgentPort = {
      lineageOf: async (sessionId) => ({ ...root, agents: sessionId.split('/').slice(1) }),
      async run({ agent, parentId }) {
        const sessionId = `${parentId}/${agent}`
        paths.push(sessionId)
        // The child calls the other agent.
        const target_agent = agent === 'writer' ? 'reviewer' : 'writer'
        const { content } = await callTool(
          tool,
          { target_agent, message: 'You do it.' },
          aToolContext({ sessionId }),
        )
        const [part] = content
        return { ...done, text: `I was told: ${part?.type === 'text' ? part.text : ''}` }
      },
    }
    const limits = AgentLimits.parse({ maxDepth: 10 })
    const tool = createAgentCaller({ agents, limits, port, clock: createManualClock() })

    const result = await callTool(
      tool,
      { target_agent: 'writer', message: 'Go.' },
      aToolContext({ sessionId: 'root' }),
    )

    expect(paths).toEqual(['root/writer', 'root/writer/reviewer'])
    expect(result).toEqual({
      isError: false,
      content: [
        {
          type: 'text',
          text:
            'I was told: I was told: writer is at work already, above you: writer → reviewer → writer. Agents cannot ' +
            'call each other in a circle. Do the work yourself, or answer with what you have.',
        },
      ],
    })
  })
})

describe('a child is stopped', () => {
  const stoppable: AgentPort['run'] = ({ signal }) =>
    new Promise((resolve) => {
      const reason = 'it was stopped'
      signal.addEventListener('abort', () =>
        resolve({ ...done, outcome: 'interrupted', text: 'So far.', reason }),
      )
    })

  test('when its time is up', async () => {
    const { call, clock, calls } = setup({ run: stoppable, limits: { timeoutMs: 60_000 } })
    const answer = call()
    await expect.poll(() => calls.length).toBe(1)
    clock.advance(60_000)
    expect(await answer).toBe(
      'failed: writer was stopped: it took longer than 60 seconds. Its last words: So far.',
    )
  })

  test('and given up if it does not stop', async () => {
    const { call, clock, calls } = setup({ run: () => new Promise(() => {}), limits: { timeoutMs: 60_000 } })
    const answer = call()
    await expect.poll(() => calls.length).toBe(1)
    clock.advance(60_000)
    clock.advance(15_000)
    expect(await answer).toBe('failed: writer was stopped: it took longer than 60 seconds.')
  })

  test('with its parent', async () => {
    const { call, calls, host } = setup({ run: stoppable })
    const answer = call()
    await expect.poll(() => calls.length).toBe(1)
    host.abort()
    expect(await answer).toBe('failed: agent_caller was interrupted.')
    expect(calls[0]?.signal.aborted).toBe(true)
  })
})
