/** The behaviour of every link between a runner and its hub, in one process or between two. */

import { expect, onTestFinished, test } from 'vitest'
import { ids, messageQueued, notice, sessionCreated } from '../../test/support/build.js'
import { createMemoryBus } from '../bus/memory.js'
import type { Bus } from '../bus/port.js'
import { AppendRefused, createJournal, type Journal, type Published } from '../journal/journal.js'
import { systemClock } from '../lib/clock.js'
import { HubError } from '../protocol/error.js'
import { createMemoryStore } from '../store/memory.js'
import type { Store } from '../store/port.js'
import type { AgentPort, ChildCall } from '../tool/built-in/agent-caller.js'
import type { HubEnd } from './memory.js'
import type { HubLink } from './port.js'

interface OpenedLink {
  journal: Journal
  store: Store
  bus: Bus
  link: HubLink
  calls: ChildCall[]
}

/** `connect` gives the runner's end of a link to this hub. */
async function openLink(connect: (hub: HubEnd) => Promise<HubLink>): Promise<OpenedLink> {
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock: systemClock, ids })
  const bus = createMemoryBus()
  const calls: ChildCall[] = []
  const agents: AgentPort = {
    lineageOf: async (rootId) => ({ agents: [], rootId, calls: 0, spentUsd: 0 }),
    run: (call) =>
      new Promise((resolve) => {
        calls.push(call)
        const end = (reason: string | null) =>
          resolve({ sessionId: 'ses_child', outcome: 'completed', text: 'done', costUsd: 1, reason })
        call.onProgress('reads a file')
        if (call.message === 'wait') call.signal.addEventListener('abort', () => end('stopped'))
        else end(null)
      }),
  }
  const checkPolicy = async () => {}
  const link = await connect({ machine: 'local', journal, store, bus, agents, checkPolicy })
  onTestFinished(() => journal.close())
  return { journal, store, bus, link, calls }
}

export function linkSuite(connect: (hub: HubEnd) => Promise<HubLink>): void {
  const open = () => openLink(connect)

  async function withSession() {
    const opened = await open()
    const sessionId = ids.next('ses')
    await opened.journal.append(sessionId, [sessionCreated()])
    return { ...opened, sessionId }
  }

  function follow(journal: Journal, after = 0) {
    const seen: string[] = []
    const subscription = journal.subscribe({
      after,
      deliver: (items) => seen.push(...items.map(textOf)),
    })
    onTestFinished(() => subscription.close())
    return seen
  }

  test('the hub numbers what the runner appends, and its fragments stay behind it', async () => {
    const { link, journal, sessionId } = await withSession()
    const seen = follow(journal)

    const appended = link.journal.append(sessionId, [notice('one'), notice('two')])
    link.journal.publish(sessionId, {
      type: 'text.delta',
      data: { messageId: 'm', index: 0, offset: 0, text: 'a' },
    })
    const events = await appended

    expect(events.map(({ seq, type }) => [seq, type])).toEqual([
      [2, 'notice.raised'],
      [3, 'notice.raised'],
    ])
    await expect.poll(() => seen).toEqual(['session.created', 'one', 'two', 'text.delta'])
    expect(await link.journal.session(sessionId)).toMatchObject({ lastSeq: 3, partial: { text: 'a' } })
  })

  test('what others append reaches the runner behind its cursor, once', async () => {
    const { link, journal, store, sessionId } = await withSession()
    await journal.append(sessionId, [notice('before')])
    const after = await link.store.lastPosition()
    expect(after).toBe(await store.lastPosition())
    const seen = follow(link.journal, after)

    await journal.append(sessionId, [notice('of the hub')])
    await link.journal.append(sessionId, [notice('of the runner')])
    await journal.append(sessionId, [messageQueued('hello')])

    await expect.poll(() => seen).toEqual(['of the hub', 'of the runner', 'message.queued'])
  })

  test('the runner hears why an append was refused', async () => {
    const { link } = await open()

    const refused = await link.journal.append(ids.next('ses'), [notice('lost')]).catch((error) => error)

    expect(refused).toBeInstanceOf(AppendRefused)
    expect(refused.why).toEqual({ kind: 'session_unknown' })
  })

  test('an event that is not valid is refused where it is made', async () => {
    const { link, sessionId } = await withSession()
    const draft = { type: 'notice.raised', data: { level: 'loud' } } as never
    await expect(async () => link.journal.append(sessionId, [draft])).rejects.toThrow()
    expect(await link.journal.append(sessionId, [notice('next')])).toMatchObject([{ seq: 2 }])
  })

  test('a repeated append with the same key is stored once', async () => {
    const { link, store, sessionId } = await withSession()
    const once = { scope: 'test', key: 'k', value: 'first' }
    await link.journal.append(sessionId, [notice('one')], { once, at: '2026-01-01T00:00:00.000Z' })

    const again = await link.journal.append(sessionId, [notice('one')], { once }).catch((error) => error.why)

    expect(again).toEqual({ kind: 'key_used', value: 'first', isSame: true })
    expect((await store.readSession(sessionId)).map(({ event }) => [event.seq, event.at])).toEqual([
      [1, expect.anything()],
      [2, '2026-01-01T00:00:00.000Z'],
    ])
  })

  test('a command gets its reply, or the error with its code', async () => {
    const { link, bus } = await open()
    const leave = link.serve({
      'workspace.find': async ({ path }) => {
        if (path === '/gone') throw new HubError('workspace_not_found', 'No folder.', { path })
        return `/real${path}`
      },
      'workspace.distrusted': async () => {},
    })
    await expect.poll(() => bus.call({ type: 'workspace.find', path: '/a' })).toBe('/real/a')
    expect(await bus.call({ type: 'workspace.distrusted', path: '/a' })).toBeUndefined()

    const failed = await bus.call({ type: 'workspace.find', path: '/gone' }).catch((error) => error)
    expect(failed).toBeInstanceOf(HubError)
    expect(failed).toMatchObject({ code: 'workspace_not_found', details: { path: '/gone' } })

    leave()
    await expect
      .poll(() => bus.call({ type: 'workspace.find', path: '/a' }).catch((error) => error.code))
      .toBe('session_not_driven')
  })

  test('a caller that does not wait any more aborts its command', async () => {
    const { link, bus } = await open()
    let aborted = 0
    link.serve({
      'workspace.distrusted': async () => {},
      'terminals.hold': (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            aborted += 1
            resolve(null)
          }),
        ),
    })
    await expect
      .poll(() => bus.call({ type: 'workspace.distrusted', path: '/a' }).then(() => true))
      .toBe(true)
    const caller = new AbortController()
    const held = bus.call({ type: 'terminals.hold', lineId: 'l' }, caller.signal).catch(() => null)
    await new Promise((resolve) => setImmediate(resolve))
    caller.abort()

    expect(await held).toBeNull()
    await expect.poll(() => aborted).toBe(1)
  })

  test('the runner keeps state at the hub and sees sessions of its own machine', async () => {
    const { link, journal, store, sessionId } = await withSession()
    await journal.append(ids.next('ses'), [sessionCreated({ machine: 'laptop' })])
    await store.trust({ machine: 'local', path: '/srv', trustedAt: AT, trustedBy: 'kim' })
    await store.trust({ machine: 'laptop', path: '/src', trustedAt: AT, trustedBy: 'kim' })

    await link.store.setState('key', 'value')

    expect(await store.state('key')).toBe('value')
    expect((await link.store.sessions()).map(({ id }) => id)).toEqual([sessionId])
    expect((await link.store.trustedWorkspaces()).map(({ path }) => path)).toEqual(['/srv'])
    expect(await link.store.session('ses_unknown')).toBeNull()
    expect(await link.store.readSession(sessionId, { limit: 1 })).toMatchObject([{ event: { seq: 1 } }])
  })

  test('the hub runs an agent for an agent, with its progress, until it is stopped', async () => {
    const { link, calls } = await open()
    const progress: string[] = []
    const stop = new AbortController()
    const call = (message: string) =>
      link.agents.run({
        agent: 'reviewer',
        definition: {},
        message,
        cwd: '/srv',
        parentId: 'ses_parent',
        parentToolUseId: null,
        budgetUsd: 1,
        signal: stop.signal,
        onProgress: (text) => progress.push(text),
      })

    expect(await call('go')).toEqual({
      sessionId: 'ses_child',
      outcome: 'completed',
      text: 'done',
      costUsd: 1,
      reason: null,
    })
    const waiting = call('wait')
    await expect.poll(() => progress).toEqual(['reads a file', 'reads a file'])
    stop.abort()

    expect(await waiting).toMatchObject({ reason: 'stopped' })
    expect(calls.map(({ message }) => message)).toEqual(['go', 'wait'])
  })
}

const AT = '2026-11-01T10:00:00.000Z'

function textOf({ event }: Published): string {
  return event.type === 'notice.raised' ? event.data.text : event.type
}
