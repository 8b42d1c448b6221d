import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { ids, notice, sessionCreated } from '../../test/support/build.js'
import { measureTurns } from '../../test/support/longest-turn.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import { openSqliteStore } from './sqlite/store.js'

const newId = () => ids.next('evt')
const AT = '2026-11-15T12:00:00.000Z'
const ENDED = { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } } as const

async function setup(events: number) {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const store = await openSqliteStore({ path, newId })
  onTestFinished(() => store.close())
  const add = async (count: number) => {
    const sessionId = ids.next('ses')
    const drafts = [sessionCreated(), ...Array.from({ length: count }, () => notice('a lighthouse')), ENDED]
    await store.append([{ sessionId, drafts: drafts.map((draft) => ({ ...draft, id: newId(), at: AT })) }])
    return sessionId
  }
  const left = (table = 'event') =>
    (store.database.prepare(`SELECT count(*) AS left FROM ${table}`).get() as { left: number }).left
  return { path, store, large: await add(events), small: await add(3), left }
}

test('a long session is gone at once, and its events step by step', async () => {
  const { store, large, small, left } = await setup(20_000)
  await store.search({ text: 'lighthouse' })
  const steps: number[] = []

  expect(await store.deleteSession(large)).toBe(true)

  expect((await store.sessions()).map(({ id }) => id)).toEqual([small])
  expect(await store.readAll()).toHaveLength(6)
  expect(await store.search({ text: 'lighthouse' })).toHaveLength(3)
  expect(left()).toBeGreaterThan(15_000)
  for (let before = left(); before > 6; before = left()) {
    await turn()
    steps.push(before - left())
  }
  expect(Math.max(...steps)).toBeLessThanOrEqual(2_000)
  await expect.poll(() => left('session')).toBe(1)
  expect(await store.deleteSession(small)).toBe(true)
  await expect.poll(() => left('session')).toBe(0)
})

test('others wait far less than for all of it, also when retention forgets it', async () => {
  const { store, small } = await setup(20_000)
  const { longest } = await measureTurns(() => store.trim('2026-11-16T00:00:00.000Z'))
  expect(longest).toBeLessThan(150)
  expect(await store.readSession(small)).toEqual([])
  expect(await store.sessions()).toHaveLength(2)
})

test('what a crash has interrupted is finished at the next start', async () => {
  const { path, store, large, small } = await setup(4_000)
  await store.deleteSession(large)
  await store.close()
  const before = await openDatabase(path)
  const count = before.prepare('SELECT count(*) AS left FROM event').get() as { left: number }
  before.close()
  expect(count.left).toBeGreaterThan(6)

  const next = await openSqliteStore({ path, newId })
  onTestFinished(() => next.close())

  expect((await next.sessions()).map(({ id }) => id)).toEqual([small])
  const rest = () =>
    next.database
      .prepare('SELECT (SELECT count(*) FROM event) AS events, count(*) AS sessions FROM session')
      .get()
  await expect.poll(rest).toEqual({ events: 6, sessions: 1 })
})
