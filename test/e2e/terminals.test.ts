/** Plain `claude` in terminals, seen and answered through the daemon. */

import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { problemsOf } from '../support/check-log.js'
import { allEvents, expectOrderly, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { makeTerminalHome } from '../support/terminal-home.js'

const SNOWFLAKE = {
  rules: [
    {
      when: { user: 'snowflake 스킬' },
      times: 1,
      reply: [{ tool: 'Skill', input: { skill: 'snowflake', args: '1 테스트' } }],
    },
    { reply: [{ text: 'Done.' }] },
  ],
}

test('a session of a terminal is in the list, the log and the stream like any other, and stays so over restarts', async () => {
  const at = await makeTerminalHome(SNOWFLAKE)
  await at.signalbox('hooks', 'install')
  let daemon = await startDaemonProcess(at.place)
  const streamed: string[] = []
  const leave = new AbortController()
  const following = (async () => {
    for await (const { event } of daemon.client.events({ after: 0, signal: leave.signal }))
      streamed.push(event.type)
  })().catch(() => {})

  expect((await at.shell('claude --dangerously-skip-permissions -p "snowflake 스킬 1 테스트"')).code).toBe(0)

  const listed = async () => (await daemon.client.listSessions({ query: { kind: 'observed' } })).sessions
  await expect
    .poll(async () => (await listed()).map(({ state }) => state), { timeout: 10_000 })
    .toEqual(['ended'])
  const [found] = await listed()
  const { id, claudeSessionId } = found ?? { id: '', claudeSessionId: null }
  // Tokens come from the transcript, a moment later.
  const session = await sessionWhen(daemon.client, id, ({ usage }) => usage.outputTokens === 20)
  expect(session).toMatchObject({
    kind: 'observed',
    cwd: at.cwd,
    lastPrompt: 'snowflake 스킬 1 테스트',
    lastText: 'Done.',
    turns: 1,
    permissionMode: 'bypassPermissions',
    reason: 'The process ended.',
  })
  const events = await allEvents(daemon.client, id)
  expect(problemsOf(events)).toEqual([])
  const besides = ['session.changed', 'usage.recorded', 'tool.requested', 'tool.ended']
  expect(events.filter(({ type }) => !besides.includes(type)).map(({ type }) => type)).toEqual([
    'session.created',
    'message.queued',
    'turn.started',
    'message.delivered',
    'skill.started',
    'skill.ended',
    'text.ended',
    'turn.ended',
    'session.ended',
  ])
  expect(events.find(({ type }) => type === 'skill.started')?.data).toMatchObject({
    skillName: 'snowflake',
    startedBy: 'model',
  })
  // The transcript has the call itself, at a time of its own.
  expect(events.filter(({ type }) => type.startsWith('tool'))).toMatchObject([
    { type: 'tool.requested', data: { name: 'Skill' } },
    { type: 'tool.ended', data: { name: 'Skill', outcome: 'completed' } },
  ])
  await expect.poll(() => streamed).toEqual(events.map(({ type }) => type))

  const { sessions } = await daemon.client.listTerminalSessions({ query: {} })
  expect(sessions).toMatchObject([
    { id, sessionId: claudeSessionId, state: 'completed', skills: [{ skillName: 'snowflake' }] },
  ])
  const { skills } = await daemon.client.listTerminalSkills({ query: { state: 'completed' } })
  expect(skills).toMatchObject([{ sessionId: claudeSessionId, skillName: 'snowflake', startedBy: 'model' }])
  expect(skills[0]?.durationMs).toBeGreaterThanOrEqual(0)

  const { hooks } = await daemon.client.hookStatus()
  expect(hooks).toMatchObject({ installations: [{ missing: [] }], hook: { works: true }, fires: true })
  const { session: observed } = await daemon.client.getSession({ params: { id } })
  expect(observed.contextTokens).toBeGreaterThan(0)

  // A session of a terminal cannot be controlled from here.
  await expect(daemon.client.stopSession({ params: { id }, body: {} })).rejects.toMatchObject({
    code: 'session_observed',
  })

  leave.abort()
  await following
  for (const end of ['kill', 'stop'] as const) {
    await daemon[end]()
    daemon = await startDaemonProcess(at.place)
    expect(await allEvents(daemon.client, id)).toEqual(events)
  }
  await at.shell('claude -p "again"')
  await expect.poll(async () => (await listed()).filter(({ state }) => state === 'ended').length).toBe(2)
  await expectOrderly(daemon.client)
  expect(daemon.stderr()).toBe('')
})

test('what happens while the daemon is away is told when it is back', async () => {
  const at = await makeTerminalHome(SNOWFLAKE)
  await at.signalbox('hooks', 'install')
  await at.shell('claude -p "hello"')
  const written = (await readFile(at.stream, 'utf8')).split('\n').length - 1

  const daemon = await startDaemonProcess(at.place)

  const listed = async () => (await daemon.client.listSessions({ query: { kind: 'observed' } })).sessions
  await expect.poll(async () => (await listed()).map(({ state }) => state)).toEqual(['ended'])
  expect(written).toBe(4)
  await expectOrderly(daemon.client)
})

test('a session of our own does not come back as a stranger', async () => {
  const at = await makeTerminalHome(SNOWFLAKE)
  await at.signalbox('hooks', 'install')
  const daemon = await startDaemonProcess(at.place)
  const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'hello' } })
  await sessionWhen(daemon.client, session.id, ({ turns }) => turns === 1)
  await daemon.client.stopSession({ params: { id: session.id }, body: {} })

  // A stranger's session comes after it, so whatever ours had written would be there.
  await at.shell('claude -p "hello"')
  await expect
    .poll(async () => (await daemon.client.listSessions({ query: { kind: 'observed' } })).sessions.length)
    .toBe(1)
  const [{ claudeSessionId } = {}] = (await daemon.client.listSessions({ query: { kind: 'observed' } }))
    .sessions
  expect(claudeSessionId).not.toBe(session.claudeSessionId)
})
