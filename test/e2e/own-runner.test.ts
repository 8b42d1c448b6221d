/** The runner as a process of its own: daemon and runner end and start independently, and turns go on. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hasOwnRunner } from '../../src/runtime/runner-place.js'
import {
  allEvents,
  expectOrderly,
  makePlace,
  type Place,
  pendingRequest,
  processesOf,
  sessionWhen,
  startDaemonProcess,
} from '../support/daemon-process.js'
import { whenDone } from '../support/when-done.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      { when: { toolResult: '*' }, reply: [{ text: 'It is done.' }] },
      {
        when: { user: '/talk|Continue from where you left off/' },
        reply: [
          { text: 'word '.repeat(60), delayMs: 20 },
          { tool: 'Write', input: { file_path: join(cwd, 'done'), content: 'a' } },
        ],
      },
      {
        when: { user: 'write' },
        reply: [{ tool: 'Write', input: { file_path: join(cwd, 'asked'), content: 'a' } }],
      },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

const start = (at: Place) => startDaemonProcess(at, '0', ['--runner', 'own'])

/** Pids of all runners that have started in a home, the newest last. */
function runnersOf({ home }: Place): number[] {
  const folder = join(home, 'logs')
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('daemon')) : []
  const lines = names.flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
  return lines
    .map((line) => JSON.parse(line) as { message: string; pid?: number })
    .flatMap(({ message, pid }) => (message === 'runner_started' && pid !== undefined ? [pid] : []))
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function setup() {
  const at = await place()
  // A runner outlives the daemon that a failed test has left.
  whenDone(() => {
    for (const pid of runnersOf(at)) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  })
  return { at, daemon: await start(at) }
}

test('a turn goes on while the daemon is killed: text, gate and tools, and each event is stored once', async () => {
  const { at, daemon } = await setup()
  const { session } = await daemon.client.createSession({
    body: { cwd: at.cwd, prompt: 'talk', permissionMode: 'acceptEdits' },
  })
  const { id } = session
  await sessionWhen(daemon.client, id, ({ partial }) => (partial?.text.length ?? 0) > 20)
  const asking = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'write' } })
  const asked = await pendingRequest(daemon.client, asking.session.id)
  const [runner] = runnersOf(at)

  await daemon.kill()
  await expect.poll(() => existsSync(join(at.cwd, 'done')), { timeout: 20_000 }).toBe(true)
  const next = await start(at)

  await sessionWhen(next.client, id, ({ turns, turn }) => turns === 1 && turn === null)
  const events = await allEvents(next.client, id)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const texts = events.flatMap(({ type, data }) => (type === 'text.ended' ? [data.text] : []))
  expect(texts).toEqual(['word '.repeat(60), 'It is done.'])
  expect(events.filter(({ type }) => type === 'tool.judged')).toHaveLength(1)
  expect(events.filter(({ type }) => type === 'turn.ended')).toMatchObject([
    { data: { outcome: 'completed' } },
  ])

  // The request that waited is the same, and its answer reaches the call.
  await next.client.answerRequest({ params: { id: asked.id }, body: { decision: 'allow' } })
  await sessionWhen(next.client, asking.session.id, ({ turns, turn }) => turns === 1 && turn === null)
  expect(existsSync(join(at.cwd, 'asked'))).toBe(true)
  await expectOrderly(next.client)

  expect(runnersOf(at)).toEqual([runner])
  expect(await next.stop()).toBe(0)
  expect(await hasOwnRunner(at.home)).toBe(false)
  expect(processesOf(at.home)).toEqual([])
})

test('a runner that is killed is replaced while the daemon serves, and its sessions work again', async () => {
  const { at, daemon } = await setup()
  const { session } = await daemon.client.createSession({
    body: { cwd: at.cwd, prompt: 'talk', permissionMode: 'acceptEdits' },
  })
  await sessionWhen(daemon.client, session.id, ({ partial }) => (partial?.text.length ?? 0) > 20)
  const [runner] = runnersOf(at)

  process.kill(runner ?? 0, 'SIGKILL')

  await expect.poll(() => runnersOf(at).length, { timeout: 20_000 }).toBe(2)
  const { id } = session
  await sessionWhen(daemon.client, id, ({ turn, isInterrupted }) => turn === null && isInterrupted)
  await daemon.client.sendMessage({ params: { id }, body: { text: 'hello' } })
  await sessionWhen(
    daemon.client,
    id,
    ({ turn, turns, state }) => turn === null && turns === 2 && state === 'idle',
  )
  await expectOrderly(daemon.client)
  const events = await allEvents(daemon.client, session.id)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(await daemon.stop()).toBe(0)
  expect(processesOf(at.home)).toEqual([])
})

test('a daemon with a runner inside does not start beside a runner of its own', async () => {
  const { at, daemon } = await setup()
  await daemon.kill()

  await expect(startDaemonProcess(at)).rejects.toThrow('start --runner own')

  const next = await start(at)
  expect(runnersOf(at)).toHaveLength(1)
  expect(await next.stop()).toBe(0)
})

test('a runner that has the policy of before a crash is ended, and another one started', async () => {
  const { at, daemon } = await setup()
  const [runner = 0] = runnersOf(at)
  await daemon.kill()
  expect(isAlive(runner)).toBe(true)

  Object.assign(at.env, { SIGNALBOX_POLICY: 'careful' })
  const next = await start(at)

  expect(runnersOf(at)).toHaveLength(2)
  await expect.poll(() => isAlive(runner)).toBe(false)
  await next.stop()
})
