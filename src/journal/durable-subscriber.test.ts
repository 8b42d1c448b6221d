import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ids, notice, sessionCreated, textEnded } from '../../test/support/build.js'
import { createManualClock } from '../../test/support/manual-clock.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { systemClock } from '../lib/clock.js'
import { createMemoryStore } from '../store/memory.js'
import type { StoredEvent } from '../store/port/append.js'
import type { Store } from '../store/port.js'
import { openSqliteStore } from '../store/sqlite/store.js'
import { type DurableSubscriberOptions, followDurably, forgetCursor } from './durable-subscriber.js'
import { createJournal, type Journal } from './journal.js'

const memory = () => createMemoryStore({ newId: () => ids.next('evt') })

async function setup(store: Store = memory()) {
  const journal = createJournal({ store, clock: systemClock, ids })
  const sessionId = ids.next('ses')
  await journal.append(sessionId, [sessionCreated()])
  const faults: unknown[] = []
  const follow = (handle: DurableSubscriberOptions['handle'], more: Partial<DurableSubscriberOptions> = {}) =>
    followDurably({
      name: 'one',
      journal,
      store,
      clock: systemClock,
      types: ['notice.raised'],
      handle,
      onFault: (error) => faults.push(error),
      ...more,
    })
  const raise = (text: string) => journal.append(sessionId, [notice(text)])
  return { store, journal, sessionId, faults, follow, raise }
}

const textsOf = (items: readonly StoredEvent[]) =>
  items.map(({ event }) => (event.type === 'notice.raised' ? event.data.text : event.type))

test('it begins with the next event, and continues after a restart where it stopped', async () => {
  const { follow, raise, journal, sessionId } = await setup()
  await raise('before')
  const seen: string[] = []
  const handle = async (items: readonly StoredEvent[]) => {
    seen.push(...textsOf(items))
    return []
  }
  const first = await follow(handle)
  await raise('one')
  await journal.append(sessionId, [textEnded('other type')])
  await expect.poll(() => seen).toEqual(['one'])
  await first.close()
  await raise('while it was away')

  const second = await follow(handle)
  await raise('two')

  await expect.poll(() => seen).toEqual(['one', 'while it was away', 'two'])
  await second.close()
})

test('what the handler stores is saved together with the cursor, or neither is', async () => {
  const { follow, raise, store } = await setup()
  const save = store.saveRecords
  let isBroken = false
  store.saveRecords = (changes, options) =>
    isBroken ? new Promise(() => {}) : save.call(store, changes, options)
  const count = async (items: readonly StoredEvent[]) => {
    const before = ((await store.record('sum', 'all')) ?? 0) as number
    return [{ kind: 'sum', id: 'all', body: before + items.length }]
  }
  await follow(count)
  await raise('one')
  await expect.poll(() => store.record('sum', 'all')).toBe(1)

  isBroken = true // The process is killed before this batch is saved.
  await raise('two')
  isBroken = false
  const again = await follow(count)

  await expect.poll(() => store.record('sum', 'all')).toBe(2)
  await again.close()
})

test('only a batch with records waits for the disk', async () => {
  const store = memory()
  const saved: unknown[] = []
  const watched: Store = {
    ...store,
    saveRecords: (changes, options) => {
      saved.push(options?.isQuick)
      return store.saveRecords(changes, options)
    },
  }
  const { follow, raise } = await setup(watched)
  const reader = await follow(async (items) =>
    textsOf(items).includes('keep') ? [{ kind: 'a', id: 'b', body: {} }] : [],
  )
  await raise('nothing to keep')
  await expect.poll(() => saved).toEqual([undefined, true])
  await raise('keep')
  await expect.poll(() => saved).toEqual([undefined, true, false])
  await reader.close()
})

test('a handler that fails is tried again with the same events, later and later, and is reported once', async () => {
  const clock = createManualClock()
  const { follow, raise, faults } = await setup()
  const calls: string[][] = []
  const subscriber = await follow(
    async (items) => {
      calls.push(textsOf(items))
      if (calls.length < 4) throw new Error('no')
      return []
    },
    { clock },
  )
  await raise('one')

  for (const [index, delay] of [1_000, 2_000, 4_000].entries()) {
    await expect.poll(() => [calls.length, clock.timers()]).toEqual([index + 1, 1])
    clock.advance(delay - 1)
    expect(calls).toHaveLength(index + 1)
    clock.advance(1)
  }

  await expect.poll(() => calls).toEqual([['one'], ['one'], ['one'], ['one']])
  expect(faults).toEqual([new Error('no')])
  await subscriber.close()
})

test('closing during a pause ends it at once', async () => {
  const clock = createManualClock()
  const { follow, raise } = await setup()
  const subscriber = await follow(() => Promise.reject(new Error('no')), { clock })
  await raise('one')
  await expect.poll(() => clock.timers()).toBe(1)

  await subscriber.close()
  await subscriber.close()

  expect(clock.timers()).toBe(0)
})

test('many events of other types move the cursor too, so that a restart does not scan them again', async () => {
  const { follow, journal, sessionId, store, raise } = await setup()
  let handled = 0
  const subscriber = await follow(async (items) => {
    handled += items.length
    return []
  })
  await raise('one')
  await expect.poll(() => handled).toBe(1)
  for (let round = 0; round < 6; round += 1)
    await journal.append(
      sessionId,
      Array.from({ length: 1_000 }, () => textEnded('x')),
    )

  const position = async () => ((await store.record('cursor', 'one')) as { position: number }).position
  await expect.poll(position).toBeGreaterThan(4_000)
  await subscriber.close()
})

test('a forgotten cursor begins anew', async () => {
  const { follow, raise, store } = await setup()
  await (await follow(async () => [])).close()
  await raise('missed')
  await store.saveRecords([forgetCursor('one')])
  const seen: string[] = []

  const subscriber = await follow(async (items) => {
    seen.push(...textsOf(items))
    return []
  })
  await raise('next')

  await expect.poll(() => seen).toEqual(['next'])
  await subscriber.close()
})

/** A writer appends while readers come, are killed at any moment, and come again: the sum counts each event once. */
async function checkKills(store: Store, steps: readonly ('append' | 'kill' | 'pause')[]): Promise<void> {
  const { journal, raise } = await setup(store)
  const start = (of: Journal) =>
    followDurably({
      name: 'sum',
      journal: of,
      store,
      clock: systemClock,
      types: ['notice.raised'],
      handle: async (items) => {
        const before = ((await store.record('sum', 'all')) ?? []) as string[]
        return [{ kind: 'sum', id: 'all', body: [...before, ...textsOf(items)] }]
      },
      onFault: () => {},
    })
  let reader = await start(journal)
  const raised: string[] = []
  const appends: Promise<unknown>[] = []
  for (const step of steps) {
    if (step === 'append') {
      raised.push(String(raised.length))
      appends.push(raise(String(raised.length - 1)))
    } else if (step === 'pause') await new Promise((resolve) => setImmediate(resolve))
    else {
      await reader.close()
      reader = await start(journal)
    }
  }
  await Promise.all(appends)
  await expect.poll(async () => (await store.record('sum', 'all')) ?? [], { interval: 1 }).toEqual(raised)
  await reader.close()
  await journal.close()
}

const anySteps = fc.array(
  fc.constantFrom('append' as const, 'append' as const, 'kill' as const, 'pause' as const),
  {
    maxLength: 40,
  },
)

test('no event is lost or counted twice, whenever the reader is killed: memory', async () => {
  await fc.assert(
    fc.asyncProperty(anySteps, (steps) => checkKills(memory(), steps)),
    { numRuns: 100 },
  )
})

test('no event is lost or counted twice, whenever the reader is killed: sqlite', async () => {
  const folder = await temporaryFolder()
  let run = 0
  await fc.assert(
    fc.asyncProperty(anySteps, async (steps) => {
      const path = join(folder, `${(run += 1)}.db`)
      const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
      await checkKills(store, steps)
      await store.close()
    }),
    { numRuns: 8 },
  )
})
