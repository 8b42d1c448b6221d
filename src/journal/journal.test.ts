import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ids,
  notice,
  permissionRequested,
  permissionResolved,
  sessionCreated,
  textEnded,
} from '../../test/support/build.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { systemClock } from '../lib/clock.js'
import type { DeltaDraft, EventDraft } from '../protocol/event/event.js'
import { createMemoryStore } from '../store/memory.js'
import type { Store } from '../store/port.js'
import { openSqliteStore } from '../store/sqlite/store.js'
import { AppendRefused, createJournal, type Published } from './journal.js'

function setup(store: Store = createMemoryStore({ newId: () => ids.next('evt') })) {
  const journal = createJournal({ store, clock: systemClock, ids })
  const sessionId = ids.next('ses')
  return { store, journal, sessionId, start: () => journal.append(sessionId, [sessionCreated()]) }
}

function delta(text: string, offset = 0): DeltaDraft {
  return { type: 'text.delta', data: { messageId: 'msg_1', index: 0, offset, text } }
}

/** A subscriber that keeps a short form of each event. */
function collect() {
  const seen: string[] = []
  const deliver = (items: readonly Published[]) => {
    for (const { event } of items) seen.push('seq' in event ? String(event.seq) : `~${event.data.text}`)
  }
  return { seen, deliver }
}

test('an event is in the store before anybody sees it', async () => {
  const { journal, store, sessionId, start } = setup()
  await start()
  const stored: Promise<number>[] = []
  journal.subscribe({
    sessionId,
    deliver: () => stored.push(store.readSession(sessionId).then((events) => events.length)),
  })

  await journal.append(sessionId, [notice('a')])

  expect(await Promise.all(stored)).toEqual([2])
})

test('appends of one moment share one commit', async () => {
  const memory = createMemoryStore({ newId: () => ids.next('evt') })
  const sizes: number[] = []
  const { journal, sessionId, start } = setup({
    ...memory,
    append: (groups) => {
      sizes.push(groups.length)
      return memory.append(groups)
    },
  })
  await start()

  await Promise.all(
    Array.from({ length: 50 }, (_, index) => journal.append(sessionId, [notice(String(index))])),
  )

  expect(sizes).toEqual([1, 50])
})

test('what is not a valid event is refused and leaves no trace', async () => {
  const { journal, store, sessionId, start } = setup()
  await start()

  await expect(
    journal.append(sessionId, [
      notice('a'),
      { type: 'turn.started', data: { turnId: 7 } } as unknown as EventDraft,
    ]),
  ).rejects.toThrow(/turnId/)

  expect(await store.readSession(sessionId)).toHaveLength(1)
})

test('of two answers to a request the first is stored and published, the second is refused', async () => {
  const { journal, sessionId, start } = setup()
  await start()
  const requestId = ids.next('per')
  await journal.append(sessionId, [permissionRequested(requestId)])
  const { seen, deliver } = collect()
  journal.subscribe({ sessionId, deliver })

  const first = journal.append(sessionId, [permissionResolved(requestId)])
  const second = journal.append(sessionId, [permissionResolved(requestId, { decision: 'deny' })])

  expect((await first).map((event) => event.type)).toEqual(['permission.resolved', 'session.changed'])
  await expect(second).rejects.toEqual(new AppendRefused({ kind: 'request_not_pending', requestId }))
  expect(seen).toEqual(['4', '5'])
})

test('a store that fails fails the append; the next one works', async () => {
  const memory = createMemoryStore({ newId: () => ids.next('evt') })
  let isBroken = false
  const { journal, sessionId, start } = setup({
    ...memory,
    append: (groups) => (isBroken ? Promise.reject(new Error('disk full')) : memory.append(groups)),
  })
  await start()

  isBroken = true
  await expect(journal.append(sessionId, [notice('lost')])).rejects.toThrow('disk full')
  isBroken = false

  const [event] = await journal.append(sessionId, [notice('kept')])
  expect(event?.seq).toBe(2)
})

test('fragments keep their place between events', async () => {
  const { journal, sessionId, start } = setup()
  await start()
  const { seen, deliver } = collect()
  journal.subscribe({ sessionId, deliver })

  journal.publish(sessionId, delta('one'))
  const first = journal.append(sessionId, [textEnded('one')])
  journal.publish(sessionId, delta('two'))
  const second = journal.append(sessionId, [textEnded('two')])
  journal.publish(sessionId, delta('three'))
  await Promise.all([first, second])

  expect(seen).toEqual(['~one', '2', '~two', '3', '~three'])
})

test('who joins while something is written gets it from its start', async () => {
  const { journal, sessionId, start } = setup()
  await start()
  journal.publish(sessionId, delta('Hel'))
  journal.publish(sessionId, delta('lo', 3))
  const { seen, deliver } = collect()

  journal.subscribe({ sessionId, after: 0, deliver })
  await expect.poll(() => seen).toEqual(['1', '~Hello'])
  journal.publish(sessionId, delta('!', 5))

  expect(seen).toEqual(['1', '~Hello', '~!'])
  expect((await journal.session(sessionId))?.partial).toMatchObject({ text: 'Hello!' })
})

/** A text is being written, and from now on commits are not published until `release`. */
async function writingBeforePublication() {
  const memory = createMemoryStore({ newId: () => ids.next('evt') })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let isHeld = false
  const { journal, sessionId, start } = setup({
    ...memory,
    append: async (groups) => {
      const results = await memory.append(groups)
      if (isHeld) await held
      return results
    },
  })
  await start()
  await nextTurn()
  journal.publish(sessionId, delta('Hello'))
  isHeld = true
  return { journal, sessionId, memory, release: () => release() }
}

test('who joins between the commit of a text and its publication is not sent that text as unfinished', async () => {
  const { journal, sessionId, memory, release } = await writingBeforePublication()
  const append = journal.append(sessionId, [textEnded('Hello')])
  await expect.poll(async () => (await memory.readSession(sessionId)).length).toBe(2)

  const { seen, deliver } = collect()
  journal.subscribe({ sessionId, after: 0, deliver })
  await expect.poll(() => seen).toEqual(['1', '2'])
  release()
  await append
  journal.publish(sessionId, delta('Next'))

  await expect.poll(() => seen.at(-1)).toBe('~Next')
  expect(seen).toEqual(['1', '2', '~Next'])
})

test('who joins between a commit and its publication gets what is being written, from its start', async () => {
  const { journal, sessionId, memory, release } = await writingBeforePublication()
  const append = journal.append(sessionId, [notice('meanwhile')])
  await expect.poll(async () => (await memory.readSession(sessionId)).length).toBe(2)
  const { seen, deliver } = collect()
  journal.subscribe({ sessionId, after: 0, deliver })
  await expect.poll(() => seen).toEqual(['1', '2'])

  release()
  await append

  await expect.poll(() => seen).toEqual(['1', '2', '~Hello'])
})

test('a subscriber of all sessions follows them in the order of storing', async () => {
  const { journal, sessionId: one, start } = setup()
  const two = ids.next('ses')
  await start()
  const got: string[] = []
  journal.subscribe({ after: 0, deliver: (items) => got.push(...items.map(({ event }) => event.sessionId)) })

  await journal.append(two, [sessionCreated()])
  await journal.append(one, [notice('a')])

  await expect.poll(() => got).toEqual([one, two, one])
})

test('after close nothing is published, and what was handed in is stored', async () => {
  const { journal, store, sessionId, start } = setup()
  await start()
  const { seen, deliver } = collect()
  journal.subscribe({ sessionId, deliver })

  const append = journal.append(sessionId, [notice('a')])
  await journal.close()
  await append
  journal.publish(sessionId, delta('late'))

  expect(seen).toEqual(['2'])
  expect(await store.readSession(sessionId)).toHaveLength(2)
})

/**
 * A writer appends and publishes in random portions with pauses; subscribers join at random moments, from random
 * cursors. Each must see every event behind its cursor once, in order.
 */
async function checkFollowers(store: Store, steps: readonly Step[]): Promise<void> {
  const { journal, sessionId, start } = setup(store)
  await start()
  const readers: { after: number; kind: 'one' | 'all'; seqs: number[] }[] = []
  const appends: Promise<unknown>[] = []
  for (const step of steps) {
    if (step.kind === 'append') {
      appends.push(
        journal.append(
          sessionId,
          Array.from({ length: step.count }, () => notice('n')),
        ),
      )
    } else if (step.kind === 'delta') {
      journal.publish(sessionId, delta('d'))
    } else if (step.kind === 'pause') {
      for (let turn = 0; turn < step.count; turn += 1) await (turn % 2 ? nextTurn() : Promise.resolve())
    } else {
      const reader = { after: step.after, kind: step.reader, seqs: [] as number[] }
      readers.push(reader)
      journal.subscribe({
        ...(step.reader === 'one' && { sessionId }),
        after: step.after,
        deliver: (items) => {
          for (const { event } of items) if ('seq' in event) reader.seqs.push(event.seq)
        },
      })
    }
  }
  await Promise.all(appends)
  const last = (await store.session(sessionId))?.lastSeq ?? 0
  for (const reader of readers) {
    const expected = Array.from(
      { length: Math.max(0, last - reader.after) },
      (_, index) => reader.after + index + 1,
    )
    await expect.poll(() => reader.seqs.length, { interval: 1 }).toBeGreaterThanOrEqual(expected.length)
    expect(reader.seqs).toEqual(expected)
  }
  await journal.close()
}

type Step =
  | { kind: 'append'; count: number }
  | { kind: 'delta' }
  | { kind: 'pause'; count: number }
  | { kind: 'join'; reader: 'one' | 'all'; after: number }

const anySteps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('append' as const), count: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ kind: fc.constant('delta' as const) }),
    fc.record({ kind: fc.constant('pause' as const), count: fc.nat(6) }),
    fc.record({
      kind: fc.constant('join' as const),
      reader: fc.constantFrom('one' as const, 'all' as const),
      after: fc.nat(4),
    }),
  ),
  { maxLength: 40 },
)

test('a subscriber that joins at any moment sees everything once: memory', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, (steps) =>
      checkFollowers(createMemoryStore({ newId: () => ids.next('evt') }), steps),
    ),
    { numRuns: 300 },
  )
})

test('a subscriber that joins at any moment sees everything once: a store that takes its time', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, fc.infiniteStream(fc.nat(3)), (steps, delays) => {
      const memory = createMemoryStore({ newId: () => ids.next('evt') })
      const pause = async () => {
        for (let turns = delays.next().value ?? 0; turns > 0; turns -= 1) await nextTurn()
      }
      const slow = async <T>(work: () => Promise<T>): Promise<T> => {
        await pause()
        const result = await work()
        await pause()
        return result
      }
      return checkFollowers(
        {
          ...memory,
          append: (groups) => slow(() => memory.append(groups)),
          readAll: (filter) => slow(() => memory.readAll({ ...filter, limit: 3 })),
          readSession: (id, filter) => slow(() => memory.readSession(id, { ...filter, limit: 3 })),
        },
        steps,
      )
    }),
    { numRuns: 200 },
  )
})

test('a subscriber that joins at any moment sees everything once: sqlite', async () => {
  const folder = await temporaryFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const store = await openSqliteStore({
        path: join(folder, `${(run += 1)}.db`),
        newId: () => ids.next('evt'),
      })
      await checkFollowers(store, steps)
      await store.close()
    }),
    { numRuns: 60 },
  )
})

test('a subscriber that joins between any two steps of a busy writer sees everything once', async () => {
  const { journal, store, sessionId, start } = setup()
  await start()
  const readers: number[][] = []
  const joinNow = () => {
    const seqs: number[] = []
    readers.push(seqs)
    journal.subscribe({
      sessionId,
      after: 0,
      deliver: (items) => {
        for (const { event } of items) if ('seq' in event) seqs.push(event.seq)
      },
    })
  }

  // More than a follower keeps in memory while it replays, so that it must read again from the store.
  for (let round = 0; round < 30; round += 1) {
    joinNow()
    const append = journal.append(
      sessionId,
      Array.from({ length: 100 }, () => notice('n')),
    )
    joinNow()
    await Promise.resolve()
    joinNow()
    await append
  }

  const all = Array.from({ length: 3001 }, (_, index) => index + 1)
  expect((await store.readSession(sessionId, { limit: 5_000 })).map(({ event }) => event.seq)).toEqual(all)
  for (const seqs of readers) {
    await expect.poll(() => seqs.length, { timeout: 15_000 }).toBe(all.length)
    expect(seqs).toEqual(all)
  }
})

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
