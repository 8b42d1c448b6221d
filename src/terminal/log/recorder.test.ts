import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { problemsOf } from '../../../test/support/check-log.js'
import { makeTerminalLog, SESSION } from '../../../test/support/terminal-log.js'
import type { SessionEvent } from '../../protocol/event/event.js'
import { reason, saying } from '../../protocol/reason/reason.js'
import { requestIdOf } from './to-request-events.js'

const DAY = 86_400_000
const FORGET_MS = 2 * 3_600_000

const ask = { phase: 'waiting_permission', toolName: 'Bash', toolInput: { command: 'make' } }

test('a terminal session becomes a session of the log, with the events of the same model', async () => {
  const { write, look, events, sessions, faults } = await makeTerminalLog()
  write('session.lifecycle', { phase: 'started', model: 'opus' })
  write('turn.start', { prompt: 'make it', permissionMode: 'plan' })
  write('skill.lifecycle', {
    phase: 'in_progress',
    skillName: 'spec',
    triggerCommand: '/spec a.md',
    startedBy: 'model',
  })
  write('skill.lifecycle', {
    phase: 'completed',
    skillName: 'spec',
    triggerCommand: '/spec a.md',
    outcome: 'completed',
  })
  write('agent.lifecycle', { phase: 'started', agentId: 'a1', agentType: 'researcher' })
  write('agent.lifecycle', { phase: 'ended', agentId: 'a1', agentType: 'researcher' })
  write('context.lifecycle', { phase: 'compacted' })
  write('turn.end', { outcome: 'completed', lastAssistantMessage: 'Made.' })
  write('session.lifecycle', { phase: 'ended', reason: 'prompt_input_exit' })

  await look()

  const log = await events()
  expect(
    log.filter(({ type }) => type !== 'session.changed').map(({ type, data }) => ({ type, data })),
  ).toEqual([
    {
      type: 'session.created',
      data: expect.objectContaining({ kind: 'observed', cwd: '/p', model: 'opus' }),
    },
    {
      type: 'message.queued',
      data: expect.objectContaining({ text: 'make it', from: { who: 'terminal', via: 'terminal' } }),
    },
    { type: 'turn.started', data: expect.objectContaining({ origin: { kind: 'person' } }) },
    { type: 'message.delivered', data: expect.anything() },
    {
      type: 'skill.started',
      data: expect.objectContaining({ skillName: 'spec', startedBy: 'model', turnSeq: 1 }),
    },
    {
      type: 'skill.ended',
      data: expect.objectContaining({ skillName: 'spec', outcome: 'completed', durationMs: 10 }),
    },
    { type: 'agent.started', data: expect.objectContaining({ agentId: 'a1', agentType: 'researcher' }) },
    { type: 'agent.ended', data: { agentId: 'a1', outcome: 'completed' } },
    { type: 'context.compacted', data: expect.anything() },
    { type: 'text.ended', data: expect.objectContaining({ text: 'Made.' }) },
    {
      type: 'turn.ended',
      data: expect.objectContaining({ outcome: 'completed', durationMs: 60, text: 'Made.', costUsd: null }),
    },
    { type: 'session.ended', data: { outcome: 'completed', ...saying(reason('end.left')) } },
  ])
  expect(problemsOf(log)).toEqual([])
  expect(await sessions()).toMatchObject([
    {
      kind: 'observed',
      state: 'ended',
      claudeSessionId: SESSION,
      lastPrompt: 'make it',
      permissionMode: 'plan',
      turns: 1,
    },
  ])
  expect(faults).toEqual([])
})

test('what was used is recorded once, also where the transcript was complete before the last line was read', async () => {
  const { path, write, look, events, sessions } = await makeTerminalLog()
  await look()
  const transcriptPath = `${path}.transcript`
  const usage = { input_tokens: 30, output_tokens: 20 }
  const message = { id: 'msg_1', role: 'assistant', model: 'claude-opus-5', content: [], usage }
  writeFileSync(transcriptPath, `${JSON.stringify({ type: 'assistant', message })}\n`)
  write('session.lifecycle', { phase: 'started', transcriptPath })
  write('turn.start', { prompt: 'make it', transcriptPath })
  write('turn.end', { outcome: 'completed', transcriptPath })
  write('session.lifecycle', { phase: 'ended', transcriptPath })
  await look()
  await look()

  const recorded = (await events()).filter((event) => event.type === 'usage.recorded')
  expect(recorded.map(({ data }) => data.models)).toMatchObject([
    { 'claude-opus-5': { inputTokens: 30, outputTokens: 20 } },
  ])
  const costUsd = recorded[0]?.data.models['claude-opus-5']?.costUsd ?? 0
  expect(costUsd).toBeGreaterThan(0)
  // The list and the heading say the same as the usage.
  expect(await sessions()).toMatchObject([{ costUsd }])
})

test('an event has the time at which it happened, however late it is told', async () => {
  const { write, look, events, clock } = await makeTerminalLog()
  const before = clock.now()
  write('session.lifecycle', { phase: 'started' })

  await look(3_600_000)

  expect((await events()).map(({ at }) => at)).toEqual([
    new Date(before + 10).toISOString(),
    new Date(before + 10).toISOString(),
  ])
})

test('a request is in the inbox under an id that follows from its line, and settled from there when it is over', async () => {
  const { write, look, store, sessions, types } = await makeTerminalLog()
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'x' })
  const id = write('session.lifecycle', { ...ask, suggestions: [{ type: 'setMode' }] })
  await look(1)

  const [request] = await store.requests({ state: 'pending' })
  expect(request).toMatchObject({
    kind: 'permission',
    toolName: 'Bash',
    input: { command: 'make' },
    title: 'Bash: make',
    suggestions: [{ type: 'setMode' }],
  })
  expect(request?.id).toBe(requestIdOf('per', id))
  expect(await sessions()).toMatchObject([{ state: 'permission' }])

  write('turn.end', { outcome: 'completed' })
  await look(1)
  expect((await store.request(request?.id ?? ''))?.resolution).toMatchObject({
    by: 'terminal',
    decision: 'allow',
    reason: 'Answered in the terminal.',
  })
  expect(await types()).toContain('permission.resolved')
})

test('a question that is answered in the terminal carries its answers', async () => {
  const { write, look, store } = await makeTerminalLog()
  const toolInput = { questions: [{ question: 'Which?', options: [{ label: 'A' }] }] }
  write('turn.start', { prompt: 'x' })
  write('session.lifecycle', { phase: 'waiting_question', toolName: 'AskUserQuestion', toolInput })
  const other = write('session.lifecycle', ask)
  write('request.lifecycle', {
    phase: 'answered',
    toolName: 'AskUserQuestion',
    toolInput: { ...toolInput, answers: { 'Which?': 'A' } },
    toolResponse: { answers: { 'Which?': 'A' } },
  })
  await look(1)

  expect(await store.requests({ state: 'resolved' })).toMatchObject([
    { kind: 'question', resolution: { by: 'terminal', answers: { 'Which?': 'A' } } },
  ])
  // The other pending request still waits.
  expect(await store.requests({ state: 'pending' })).toMatchObject([{ id: requestIdOf('per', other) }])
})

test('what somebody has answered from elsewhere is not settled again', async () => {
  const { write, look, store, journal, types, faults } = await makeTerminalLog()
  write('turn.start', { prompt: 'x' })
  write('session.lifecycle', ask)
  await look(1)
  const [request] = await store.requests({ state: 'pending' })
  const { id: requestId = '', sessionId = '' } = request ?? {}
  await journal.append(sessionId, [
    {
      type: 'permission.resolved',
      data: { requestId, decision: 'deny', by: 'person', who: 'kim', via: 'api', rule: null, reason: null },
    },
  ])
  write('turn.end', { outcome: 'completed' })
  await look(1)

  expect((await types()).filter((type) => type === 'permission.resolved')).toHaveLength(1)
  expect(faults).toEqual([])
})

test('an interrupt that no line tells, and the death of the process, end what is under way', async () => {
  const { write, look, events, running, register, store } = await makeTerminalLog()
  running.set(42, { startToken: '100', startedAt: 0, cpuMs: 0, memMb: 1 })
  write('session.lifecycle', { phase: 'started', pid: 42, pidSpace: 'here' })
  write('turn.start', { prompt: 'x' })
  write('skill.lifecycle', { phase: 'in_progress', skillName: 'spec', startedBy: 'person' })
  write('session.lifecycle', ask)
  register(42, { status: 'idle', statusUpdatedAt: Date.UTC(2026, 10, 15, 12, 0, 1) })
  await look()
  const types = (log: readonly SessionEvent[]) =>
    log.map(({ type }) => type).filter((type) => type !== 'session.changed')

  const interrupted = types(await events())
  expect(interrupted.slice(-3)).toEqual(['permission.resolved', 'skill.ended', 'turn.ended'])
  expect((await events()).find(({ type }) => type === 'turn.ended')?.data).toMatchObject({
    outcome: 'interrupted',
    stopReason: 'interrupted',
  })
  expect(await store.requests({ state: 'resolved' })).toMatchObject([
    { resolution: { decision: 'deny', by: 'terminal' } },
  ])

  running.delete(42)
  await look()
  expect(types(await events()).slice(interrupted.length)).toEqual(['session.ended'])
  expect((await events()).find(({ type }) => type === 'session.ended')?.data).toEqual({
    outcome: 'interrupted',
    ...saying(reason('end.process-gone')),
  })
  expect(problemsOf(await events())).toEqual([])
})

test('a session that is taken up again is open again', async () => {
  const { write, look, sessions, events } = await makeTerminalLog()
  write('session.lifecycle', { phase: 'started' })
  write('session.lifecycle', { phase: 'ended', reason: 'other' })
  await look()
  write('session.lifecycle', { phase: 'started', source: 'resume' })
  write('turn.start', { prompt: 'go on' })
  await look()

  expect(await sessions()).toMatchObject([{ state: 'working', endedAt: null, lastPrompt: 'go on' }])
  expect((await events()).filter(({ type }) => type === 'session.created')).toHaveLength(1)
})

test('after a restart it goes on, and adds nothing to what was there', async () => {
  const { write, look, types, restart, database } = await makeTerminalLog()
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'x' })
  write('session.lifecycle', ask)
  await look(1)
  const before = await types()

  restart()
  await look(1)
  expect(await types()).toEqual(before)

  // Simulates a crash before the cursor was stored.
  database().exec('update lifecycle_cursors set seq = 0')
  restart()
  await look(1)
  expect(await types()).toEqual(before)

  write('turn.end', { outcome: 'completed' })
  await look(1)
  expect((await types()).slice(before.length)).toContain('turn.ended')
})

test('what ended while nobody looked is told, but not what was over long before anybody looked first', async () => {
  const { write, look, types, restart, clock } = await makeTerminalLog()
  write('session.lifecycle', { phase: 'started' })
  write('session.lifecycle', { phase: 'ended', reason: 'other' })
  await look(25 * 3_600_000)
  expect(await types()).toEqual([])

  write('session.lifecycle', { phase: 'started', sessionId: 'another' })
  await look(1)
  write('session.lifecycle', { phase: 'started' })
  write('session.lifecycle', { phase: 'ended', reason: 'other' })
  clock.advance(25 * 3_600_000)
  restart()
  await look()
  expect(await types()).toEqual(expect.arrayContaining(['session.created', 'session.ended']))
})

test('a store that fails for a while leaves nothing out', async () => {
  const { write, look, types, store, clock, faults } = await makeTerminalLog()
  const { append } = store
  store.append = () => Promise.reject(new Error('disk full'))
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'x' })
  const looking = look(1)
  await expect.poll(() => faults.length).toBeGreaterThan(0)
  store.append = append
  await expect
    .poll(async () => {
      clock.advance(1_000)
      return types()
    })
    .toContain('turn.started')
  await looking
})

test('whatever the lines and wherever it ends without warning, every log is in order and nothing comes twice', async () => {
  const step = fc.constantFrom(
    ['session.lifecycle', { phase: 'started' }],
    ['session.lifecycle', { phase: 'ended', reason: 'other' }],
    ['turn.start', { prompt: 'x' }],
    ['turn.start', { prompt: '<task-notification>' }],
    ['turn.end', { outcome: 'completed', lastAssistantMessage: 'y' }],
    ['turn.end', { outcome: 'failed', error: 'rate_limit' }],
    ['session.lifecycle', ask],
    ['request.lifecycle', { phase: 'answered', toolName: 'Bash', toolInput: { command: 'make' } }],
    ['skill.lifecycle', { phase: 'in_progress', skillName: 's' }],
    ['skill.lifecycle', { phase: 'completed', skillName: 's' }],
    ['agent.lifecycle', { phase: 'started', agentId: 'a' }],
    ['agent.lifecycle', { phase: 'ended', agentId: 'a' }],
    'look',
    'restart',
    'crash',
  ) as fc.Arbitrary<[string, Record<string, unknown>] | 'look' | 'restart' | 'crash'>
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { write, look, restart, database, events, types, faults } = await makeTerminalLog()
      for (const one of steps) {
        if (one === 'look') await look(1)
        else if (one === 'restart') restart()
        else if (one === 'crash') {
          await look(1)
          const before = await types()
          database().exec('update lifecycle_cursors set seq = 0')
          restart()
          await look(1)
          expect(await types()).toEqual(before)
        } else write(...one)
      }
      write('session.lifecycle', { phase: 'started' })
      write('session.lifecycle', { phase: 'ended', reason: 'other' })
      await look(1)

      const problems = problemsOf(await events()).filter(
        (problem) => !problem.startsWith('agent a began twice'),
      )
      expect(problems).toEqual([])
      expect(faults).toEqual([])
    }),
    { numRuns: 60 },
  )
})

test('what was recorded is remembered for a week, and known by its time afterwards', async () => {
  const { write, look, restart, clock, store, path, types, database } = await makeTerminalLog()
  const forgotten: string[] = []
  const { forgetKeys } = store
  store.forgetKeys = (scope, before) => {
    forgotten.push(before)
    return forgetKeys(scope, before)
  }
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'make it' })
  write('turn.end', { outcome: 'completed' })
  await look()
  const recorded = await types()

  clock.advance(8 * DAY)
  write('turn.start', { prompt: 'go on' })
  await look()
  const more = await types()
  expect(more.length).toBeGreaterThan(recorded.length)
  expect(forgotten.at(-1)).toBe(new Date(clock.now() - 7 * DAY).toISOString())

  // Simulates a new stream: a copy under another inode, without stored offsets.
  renameSync(path, `${path}.copy`)
  writeFileSync(path, readFileSync(`${path}.copy`))
  rmSync(`${path}.copy`)
  database().exec('delete from lifecycle_stream_offsets')
  database().exec('update lifecycle_cursors set seq = 0')
  clock.advance(FORGET_MS)
  restart()
  await look()
  expect(await types()).toEqual(more)
})

test('a session that was renamed here keeps its name while the terminal keeps its own', async () => {
  const { path, write, look, sessions, journal } = await makeTerminalLog()
  await look()
  const transcriptPath = `${path}.transcript`
  const title = (text: string) =>
    appendFileSync(transcriptPath, `${JSON.stringify({ type: 'custom-title', customTitle: text })}\n`)
  title('Snow')
  write('session.lifecycle', { phase: 'started', transcriptPath })
  write('turn.start', { prompt: 'make it', transcriptPath })
  await look()
  const [session] = await sessions()
  await journal.append(session?.id ?? '', [{ type: 'session.changed', data: { title: 'Mine' } }])

  write('turn.end', { outcome: 'completed', transcriptPath })
  await look()
  expect(await sessions()).toMatchObject([{ title: 'Mine', name: 'Mine' }])

  title('Rain')
  write('turn.start', { prompt: 'again', transcriptPath })
  await look()
  await look()
  expect(await sessions()).toMatchObject([{ title: 'Rain', name: 'Rain' }])
})
