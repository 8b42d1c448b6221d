/** No pending request is lost: the daemon or the CLI ends in every way, and the answer still counts. */

import { access, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../src/client/client.js'
import type { InboxRequest } from '../../src/protocol/request.js'
import type { Session } from '../../src/protocol/session.js'
import {
  allEvents,
  type DaemonProcess,
  expectOrderly,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'

const QUESTION = {
  question: 'Which one?',
  header: 'One',
  multiSelect: false,
  options: [
    { label: 'Left', description: 'this way' },
    { label: 'Right', description: 'that way' },
  ],
}

/** An agent that resumes a turn does what it was about to do. */
const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'Told: {{toolResult}}' }] },
      {
        when: { user: 'ask' },
        reply: [{ tool: 'AskUserQuestion', input: { questions: [QUESTION] } }],
      },
      {
        when: { user: '/write|Continue from where you left off/' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'a'), content: 'a' } }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

/** The CLI writes a call to its transcript after it has asked. Killed before that, it cannot make the call again. */
async function recorded({ home }: Place, { toolUseId }: InboxRequest): Promise<void> {
  const folder = join(home, 'claude', 'projects')
  const transcripts = async () => {
    const names = await readdir(folder, { recursive: true }).catch(() => [])
    const paths = names.filter((name) => name.endsWith('.jsonl')).map((name) => join(folder, name))
    return (await Promise.all(paths.map((path) => readFile(path, 'utf8')))).join('')
  }
  await expect.poll(transcripts, { timeout: 10_000 }).toContain(toolUseId ?? 'no call')
}

/** Ways in which a process ends while it waits for the user. */
const ENDS = {
  'the daemon is killed': async (daemon: DaemonProcess, at: Place, asked: InboxRequest) => {
    await recorded(at, asked)
    await daemon.kill()
    return startDaemonProcess(at)
  },
  'the daemon is stopped': async (daemon: DaemonProcess, at: Place) => {
    expect(await daemon.stop()).toBe(0)
    return startDaemonProcess(at)
  },
  'the CLI is killed': async (daemon: DaemonProcess, at: Place, asked: InboxRequest) => {
    await recorded(at, asked)
    const [cli] = processesOf(at.home).toSorted((one, other) => one - other)
    process.kill(cli ?? 0, 'SIGKILL')
    await expect.poll(() => processesOf(at.home), { timeout: 10_000 }).toEqual([])
    return daemon
  },
} as const

/** The turn that was cut off has ended, and the resumed one as well. */
const isIdle = ({ state, turns, parkedRequests }: Session) =>
  state === 'idle' && turns === 2 && parkedRequests.length === 0

async function waitingSession({ client }: DaemonProcess, { cwd }: Place) {
  const { session } = await client.createSession({ body: { cwd, prompt: 'write' } })
  return { id: session.id, asked: await pendingRequest(client, session.id) }
}

async function expectParked(client: Client, requestId: string): Promise<void> {
  const parts = async () => {
    const { state, isParked, resolution } = (await client.getRequest({ params: { id: requestId } })).request
    return { state, isParked, resolution }
  }
  await expect
    .poll(parts, { timeout: 10_000 })
    .toEqual({ state: 'pending', isParked: true, resolution: null })
}

const isWritten = ({ cwd }: Place) =>
  access(join(cwd, 'a')).then(
    () => true,
    () => false,
  )

describe.each(Object.entries(ENDS))('%s while a permission waits', (_, end) => {
  test('it is allowed afterwards: the turn goes on, and the call runs once', async () => {
    const at = await place()
    const before = await startDaemonProcess(at)
    const { id, asked } = await waitingSession(before, at)
    const { client, ...daemon } = await end(before, at, asked)
    await expectParked(client, asked.id)
    await expect.poll(() => processesOf(at.home), { timeout: 10_000 }).toEqual([])
    expect(await isWritten(at)).toBe(false)
    expect((await client.listRequests({ query: { state: 'pending' } })).requests).toHaveLength(1)

    await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })

    const session = await sessionWhen(client, id, isIdle)
    expect(await readFile(join(at.cwd, 'a'), 'utf8')).toBe('a')
    expect(session.lastText).toContain('Told: ')
    expect((await client.listRequests({ query: {} })).requests).toHaveLength(1)
    const events = await allEvents(client, id)
    expect(events.filter(({ type }) => type === 'permission.requested')).toHaveLength(1)
    expect(events.filter(({ type }) => type === 'request.revived')).toHaveLength(1)
    await expectOrderly(client)
    await daemon.stop()
  })

  test('it is denied afterwards: the agent hears why, and nothing runs', async () => {
    const at = await place()
    const before = await startDaemonProcess(at)
    const { id, asked } = await waitingSession(before, at)
    const { client, ...daemon } = await end(before, at, asked)
    await expectParked(client, asked.id)

    await client.answerRequest({
      params: { id: asked.id },
      body: { decision: 'deny', message: 'Not today.' },
    })

    expect(await sessionWhen(client, id, isIdle)).toMatchObject({ lastText: 'Told: Not today.' })
    expect(await isWritten(at)).toBe(false)
    await expectOrderly(client)
    await daemon.stop()
  })

  test('a message instead goes on without it, and the request says so', async () => {
    const at = await place()
    const before = await startDaemonProcess(at)
    const { id, asked } = await waitingSession(before, at)
    const { client, ...daemon } = await end(before, at, asked)
    await expectParked(client, asked.id)

    await client.sendMessage({ params: { id }, body: { text: 'hello again' } })

    expect((await sessionWhen(client, id, isIdle)).lastText).toContain('hello again')
    const { request } = await client.getRequest({ params: { id: asked.id } })
    expect(request.resolution).toMatchObject({
      decision: 'deny',
      by: 'shutdown',
      reason: 'The session continued with another message.',
    })
    expect(await isWritten(at)).toBe(false)
    await expectOrderly(client)
    await daemon.stop()
  })
})

test('a question is answered afterwards as well', async () => {
  const at = await place()
  const before = await startDaemonProcess(at)
  const { session } = await before.client.createSession({ body: { cwd: at.cwd, prompt: 'ask me' } })
  const asked = await pendingRequest(before.client, session.id)
  await recorded(at, asked)
  await before.kill()
  const { client, ...daemon } = await startDaemonProcess(at)

  await client.answerRequest({ params: { id: asked.id }, body: { answers: { 'Which one?': 'Left' } } })

  const { lastText } = await sessionWhen(client, session.id, isIdle)
  expect(lastText).toContain('"Which one?"="Left"')
  await expectOrderly(client)
  await daemon.stop()
})

/** Answers while the CLI is stopped, so that the answer cannot reach it, and kills the daemon. */
async function answerAndKill(
  daemon: DaemonProcess,
  at: Place,
  asked: InboxRequest,
  body: Parameters<Client['answerRequest']>[0]['body'],
): Promise<DaemonProcess> {
  await recorded(at, asked)
  for (const pid of processesOf(at.home)) process.kill(pid, 'SIGSTOP')
  await daemon.client.answerRequest({ params: { id: asked.id }, body })
  await daemon.kill()
  return startDaemonProcess(at)
}

describe('an answer that was accepted right before the daemon was killed', () => {
  test('a denial counts when the turn goes on by itself', async () => {
    const at = await place()
    const before = await startDaemonProcess(at)
    const { id, asked } = await waitingSession(before, at)

    const answer = { decision: 'deny', message: 'Not today.' } as const
    const { client, ...daemon } = await answerAndKill(before, at, asked, answer)

    expect(await sessionWhen(client, id, isIdle)).toMatchObject({ lastText: 'Told: Not today.' })
    expect(await isWritten(at)).toBe(false)
    expect((await client.listRequests({ query: {} })).requests).toHaveLength(1)
    await expectOrderly(client)
    await daemon.stop()
  })

  test('an answered question is not asked again', async () => {
    const at = await place()
    const before = await startDaemonProcess(at)
    const { session } = await before.client.createSession({ body: { cwd: at.cwd, prompt: 'ask me' } })
    const asked = await pendingRequest(before.client, session.id)

    const answer = { answers: { 'Which one?': 'Left' } }
    const { client, ...daemon } = await answerAndKill(before, at, asked, answer)

    const { lastText } = await sessionWhen(client, session.id, isIdle)
    expect(lastText).toContain('"Which one?"="Left"')
    expect((await client.listRequests({ query: {} })).requests).toHaveLength(1)
    await expectOrderly(client)
    await daemon.stop()
  })

  test('what was allowed runs once, or the session says that it may have run', async () => {
    const at = await place()
    const before = await startDaemonProcess(at)
    const { id, asked } = await waitingSession(before, at)

    const { client, ...daemon } = await answerAndKill(before, at, asked, { decision: 'allow' })

    // A call is recorded as started before the CLI hears of it; from then on it may have run.
    const events = await allEvents(client, id)
    if (events.some(({ type }) => type === 'notice.raised')) {
      expect(await isWritten(at)).toBe(false)
      await client.resumeSession({ params: { id }, body: { continue: true } })
      const again = await pendingRequest(client, id)
      await client.answerRequest({ params: { id: again.id }, body: { decision: 'allow' } })
    }
    await sessionWhen(client, id, isIdle)
    expect(await isWritten(at)).toBe(true)
    await expectOrderly(client)
    await daemon.stop()
  })
})

test('an agent that asks for something else after a restart is not given the answer', async () => {
  const at = await place()
  const before = await startDaemonProcess(at)
  const { id, asked } = await waitingSession(before, at)
  await recorded(at, asked)
  await before.kill()
  const changed = (await readFile(at.scriptFile, 'utf8')).replace('"content":"a"', '"content":"b"')
  await writeFile(at.scriptFile, changed)
  const { client, ...daemon } = await startDaemonProcess(at)

  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
  const other = await pendingRequest(client, id)
  expect(other).toMatchObject({ toolName: 'Write', input: { content: 'b' } })
  expect(await isWritten(at)).toBe(false)
  await client.answerRequest({ params: { id: other.id }, body: { decision: 'deny' } })

  await sessionWhen(client, id, isIdle)
  expect(await isWritten(at)).toBe(false)
  const lapsed = (await allEvents(client, id)).find(({ type }) => type === 'request.lapsed')
  expect(lapsed?.data).toMatchObject({ requestId: asked.id })
  await expectOrderly(client)
  await daemon.stop()
})

test('with onRestart "continue" the turn goes on by itself and waits for the same request', async () => {
  const at = await place()
  const before = await startDaemonProcess(at)
  const { id, asked } = await waitingSession(before, at)
  await recorded(at, asked)
  await before.kill()
  const env = { ...at.env, SIGNALBOX_ON_RESTART: 'continue' }
  const { client, ...daemon } = await startDaemonProcess({ ...at, env })

  const revived = async () => (await allEvents(client, id)).some(({ type }) => type === 'request.revived')
  await expect.poll(revived, { timeout: 20_000 }).toBe(true)
  expect(await client.getRequest({ params: { id: asked.id } })).toMatchObject({
    request: { state: 'pending' },
  })
  await client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })

  await sessionWhen(client, id, isIdle)
  expect(await isWritten(at)).toBe(true)
  await expectOrderly(client)
  await daemon.stop()
})
