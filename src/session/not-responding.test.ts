/** Processes that hang, exit early or exceed the limit: the session reports it, and no wait is unbounded. */

import { describe, expect, test } from 'vitest'
import { aPerson } from '../../test/support/build.js'
import type { FakeClaude } from '../../test/support/fake-claude.js'
import { createTestRuntime, type TestRuntime } from '../../test/support/test-runtime.js'

async function claudeNumber({ claudes }: TestRuntime, count: number): Promise<FakeClaude> {
  await expect.poll(() => claudes.started[count - 1]?.received.length).toBeGreaterThan(0)
  const claude = claudes.started[count - 1]
  if (!claude) throw new Error('no process')
  return claude
}

const conditionOf = async (runtime: TestRuntime, id: string) => (await runtime.hub.session(id)).condition
const notices = async (runtime: TestRuntime, id: string) =>
  (await runtime.events(id)).flatMap((event) => (event.type === 'notice.raised' ? [event.data.text] : []))

/** Ends after its init and before it has read the message. */
function dieEarly(claude: FakeClaude): void {
  claude.say({
    type: 'system',
    subtype: 'init',
    session_id: claude.launch.start.id,
    model: 'm',
    permissionMode: 'default',
  })
  claude.crash('Claude Code process exited with code 1')
}

describe('a process that does not react to its first message', () => {
  test('is shown as starting, then reported, then replaced', async () => {
    const runtime = await createTestRuntime()
    const { id } = await runtime.createSession('hello')
    const claude = await claudeNumber(runtime, 1)
    claude.isDeaf = true

    runtime.clock.advance(5_000)
    await expect.poll(() => conditionOf(runtime, id)).toBe('starting')
    runtime.clock.advance(25_000)
    await expect
      .poll(() => notices(runtime, id))
      .toEqual(['Claude Code has not reacted to the message for 30 s.'])
    runtime.clock.advance(30_000)

    const second = await claudeNumber(runtime, 2)
    expect(claude.wasKilled).toBe(true)
    const [message] = second.received
    if (message) second.begin(message)
    second.finish()
    await expect.poll(async () => (await runtime.hub.session(id)).turns).toBe(1)
    expect(await runtime.hub.session(id)).toMatchObject({ condition: null, queue: [], state: 'idle' })
  })

  test('is killed by an interrupt, which does not wait for it, and gets nothing again', async () => {
    const runtime = await createTestRuntime()
    const { id } = await runtime.createSession('hello')
    const claude = await claudeNumber(runtime, 1)
    claude.isDeaf = true
    const began = performance.now()

    await runtime.hub.interrupt(id)

    expect(performance.now() - began).toBeLessThan(3_000)
    expect(claude.wasKilled).toBe(true)
    expect(await runtime.hub.session(id)).toMatchObject({ queue: [], state: 'idle', process: 'parked' })
    expect(runtime.claudes.started).toHaveLength(1)
    await runtime.hub.send(id, { text: 'again' }, aPerson)
    const second = await claudeNumber(runtime, 2)
    expect(second.received.map(({ content }) => content)).toEqual(['again'])
  })

  test('is killed at once when the daemon stops', async () => {
    const runtime = await createTestRuntime()
    await runtime.createSession('hello')
    const claude = await claudeNumber(runtime, 1)
    claude.isDeaf = true

    await runtime.runner.close()

    expect(claude.wasKilled).toBe(true)
  })

  test('lets every request to it end: cancel, a change of its mode, a look at it', async () => {
    const runtime = await createTestRuntime()
    const { id, queue } = await runtime.createSession('hello')
    const claude = await claudeNumber(runtime, 1)
    claude.isDeaf = true
    const [message] = queue.length > 0 ? queue : (await runtime.hub.session(id)).queue

    const refused = { code: 'claude_failed', message: expect.stringContaining('not responding') }
    const asked = [
      runtime.hub.cancelMessage(id, message?.messageId ?? '', aPerson),
      runtime.hub.change(id, { permissionMode: 'plan' }, aPerson),
      runtime.hub.inspect(id, 'models'),
    ].map((answer) => expect(answer).rejects.toMatchObject(refused))
    await expect.poll(() => runtime.clock.timers()).toBeGreaterThan(4)
    runtime.clock.advance(10_000)

    await Promise.all(asked)
  })
})

test('a process that dies before it reads is started again with growing pauses, then given up', async () => {
  const runtime = await createTestRuntime()
  const { id } = await runtime.createSession('hello')

  dieEarly(await claudeNumber(runtime, 1))
  dieEarly(await claudeNumber(runtime, 2))
  for (const [count, pauseMs] of [
    [3, 1_000],
    [4, 5_000],
    [5, 30_000],
  ] as const) {
    await expect.poll(() => conditionOf(runtime, id)).toBe('retrying')
    runtime.clock.advance(pauseMs - 1)
    expect(runtime.claudes.started).toHaveLength(count - 1)
    runtime.clock.advance(1)
    dieEarly(await claudeNumber(runtime, count))
  }

  await expect.poll(async () => (await runtime.types(id)).at(-2)).toBe('message.cancelled')
  const error = (await runtime.events(id)).findLast((event) => event.type === 'error.raised')
  expect(error?.data).toMatchObject({
    code: 'claude_failed',
    message: expect.stringContaining('started 5 times'),
  })
  runtime.clock.advance(600_000)
  expect(runtime.claudes.started).toHaveLength(5)
  expect(await notices(runtime, id)).toHaveLength(3)
})

test('a message that comes during a pause does not cut it short, and an interrupt ends it', async () => {
  const runtime = await createTestRuntime()
  const { id } = await runtime.createSession('hello')
  dieEarly(await claudeNumber(runtime, 1))
  dieEarly(await claudeNumber(runtime, 2))
  await expect.poll(() => conditionOf(runtime, id)).toBe('retrying')

  await runtime.hub.send(id, { text: 'are you there?' }, aPerson)
  expect(runtime.claudes.started).toHaveLength(2)
  await runtime.hub.interrupt(id)

  expect(await runtime.hub.session(id)).toMatchObject({ condition: 'interrupted', queue: [] })
  runtime.clock.advance(600_000)
  expect(runtime.claudes.started).toHaveLength(2)
})

test('a session that waits for a free process says so', async () => {
  const runtime = await createTestRuntime({ limits: { maxLive: 1 } })
  const busy = await runtime.createSession('hello')
  const claude = await claudeNumber(runtime, 1)
  const [message] = claude.received
  if (message) claude.begin(message)
  const waiting = await runtime.createSession('me too')

  await expect.poll(() => conditionOf(runtime, waiting.id)).toBe('waiting_for_slot')
  await runtime.hub.stop(busy.id, 'Enough.', aPerson)

  await claudeNumber(runtime, 2)
  expect(await conditionOf(runtime, waiting.id)).toBe(null)
})

test('a process that falls silent in its work and does not answer is reported, and again when it does', async () => {
  const runtime = await createTestRuntime()
  const { id } = await runtime.createSession('hello')
  const claude = await claudeNumber(runtime, 1)
  const [message] = claude.received
  if (message) claude.begin(message)
  await expect.poll(async () => (await runtime.hub.session(id)).state).toBe('working')
  claude.isDeaf = true

  for (let passed = 0; passed < 90_000; passed += 10_000) runtime.clock.advance(10_000)
  await expect.poll(() => conditionOf(runtime, id)).toBe('not_responding')
  claude.isDeaf = false
  claude.finish()

  await expect.poll(() => conditionOf(runtime, id)).toBe(null)
})
