/** Plain `claude` in a terminal, with the hooks installed as a user does it, and its session in our log. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/lib/sqlite/driver.js'
import { LifecycleSessionMonitor } from '../../src/terminal/monitor/lifecycle-session-monitor.js'
import type { SessionSnapshot } from '../../src/terminal/monitor/monitor.js'
import { MAIN } from '../support/daemon-process.js'
import { findCommand } from '../support/find-command.js'
import { openTerminal, type RealTerminal } from '../support/terminal.js'
import { makeTerminalHome, type TerminalHome } from '../support/terminal-home.js'

/** A call of a skill, without a user who answers. */
const ACCEPTANCE = 'claude --dangerously-skip-permissions -p "snowflake 스킬 1 테스트"'

const home = () =>
  makeTerminalHome({
    rules: [
      {
        when: { user: 'snowflake 스킬' },
        times: 1,
        reply: [{ tool: 'Skill', input: { skill: 'snowflake', args: '1 테스트' } }],
      },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(2_000), delayMs: 20 }] },
      { when: { user: 'run' }, reply: [{ tool: 'Bash', input: { command: 'mkdir made' } }] },
      { when: { user: 'ask' }, reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }] },
      { reply: [{ text: 'Done.' }] },
    ],
  })

const QUESTION = {
  question: 'Which colour?',
  header: 'Colour',
  multiSelect: false,
  options: [
    { label: 'Red', description: 'like a rose' },
    { label: 'Blue', description: 'like the sky' },
  ],
}

const told = (lines: Record<string, unknown>[]) =>
  lines.map(({ eventType, phase }) => [eventType, phase].filter(Boolean).join(' '))

test('a skill is four lines among the others, and their rows in the database', async () => {
  const at = await home()
  const database = join(at.folder, 'lifecycle.db')
  const installed = await at.signalbox('hooks', 'install')
  expect(installed).toMatchObject({ code: 0, stderr: '' })
  expect(installed.stdout).toContain('✓ symlink: ~/.claude/hooks/')
  expect(installed.stdout).toContain('✓ hooks merged into ~/.claude/settings.json')
  expect(installed.stdout).toContain('  - PreToolUse[Skill]: lifecycle-logger')
  // The check that it names is one for every user: no permission is skipped, no skill is needed.
  expect(installed.stdout).toContain('hooks status\n')
  expect(installed.stdout).not.toMatch(/dangerously|snowflake/)
  const consumer = await startConsumer(at, database)

  const ran = await at.shell(ACCEPTANCE)

  expect(ran).toMatchObject({ code: 0, stdout: 'Done.\n', stderr: '' })
  const lines = await at.lines()
  expect(told(lines)).toEqual([
    'session.lifecycle started',
    'turn.start',
    'skill.lifecycle in_progress',
    'skill.lifecycle completed',
    'turn.end',
    'session.lifecycle ended',
  ])
  const [sessionId] = new Set(lines.map((line) => line['sessionId']))
  expect(lines[0]).toMatchObject({ sessionId, provider: 'claude', projectPath: at.cwd, cwd: at.cwd })
  expect(lines[1]).toMatchObject({ sessionId, prompt: 'snowflake 스킬 1 테스트' })
  expect(lines[2]).toMatchObject({
    sessionId,
    skillName: 'snowflake',
    triggerCommand: '/snowflake 1 테스트',
    turnSeq: null,
    targetDocPath: null,
    projectPath: at.cwd,
  })
  expect(lines[4]).toMatchObject({
    lastAssistantMessage: 'Done.',
    transcriptPath: expect.stringContaining('.jsonl'),
  })

  const stored = await openDatabase(database)
  onTestFinished(() => stored.close())
  const rows = (table: string) =>
    stored.prepare(`select id, phase, session_id from ${table} order by rowid`).all() as Record<
      string,
      unknown
    >[]
  await expect.poll(() => rows('session_lifecycle_events').length, { timeout: 5_000, interval: 20 }).toBe(2)
  expect(rows('session_lifecycle_events')).toEqual([
    { id: lines[0]?.['id'], phase: 'started', session_id: sessionId },
    { id: lines[5]?.['id'], phase: 'ended', session_id: sessionId },
  ])
  expect(rows('skill_lifecycle_events').map(({ phase }) => phase)).toEqual(['in_progress', 'completed'])
  expect(rows('turn_lifecycle_events').map(({ phase }) => phase)).toEqual(['start', 'end'])
  expect(stored.prepare('select count(*) as bad from lifecycle_bad_lines').get()).toEqual({ bad: 0 })

  const shown = JSON.parse((await at.signalbox('lifecycle', '--json')).stdout) as {
    sessions: SessionSnapshot[]
  }
  expect(shown.sessions).toMatchObject([
    {
      sessionId,
      state: 'completed',
      endReason: 'other',
      lastUserMessage: 'snowflake 스킬 1 테스트',
      turnCount: 1,
      tokens: { input: 20, output: 20 },
      model: expect.stringContaining('claude'),
      skills: [{ skillName: 'snowflake', state: 'completed', startedBy: 'model', outcome: 'completed' }],
    },
  ])
  expect((await at.signalbox('hooks', 'status')).stdout).toContain('Fires      yes')
  await consumer.stop()
})

async function startConsumer(at: TerminalHome, database: string) {
  const child = spawn(process.execPath, [MAIN, 'lifecycle', 'consume', '--database', database], {
    env: at.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  await once(child.stderr, 'data')
  return {
    async stop() {
      child.kill('SIGTERM')
      await exited
      expect(child.exitCode).toBe(0)
    },
  }
}

test('as a plugin the settings are not touched, and the same lines come', async () => {
  const at = await home()
  expect(await at.signalbox('hooks', 'install', '--plugin')).toMatchObject({ code: 0, stderr: '' })

  await at.shell(ACCEPTANCE)

  expect(told(await at.lines())).toEqual([
    'session.lifecycle started',
    'turn.start',
    'skill.lifecycle in_progress',
    'skill.lifecycle completed',
    'turn.end',
    'session.lifecycle ended',
  ])
  await expect(readFile(join(at.claudeFolder, 'settings.json'), 'utf8')).rejects.toThrow('ENOENT')
})

test('a skill that is typed, a session of our own, and hooks that were taken out', async () => {
  const at = await home()
  await at.signalbox('hooks', 'install')

  await at.shell('claude -p "hello"', { SIGNALBOX_CHILD: 'home/session' })
  expect(await at.lines()).toEqual([])

  await at.shell('claude -p "/snowflake docs/a.md"')
  const lines = await at.lines()
  expect(told(lines).toSorted()).toEqual([
    'session.lifecycle ended',
    'session.lifecycle started',
    'skill.lifecycle in_progress',
    'turn.end',
    'turn.start',
  ])
  expect(lines.find((line) => line['eventType'] === 'skill.lifecycle')).toMatchObject({
    skillName: 'snowflake',
    triggerCommand: '/snowflake docs/a.md',
    targetDocPath: 'docs/a.md',
    startedBy: 'person',
  })

  expect((await at.signalbox('hooks', 'uninstall')).code).toBe(0)
  await at.shell('claude -p "hello"')
  expect(await at.lines()).toHaveLength(lines.length)
})

describe.skipIf(!findCommand('tmux'))('in a terminal', () => {
  async function start(...flags: string[]) {
    const at = await home()
    await at.signalbox('hooks', 'install')
    const monitor = new LifecycleSessionMonitor({ path: at.stream, claudeFolder: at.claudeFolder })
    onTestFinished(() => monitor.close())
    await monitor.start()
    const terminal = await openTerminal(`exec ${at.folder}/bin/claude ${flags.join(' ')}`, {
      cwd: at.cwd,
      env: at.env,
    })
    await becomes(monitor, { state: 'active', activityPhase: 'interactable' })
    return { at, monitor, terminal }
  }

  async function say(terminal: RealTerminal, text: string): Promise<void> {
    await terminal.type(text)
    await terminal.shows(text)
    await terminal.press('Enter')
  }

  const becomes = (monitor: LifecycleSessionMonitor, expected: Partial<SessionSnapshot>) =>
    expect.poll(() => monitor.sessions().at(-1), { timeout: 30_000, interval: 50 }).toMatchObject(expected)

  test('an interrupt, of which no hook tells, is found out', async () => {
    const { monitor, terminal } = await start()
    await say(terminal, 'talk to me')
    await becomes(monitor, { activityPhase: 'busy', isInTurn: true, lastUserMessage: 'talk to me' })
    await terminal.shows('word word')

    await terminal.press('Escape')

    await becomes(monitor, { activityPhase: 'interactable', isInTurn: false, lastOutcome: 'interrupted' })
    await terminal.press('C-c')
    await terminal.press('C-c')
    await becomes(monitor, { state: 'completed', endReason: 'prompt_input_exit' })
  })

  test('a permission that is asked for and refused there, and the death of the process', async () => {
    const { at, monitor, terminal } = await start('--permission-mode default')
    await say(terminal, 'run something')
    await becomes(monitor, { activityPhase: 'waiting_permission' })
    expect(monitor.sessions()[0]?.waitingFor).toMatchObject({ toolName: 'Bash' })
    expect((await at.lines()).at(-1)).toMatchObject({
      phase: 'waiting_permission',
      toolName: 'Bash',
      toolInput: { command: 'mkdir made' },
    })

    await terminal.answer('Escape', 'Do you want to proceed?')
    await becomes(monitor, { activityPhase: 'interactable', lastOutcome: 'interrupted', waitingFor: null })

    process.kill(monitor.sessions()[0]?.pid ?? 0, 'SIGKILL')
    await becomes(monitor, { state: 'completed', endReason: 'process_gone', endedAt: null })
  })

  test('a question that is asked and answered there', async () => {
    const { at, monitor, terminal } = await start('--permission-mode default')
    await say(terminal, 'ask me')
    await becomes(monitor, { activityPhase: 'waiting_question' })
    await terminal.shows('like a rose')

    await terminal.answer('Enter', 'Enter to select')

    await becomes(monitor, { activityPhase: 'interactable', lastOutcome: 'completed', waitingFor: null })
    expect(told(await at.lines())).toContain('request.lifecycle answered')
  })
})
