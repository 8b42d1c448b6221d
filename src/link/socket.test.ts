import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { connect as connectSocket } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  ids,
  messageQueued,
  notice,
  permissionRequested,
  permissionResolved,
  sessionCreated,
} from '../../test/support/build.js'
import { createManualClock } from '../../test/support/manual-clock.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { createMemoryBus } from '../bus/memory.js'
import { createJournal } from '../journal/journal.js'
import { systemClock } from '../lib/clock.js'
import { storageUnavailable } from '../protocol/storage.js'
import { createMemoryStore } from '../store/memory.js'
import type { Store } from '../store/port.js'
import { LINK_PROTOCOL } from './frame.js'
import { listenForRunner, type RunnerListener } from './hub-end.js'
import { linkSuite } from './link-suite.js'
import type { HubEnd } from './memory.js'
import { connectToHub, type RunnerEnd, type RunnerEndDeps } from './runner-end.js'
import { Spool } from './spool.js'

const KEY = 'a key that no agent has'
const NOW = '2026-11-16T12:00:00.000Z'

interface Place {
  path: string
  spoolPath: string
  faults: unknown[]
  learned: string[]
}

async function makePlace(): Promise<Place> {
  const folder = await temporaryFolder()
  const place: Place = { path: join(folder, 's'), spoolPath: join(folder, 'spool'), faults: [], learned: [] }
  onTestFinished(() => expect(place.faults).toEqual([]))
  return place
}

async function listen({ path, faults, learned }: Place, hub: HubEnd): Promise<RunnerListener> {
  const listener = await listenForRunner({
    ...hub,
    path,
    key: KEY,
    build: 'build-1',
    secrets: {
      learn: (values) => {
        learned.push(...values)
        return [...values]
      },
    },
    onFault: (error) => faults.push(error),
  })
  onTestFinished(() => listener.close())
  return listener
}

async function connect(
  { path, spoolPath, faults }: Place,
  more: Partial<RunnerEndDeps> = {},
): Promise<RunnerEnd> {
  const end = await connectToHub({
    path,
    key: () => KEY,
    machine: 'local',
    build: 'build-1',
    spool: new Spool(spoolPath),
    clock: systemClock,
    ids,
    checkPolicy: async () => {},
    onEnd: () => {},
    onFault: (error) => faults.push(error),
    ...more,
  })
  onTestFinished(() => end.close())
  return end
}

const memory = () => createMemoryStore({ newId: () => ids.next('evt') })

/** One run of a hub over a store that outlives it. */
async function startHub(place: Place, store: Store) {
  const journal = createJournal({ store, clock: systemClock, ids })
  const bus = createMemoryBus()
  const agents: HubEnd['agents'] = {
    lineageOf: async (rootId) => ({ rootId, agents: [], calls: 0, spentUsd: 0 }),
    run: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  }
  const hub: HubEnd = { machine: 'local', journal, store, bus, agents, checkPolicy: async () => {} }
  const listener = await listen(place, hub)
  const stop = async () => {
    await listener.close()
    await journal.close()
  }
  return { journal, bus, stop, listener }
}

async function setup() {
  const place = await makePlace()
  const store = memory()
  const hub = await startHub(place, store)
  const sessionId = ids.next('ses')
  await hub.journal.append(sessionId, [sessionCreated()])
  const end = await connect(place)
  const types = async () =>
    (await store.readSession(sessionId)).map(({ event }) =>
      event.type === 'notice.raised' ? event.data.text : event.type,
    )
  return { place, store, hub, sessionId, end, link: end.link, types }
}

describe('a link over a socket', () => {
  linkSuite(async (hub) => {
    const place = await makePlace()
    await listen(place, hub)
    return (await connect(place)).link
  })

  test('while no hub is there, what has happened counts as stored; the next hub stores each event once', async () => {
    const { place, store, hub, sessionId, link, types } = await setup()
    const requestId = ids.next('per')
    await link.journal.append(sessionId, [notice('before'), permissionRequested(requestId)])
    expect((await link.journal.session(sessionId))?.pendingRequests).toEqual([requestId])
    await hub.stop()
    await expect.poll(() => link.journal.append(sessionId, [notice('first away')])).toBeDefined()

    await link.journal.append(sessionId, [notice('away')])
    let answer: string | null = null
    const resolved = link.journal.append(sessionId, [permissionResolved(requestId)]).then(() => {
      answer = 'stored'
    })
    link.journal.publish(sessionId, {
      type: 'text.delta',
      data: { messageId: 'm', index: 0, offset: 0, text: 'so far' },
    })
    expect(await link.journal.session(sessionId)).toMatchObject({ lastSeq: 6, partial: { text: 'so far' } })
    expect(answer).toBeNull()
    expect(await types()).not.toContain('away')

    const next = await startHub(place, store)
    await resolved
    await expect
      .poll(types)
      .toEqual([
        'session.created',
        'before',
        'permission.requested',
        'session.changed',
        'first away',
        'away',
        'permission.resolved',
        'session.changed',
      ])
    await expect
      .poll(async () => (await next.journal.session(sessionId))?.partial)
      .toMatchObject({ text: 'so far' })
    await next.stop()
  })

  test('a hub that dies behind its commit gets the group again and does not store it twice', async () => {
    const { place, store, hub, sessionId, end, types } = await setup()
    const append = store.append.bind(store)
    let isStored = () => {}
    const stored = new Promise<void>((resolve) => {
      isStored = resolve
    })
    // The commit is done, and nothing of it leaves this hub.
    store.append = async (groups) => {
      await append(groups)
      isStored()
      return new Promise(() => {})
    }
    const appended = end.link.journal.append(sessionId, [permissionRequested(ids.next('per'))])
    await stored
    store.append = append
    await hub.listener.close()

    const next = await startHub(place, store)
    await appended
    await end.link.journal.append(sessionId, [notice('next')])

    await expect.poll(async () => (await types()).at(-1)).toBe('next')
    expect((await types()).filter((type) => type === 'permission.requested')).toHaveLength(1)
    await next.stop()
  })

  test('what a runner could not hand in before it died comes from its spool, up to a line that was cut off', async () => {
    const { place, store, hub, sessionId, end, types } = await setup()
    await hub.stop()
    await expect.poll(() => end.link.journal.append(sessionId, [notice('kept')])).toBeDefined()
    await end.link.store.addSecrets(sessionId, ['s3cret-value'], 'file')
    end.close()
    appendFileSync(place.spoolPath, '{"type":"append","n":9,"sess')
    expect(statSync(place.spoolPath).mode & 0o777).toBe(0o600)

    const next = await startHub(place, store)
    const again = await connect(place)

    expect(await types()).toEqual(['session.created', 'kept'])
    expect(place.learned).toEqual(['s3cret-value'])
    expect(await store.secrets()).toEqual([{ value: 's3cret-value', source: 'file' }])
    await again.link.journal.append(sessionId, [notice('more')])
    expect(await types()).toEqual(['session.created', 'kept', 'more'])
    expect(
      readFileSync(place.spoolPath, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).n),
    ).toEqual([undefined, 1, 2, 3])
    await next.stop()
  })

  test('what users decide meanwhile reaches the runner once it is there again', async () => {
    const { place, store, hub, sessionId, link } = await setup()
    const seen: string[] = []
    const subscription = link.journal.subscribe({
      after: await link.store.lastPosition(),
      deliver: (items) => seen.push(...items.map(({ event }) => event.type)),
    })
    await hub.listener.close()
    await hub.journal.append(sessionId, [messageQueued('hello')])

    const next = await startHub(place, store)

    await expect.poll(() => seen).toEqual(['message.queued'])
    subscription.close()
    await next.stop()
  })

  test('questions wait for the next hub, commands are refused, and an agent that ran is not run again', async () => {
    const { place, store, hub, link } = await setup()
    link.serve({ 'workspace.find': async ({ path }) => path })
    await hub.listener.connected()
    const child = link.agents
      .run({
        agent: 'reviewer',
        definition: {},
        message: 'go',
        cwd: '/srv',
        parentId: 'ses_parent',
        parentToolUseId: null,
        budgetUsd: 1,
        signal: new AbortController().signal,
        onProgress: () => {},
      })
      .catch((error: unknown) => error)
    expect(await link.agents.lineageOf('a')).toMatchObject({ rootId: 'a' })
    await hub.stop()
    expect(await child).toMatchObject({ code: 'session_not_driven' })
    await expect(hub.bus.call({ type: 'workspace.find', path: '/a' })).rejects.toMatchObject({
      code: 'session_not_driven',
    })
    const asked = link.store.lastPosition()

    const next = await startHub(place, store)

    expect(await asked).toBe(1)
    await next.listener.connected()
    expect(await next.bus.call({ type: 'workspace.find', path: '/a' })).toBe('/a')
    await next.stop()
  })

  test('a program that does not know the key is not answered', async () => {
    const { place, hub } = await setup()
    let attempts = 0
    const key = () => {
      attempts += 1
      return 'another key of the same'
    }
    const intruder = connect({ ...place, spoolPath: `${place.spoolPath}-2` }, { key })
    await expect.poll(() => attempts).toBeGreaterThan(1)
    expect(await Promise.race([intruder, Promise.resolve('not answered')])).toBe('not answered')
    await hub.stop()
  })

  test('the hub can have the runner end, and waits until it has', async () => {
    const place = await makePlace()
    const hub = await startHub(place, memory())
    let end: RunnerEnd | null = null
    let isEnding = false
    end = await connect(place, {
      onEnd: () => {
        isEnding = true
        end?.close()
      },
    })

    await hub.listener.endRunner()

    expect(isEnding).toBe(true)
    await hub.stop()
  })

  test('what the hub has no room for stays with the runner, and is stored in order when there is room', async () => {
    const { store, sessionId, link, types } = await setup()
    const append = store.append.bind(store)
    let refusals = 0
    store.append = async () => {
      refusals += 1
      throw storageUnavailable({ kind: 'full', message: 'The disk is full.', since: NOW })
    }
    const appended = Promise.all(
      ['first', 'second'].map((text) => link.journal.append(sessionId, [notice(text)])),
    )
    await expect.poll(() => refusals).toBeGreaterThan(1)

    store.append = append
    await appended
    await link.journal.append(sessionId, [notice('third')])

    await expect.poll(types).toEqual(['session.created', 'first', 'second', 'third'])
  })

  test('a runner that comes again is not kept waiting by an import of the past', async () => {
    const { place, store, hub, sessionId, end, types } = await setup()
    await end.link.journal.append(sessionId, [notice('stored')])
    end.close()
    const lastPosition = store.lastPosition.bind(store)
    store.lastPosition = async () => {
      await hub.journal.append(sessionId, [notice('imported')], { isPast: true })
      return lastPosition()
    }

    const again = await connect(place)
    await again.link.journal.append(sessionId, [notice('more')])

    expect((await types()).filter((type) => type !== 'imported')).toEqual([
      'session.created',
      'stored',
      'more',
    ])
  })

  test('a runner that has lost the end of its spool in a power cut loses nothing of what follows', async () => {
    const { place, hub, sessionId, end, types } = await setup()
    for (const text of ['a', 'b', 'c']) await end.link.journal.append(sessionId, [notice(text)])
    end.close()
    const lines = readFileSync(place.spoolPath, 'utf8').split('\n')
    writeFileSync(place.spoolPath, `${lines.slice(0, 2).join('\n')}\n`)

    const again = await connect(place)
    await again.link.journal.append(sessionId, [notice('d')])

    expect(await types()).toEqual(['session.created', 'a', 'b', 'c', 'd'])
    await hub.stop()
  })

  test('each event of a group keeps its own time', async () => {
    const { store, sessionId, link } = await setup()
    const at = ['2026-11-16T12:00:00.000Z', '2026-11-16T12:00:01.000Z']

    await link.journal.append(sessionId, [notice('a'), notice('b')], { at })

    expect((await store.readSession(sessionId, { after: 1 })).map(({ event }) => event.at)).toEqual(at)
  })

  test('a runner that finds no hub at its start ends after a while', async () => {
    const place = await makePlace()
    const clock = createManualClock()
    let isEnding = false
    const onEnd = () => {
      isEnding = true
    }
    const connecting = connect(place, { clock, leaseMs: 60_000, onEnd })
    await expect.poll(() => clock.timers()).toBe(1)

    clock.advance(60_000)

    expect(isEnding).toBe(true)
    // In its place the process would end: here a hub comes, so that the test can close it.
    const hub = await startHub(place, memory())
    await connecting
    await hub.stop()
  })

  test('a runner that was started with other settings is ended, and gets nothing to do', async () => {
    const place = await makePlace()
    const hub = await startHub(place, memory())
    let isEnding = false
    const onEnd = () => {
      isEnding = true
    }

    const old = connect(place, { build: 'build-0', onEnd })

    await expect.poll(() => isEnding).toBe(true)
    expect(await Promise.race([old, Promise.resolve('not connected')])).toBe('not connected')
    await hub.stop()
  })

  const hello = {
    type: 'hello',
    protocol: LINK_PROTOCOL,
    key: KEY,
    machine: 'local',
    build: 'build-1',
    spool: 's',
    after: null,
  }

  test.each([
    ['a line that does not end', 'x'.repeat(80 * 1024)],
    ['a line that is no frame', `${JSON.stringify(hello)}\nnull\n`],
    ['frames without a key', `${JSON.stringify({ ...hello, key: 'none' })}\n${JSON.stringify(hello)}\n`],
  ])('%s ends its connection, and nothing else', async (_, sent) => {
    const { place, hub, link, sessionId } = await setup()
    const socket = connectSocket(place.path)
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {}).resume()
    socket.write(sent)

    await closed

    await link.journal.append(sessionId, [notice('still here')])
    await hub.stop()
  })
})
