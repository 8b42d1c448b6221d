import { expect, test } from 'vitest'
import type { EventDraft, SessionEvent } from '../event/event.js'
import { timeIn, toolLives } from './tool-life.js'

/** Each event is `afterMs` later than the previous one. */
function log(...steps: readonly (readonly [afterMs: number, draft: EventDraft])[]): SessionEvent[] {
  let now = Date.parse('2026-11-16T12:00:00.000Z')
  return steps.map(([afterMs, draft], index) => {
    now += afterMs
    return {
      ...draft,
      seq: index + 1,
      id: `evt_${index}`,
      sessionId: 'ses_1',
      at: new Date(now).toISOString(),
    }
  })
}

const toolUseId = 'toolu_1'
const requested: EventDraft = { type: 'tool.requested', data: { toolUseId, name: 'Write', input: {} } }
const started = (by: string): EventDraft => ({ type: 'tool.started', data: { toolUseId, by } })
const ended = (data: object): EventDraft => ({
  type: 'tool.ended',
  data: { toolUseId, name: 'Write', outcome: 'completed', durationMs: null, ...data },
})
const hookStarted = (hookId: string, event: string): EventDraft => ({
  type: 'hook.started',
  data: { hookId, command: `./${hookId}.sh`, event, toolUseId },
})
const hookEnded = (hookId: string, outcome: 'passed' | 'blocked', durationMs: number): EventDraft => ({
  type: 'hook.ended',
  data: { hookId, exitCode: 0, outcome, durationMs },
})
const asked: EventDraft = {
  type: 'permission.requested',
  data: {
    requestId: 'per_00000000000000000000000001',
    toolUseId,
    toolName: 'Write',
    input: {},
    inputDigest: '',
    title: 't',
    reason: 'r',
    suggestions: [],
  },
}
const answered: EventDraft = {
  type: 'permission.resolved',
  data: {
    requestId: 'per_00000000000000000000000001',
    by: 'person',
    who: 'kim',
    via: 'cli',
    reason: null,
    decision: 'allow',
    rule: null,
  },
}

test('a call that is hooked, asked about, run and recorded has all its stages, each with its time', () => {
  const [life] = toolLives(
    log(
      [0, requested],
      [1, hookStarted('pre', 'PreToolUse')],
      [20, hookEnded('pre', 'passed', 19)],
      [2, asked],
      [5_000, answered],
      [1, started('person: kim')],
      [100, { type: 'tool.progressed', data: { toolUseId, text: 'half' } }],
      [100, hookStarted('post', 'PostToolUse')],
      [30, hookEnded('post', 'passed', 28)],
      [1, ended({ durationMs: 195 })],
    ),
  )

  expect(life).toMatchObject({ outcome: 'completed', by: 'person: kim', progress: 'half', childId: null })
  expect(
    life?.stages.map(({ kind, durationMs, label, outcome }) => [kind, durationMs, label, outcome]),
  ).toEqual([
    ['judge', 23, null, null],
    ['hook', 19, './pre.sh', 'passed'],
    ['wait', 5_000, 'person: kim', 'allow'],
    // Excludes the hook that runs after the tool: the duration reported by the CLI wins.
    ['run', 195, null, null],
    ['hook', 28, './post.sh', 'passed'],
  ])
  expect(life && [timeIn(life, 'judge'), timeIn(life, 'hook'), timeIn(life, 'run')]).toEqual([23, 47, 195])
})

test('a call that a hook has blocked never ran', () => {
  const [life] = toolLives(
    log(
      [0, requested],
      [1, hookStarted('pre', 'PreToolUse')],
      [9, hookEnded('pre', 'blocked', 8)],
      [5, ended({ outcome: 'blocked', by: 'hook: ./pre.sh' })],
    ),
  )

  expect(life).toMatchObject({ outcome: 'blocked', by: 'hook: ./pre.sh' })
  expect(life?.stages.map(({ kind, durationMs }) => [kind, durationMs])).toEqual([
    ['judge', 15],
    ['hook', 8],
  ])
  expect(life && timeIn(life, 'run')).toBeNull()
})

test('a call that goes on has a last stage without an end', () => {
  const child = { agentId: 'ses_child', agentType: 'writer', parentToolUseId: toolUseId, isBackground: false }
  const [life] = toolLives(
    log([0, requested], [3, started('policy: read')], [1, { type: 'agent.started', data: child }]),
  )
  expect(life).toMatchObject({ outcome: null, by: 'policy: read', childId: 'ses_child' })
  expect(life?.stages.map(({ kind, durationMs }) => [kind, durationMs])).toEqual([
    ['judge', 3],
    ['run', null],
  ])
})

test('hooks and requests that belong to no call are passed over', () => {
  const stop: EventDraft = { type: 'hook.started', data: { hookId: 'stop', command: 'x', event: 'Stop' } }
  expect(toolLives(log([0, stop], [1, hookEnded('stop', 'passed', 1)], [1, answered]))).toEqual([])
})
