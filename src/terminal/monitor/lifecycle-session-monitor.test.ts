import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { rotateStream } from '../stream/rotate.js'
import { LifecycleSessionMonitor, type LifecycleSessionMonitorOptions } from './lifecycle-session-monitor.js'
import type { SessionSnapshot } from './monitor.js'
import type { ProcessFacts } from './process-table.js'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

async function setup(options: Partial<LifecycleSessionMonitorOptions> = {}) {
  const folder = await temporaryFolder()
  const path = join(folder, 'lifecycle.jsonl')
  const claudeFolder = join(folder, 'claude')
  mkdirSync(join(claudeFolder, 'sessions'), { recursive: true })
  const clock = createManualClock()
  const running = new Map<number, ProcessFacts>()
  const processes = { read: (pid: number) => running.get(pid) ?? null, space: 'here' }
  const make = () => {
    const monitor = new LifecycleSessionMonitor({ path, claudeFolder, clock, processes, ...options })
    onTestFinished(() => monitor.close())
    return monitor
  }
  let monitor = make()
  let count = 0
  return {
    path,
    folder,
    clock,
    running,
    claudeFolder,
    /** Appends a line with the current time. */
    write(eventType: string, fields: Record<string, unknown> = {}, text = '\n') {
      count += 1
      const line = {
        id: `id-${count}`,
        eventType,
        ...(fields['phase'] !== undefined && { phase: fields['phase'] }),
        occurredAtIso: new Date(clock.now()).toISOString(),
        sessionId: 'ses-1',
        provider: 'claude',
        projectPath: '/p',
        cwd: '/p',
        ...fields,
      }
      appendFileSync(path, `${JSON.stringify(line)}${text}`)
    },
    process(pid: number, facts: Partial<ProcessFacts> = {}) {
      running.set(pid, { startToken: '100', startedAt: clock.now() - HOUR, cpuMs: 0, memMb: 100, ...facts })
    },
    register(pid: number, entry: Record<string, unknown>) {
      const file = join(claudeFolder, 'sessions', `${pid}.json`)
      writeFileSync(file, JSON.stringify({ pid, sessionId: 'ses-1', procStart: '100', ...entry }))
    },
    /** Advances the clock and refreshes. */
    async look(ms = 1_000): Promise<SessionSnapshot> {
      clock.advance(ms)
      await monitor.refresh()
      const found = monitor.session('ses-1')
      if (!found) throw new Error('not known')
      return found
    },
    restart() {
      monitor = make()
    },
    monitor: () => monitor,
  }
}

const started = { phase: 'started', pid: 42, pidSpace: 'here' }

test('a session is followed through its life', async () => {
  const { write, look, monitor } = await setup()
  const phases: string[] = []
  monitor().subscribe(([changed]) => phases.push(`${changed?.state} ${changed?.activityPhase}`))
  write('session.lifecycle', { phase: 'started' })
  await look()
  write('turn.start', { prompt: 'hello' })
  await look()
  write('session.lifecycle', { phase: 'waiting_permission', toolName: 'Bash' })
  await look()
  write('turn.end')
  await look()
  write('session.lifecycle', { phase: 'ended', reason: 'other' })
  await look()

  expect(phases).toEqual([
    'active busy',
    'active busy',
    'active waiting_permission',
    'active interactable',
    'completed interactable',
  ])
})

test('five minutes without activity make a session idle, and any sign of life active', async () => {
  const { write, look } = await setup()
  write('session.lifecycle', { phase: 'started' })
  expect((await look(5 * MINUTE - 1)).state).toBe('active')
  expect((await look(1_001)).state).toBe('idle')
  write('turn.start', { prompt: 'x' })
  expect((await look(1)).state).toBe('active')
})

test('a session that Claude Code says is busy is not idle, however long its tool runs', async () => {
  const { write, look, process, register } = await setup()
  process(42)
  register(42, { status: 'busy' })
  write('session.lifecycle', started)
  write('turn.start', { prompt: 'x' })
  expect(await look(30 * MINUTE)).toMatchObject({ state: 'active', activityPhase: 'busy' })
})

test('a new monitor knows what the old one knew', async () => {
  const { write, look, restart, path, clock } = await setup()
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'hello' })
  write('skill.lifecycle', { phase: 'in_progress', skillName: 'spec' })
  const before = await look()
  rotateStream(path, clock.now())
  write('turn.end', { sessionId: 'another' })
  restart()

  const after = await look()

  expect(after).toEqual({ ...before, lastActivityAt: after.lastActivityAt })
})

test('a replay passes over sessions that ended more than a day ago, but not over those that went on', async () => {
  const { write, look, monitor, clock } = await setup()
  for (const sessionId of ['long-ago', 'resumed', 'recent']) {
    write('session.lifecycle', { sessionId, phase: 'started' })
    write('turn.start', { sessionId, prompt: 'x' })
    if (sessionId !== 'recent') write('session.lifecycle', { sessionId, phase: 'ended' })
  }
  clock.advance(25 * HOUR)
  write('session.lifecycle', { sessionId: 'resumed', phase: 'started', source: 'resume' })
  write('session.lifecycle', { sessionId: 'recent', phase: 'ended' })
  write('session.lifecycle', { phase: 'started' })
  await look(HOUR)

  const known = monitor()
    .sessions()
    .map(({ sessionId, state }) => `${sessionId} ${state}`)
  expect(known.toSorted()).toEqual(['recent completed', 'resumed idle', 'ses-1 idle'])
})

test('an ended session is forgotten after a day', async () => {
  const { write, look, monitor } = await setup()
  write('session.lifecycle', { phase: 'started' })
  write('session.lifecycle', { phase: 'ended' })
  await look()
  await monitor().refresh()
  await look(23 * HOUR)
  await expect(look(2 * HOUR)).rejects.toThrow('not known')
})

test('a line that comes again changes nothing', async () => {
  const { write, look, path } = await setup()
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'x' })
  const before = await look()
  appendFileSync(
    path,
    `${JSON.stringify({ id: 'id-1', eventType: 'session.lifecycle', phase: 'ended', occurredAtIso: before.lastActivityAt, sessionId: 'ses-1' })}\n`,
  )
  expect((await look()).state).toBe('active')
})

test('torn and bad lines are passed over', async () => {
  const { write, look, path } = await setup()
  write('session.lifecycle', { phase: 'started' })
  appendFileSync(path, 'bad\n{"id":"cut')
  await look()
  write('turn.start', { prompt: 'after' })
  expect((await look()).lastUserMessage).toBe('after')
})

test('a session whose process has died is closed, without inventing when', async () => {
  const { write, look, running, process } = await setup()
  process(42)
  write('session.lifecycle', started)
  write('turn.start', { prompt: 'x' })
  expect((await look()).state).toBe('active')
  running.delete(42)
  expect(await look()).toMatchObject({ state: 'completed', endReason: 'process_gone', endedAt: null })
})

test('a later process with the same number is another one', async () => {
  const { write, look, process, clock } = await setup()
  process(42)
  write('session.lifecycle', started)
  await look()
  process(42, { startedAt: clock.now() + 5 * MINUTE })
  expect(await look(10 * MINUTE)).toMatchObject({ state: 'completed', endReason: 'process_gone' })
})

test('a process of another container is not judged from here', async () => {
  const { write, look } = await setup()
  write('session.lifecycle', { ...started, pidSpace: 'elsewhere' })
  expect((await look(2_000)).state).toBe('active')
})

test('a session that has made place for another in its process is closed', async () => {
  const { write, look, process, register } = await setup()
  process(42)
  register(42, { sessionId: 'the-next', status: 'idle' })
  write('session.lifecycle', started)
  expect(await look(2_000)).toMatchObject({ state: 'completed', endReason: 'superseded' })
})

test('a process that ended right after its last line has not died', async () => {
  const late: (() => void)[] = []
  const catchUp = async () => late.splice(0).forEach((writeLine) => writeLine())
  const { write, look, process, running } = await setup({ catchUp })
  process(42)
  write('session.lifecycle', started)
  await look(1_000)
  late.push(() => write('session.lifecycle', { phase: 'ended', reason: 'prompt_input_exit', pid: 42 }))
  running.delete(42)
  expect(await look(1_000)).toMatchObject({ state: 'completed', endReason: 'prompt_input_exit' })
})

test('a busy process waits for the hook of its prompt, before a turn without one is believed', async () => {
  const { write, look, process, register } = await setup()
  process(42)
  register(42, { status: 'idle' })
  write('session.lifecycle', started)
  expect((await look(2_000)).activityPhase).toBe('interactable')
  register(42, { status: 'busy' })
  expect((await look(2_000)).isInTurn).toBe(false)
  expect((await look(5_000)).isInTurn).toBe(true)
})

test('an interrupt that no hook tells is found in the registry', async () => {
  const { write, look, process, register, clock } = await setup()
  process(42)
  register(42, { status: 'busy' })
  write('session.lifecycle', started)
  write('turn.start', { prompt: 'x' })
  expect((await look(2_000)).activityPhase).toBe('busy')
  register(42, { status: 'idle', statusUpdatedAt: clock.now() })
  expect(await look(2_000)).toMatchObject({
    activityPhase: 'interactable',
    isInTurn: false,
    lastOutcome: 'interrupted',
  })
})

test('a refusal, an answer in the terminal and a dialog without a hook are found in the registry', async () => {
  const { write, look, process, register } = await setup()
  process(42)
  write('session.lifecycle', started)
  write('turn.start', { prompt: 'x' })
  write('session.lifecycle', { phase: 'waiting_permission', toolName: 'Bash' })
  register(42, { status: 'waiting', waitingFor: 'permission prompt' })
  expect((await look(2_000)).waitingFor).toMatchObject({ toolName: 'Bash' })
  register(42, { status: 'busy' })
  expect(await look()).toMatchObject({ activityPhase: 'busy', waitingFor: null })
  register(42, { status: 'waiting', waitingFor: 'input needed' })
  expect((await look()).activityPhase).toBe('waiting_question')
  register(42, { status: 'idle' })
  expect(await look()).toMatchObject({ activityPhase: 'interactable', lastOutcome: 'interrupted' })
})

test('the registry is not believed before it has had time to follow', async () => {
  const { write, look, process, register } = await setup()
  process(42)
  register(42, { status: 'idle' })
  write('session.lifecycle', started)
  write('turn.start', { prompt: 'x' })
  expect((await look(1_000)).activityPhase).toBe('busy')
})

test('the registry of a process that is gone is not believed, and its key is never read', async () => {
  const { write, look, register, claudeFolder } = await setup()
  register(42, { status: 'busy' })
  writeFileSync(join(claudeFolder, 'sessions', '42.key'), 'secret')
  mkdirSync(join(claudeFolder, 'sessions', '43.json'))
  write('session.lifecycle', started)
  expect(await look(2_000)).toMatchObject({ state: 'completed', endReason: 'process_gone' })
})

test('without a registry an interrupt is found in the transcript', async () => {
  const { write, look, folder, clock } = await setup({ claudeFolder: null })
  const transcriptPath = join(folder, 't.jsonl')
  write('turn.start', { prompt: 'x', transcriptPath })
  await look()
  const line = {
    type: 'user',
    timestamp: new Date(clock.now()).toISOString(),
    message: {
      role: 'user',
      content: [{ type: 'text', text: '[Request interrupted by user for tool use]' }],
    },
  }
  appendFileSync(transcriptPath, `${JSON.stringify(line)}\n`)
  expect(await look(2_000)).toMatchObject({ activityPhase: 'interactable', lastOutcome: 'interrupted' })
})

const assistant = (id: string, model: string, usage: Record<string, number>) =>
  `${JSON.stringify({ type: 'assistant', gitBranch: 'main', message: { id, model, usage, content: [] } })}\n`
const user = (promptId: string, fields: Record<string, unknown> = {}) =>
  `${JSON.stringify({ type: 'user', promptId, gitBranch: 'main', message: { content: 'hello' }, ...fields })}\n`

test('a turn is enriched from the transcript, which comes late and repeats itself', async () => {
  const { write, look, folder, clock, monitor } = await setup()
  const transcriptPath = join(folder, 't.jsonl')
  write('session.lifecycle', { phase: 'started' })
  write('turn.start', { prompt: 'x' })
  write('turn.end', { transcriptPath })
  await monitor().refresh()
  write('turn.end', { transcriptPath })
  await look()
  expect(monitor().session('ses-1')?.tokens).toBeNull()

  const usage = {
    input_tokens: 10,
    output_tokens: 40,
    cache_read_input_tokens: 5,
    cache_creation_input_tokens: 2,
  }
  const text =
    user('p1') +
    user('p1', { message: { content: [{ type: 'tool_result' }] } }) +
    user('p1', { isMeta: true }) +
    assistant('m1', 'opus', { ...usage, output_tokens: 1 }) +
    assistant('m1', 'opus', usage) +
    assistant('m2', '<synthetic>', usage) +
    user('p2') +
    `${JSON.stringify({ type: 'custom-title', customTitle: 'Snow' })}\n` +
    `${JSON.stringify({ type: 'attachment', attachment: 'x'.repeat(1_000) })}\n`
  writeFileSync(transcriptPath, text.slice(0, -30))
  clock.advance(500)
  appendFileSync(transcriptPath, text.slice(-30))
  const subagent = join(folder, 't', 'subagents', 'agent-a1.jsonl')
  mkdirSync(dirname(subagent), { recursive: true })
  writeFileSync(subagent, assistant('m9', 'haiku', { input_tokens: 1, output_tokens: 2 }))
  writeFileSync(subagent.replace('.jsonl', '.meta.json'), JSON.stringify({ agentType: 'researcher' }))
  clock.advance(4_000)

  expect(monitor().session('ses-1')).toMatchObject({
    model: 'opus',
    tokens: { input: 11, output: 42, cached: 5, cacheCreation: 2 },
    contextTokens: 57,
    turnCount: 2,
    gitBranch: 'main',
    title: 'Snow',
    subagents: [
      {
        agentId: 'a1',
        agentType: 'researcher',
        tokens: { input: 1, output: 2, cached: 0, cacheCreation: 0 },
      },
    ],
  })
})

test('processes are measured only where that is wanted', async () => {
  const { write, look, process, clock } = await setup({ measuresProcesses: true })
  process(42, { cpuMs: 1_000, memMb: 180.4 })
  write('session.lifecycle', started)
  expect(await look()).toMatchObject({ cpuPercent: null, memMb: 180 })
  process(42, { cpuMs: 1_250, startedAt: clock.now() - HOUR })
  expect(await look()).toMatchObject({ cpuPercent: 25, memMb: 100 })
})

test('a started monitor tells of what is written, without being asked', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'streams', 'lifecycle.jsonl')
  const monitor = new LifecycleSessionMonitor({ path, claudeFolder: null, pollMs: 20 })
  onTestFinished(() => monitor.close())
  const told: string[] = []
  monitor.subscribe((changed) => told.push(...changed.map(({ sessionId }) => sessionId)))
  await monitor.start()
  mkdirSync(dirname(path), { recursive: true })
  const line = { id: '1', eventType: 'turn.end', occurredAtIso: new Date().toISOString(), sessionId: 'ses-7' }
  appendFileSync(path, `${JSON.stringify(line)}\n`)
  await expect.poll(() => told, { timeout: 5_000 }).toContain('ses-7')
  await monitor.close()
  rmSync(folder, { recursive: true })
})

test('lines of older hooks that name no session make no session', async () => {
  const { write, look, monitor } = await setup()
  write('session.lifecycle', { phase: 'started', sessionId: 'unknown' })
  write('session.lifecycle', { phase: 'started' })
  write('session.lifecycle', { phase: 'ended', sessionId: 'unknown' })
  expect(await look()).toMatchObject({ state: 'active' })
  expect(monitor().session('unknown')).toBeNull()
})

test('the path of the stream is all that it needs', async () => {
  const { write, path } = await setup()
  write('session.lifecycle', { phase: 'started', occurredAtIso: new Date().toISOString() })
  const monitor = new LifecycleSessionMonitor({ path })
  onTestFinished(() => monitor.close())
  await monitor.refresh()
  expect(monitor.sessions()).toMatchObject([{ sessionId: 'ses-1', state: 'active' }])
})
