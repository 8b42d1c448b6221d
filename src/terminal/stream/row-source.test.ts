import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../lib/sqlite/driver.js'
import { decodeLine } from './decode.js'
import type { LifecycleEvent } from './event.js'
import { EventTable } from './event-table.js'
import { RowSource } from './row-source.js'
import { createTables } from './table.js'

const TIME = Date.UTC(2026, 10, 15, 12)

/** A database with these lines as rows 1, 2, … */
async function setup(lines: Record<string, unknown>[]) {
  const database = await openDatabase(':memory:')
  onTestFinished(() => database.close())
  createTables(database)
  const table = new EventTable(database, '')
  const store = (fields: Record<string, unknown>): LifecycleEvent => {
    const seq = table.lastSeq() + 1
    const occurredAtIso = new Date(TIME + seq).toISOString()
    const raw = JSON.stringify({ id: `id-${seq}`, occurredAtIso, sessionId: 'ses-1', ...fields })
    const decoded = decodeLine(raw)
    if (decoded.kind !== 'event') throw new Error(raw)
    table.insert(decoded.event, raw, seq)
    return decoded.event
  }
  for (const line of lines) store(line)
  return { database, store }
}

function readAll(source: RowSource): number[] {
  const seqs: number[] = []
  while (source.read((_, seq) => seqs.push(seq)) !== null);
  return seqs
}

const started = { eventType: 'session.lifecycle', phase: 'started' }
const ended = { eventType: 'session.lifecycle', phase: 'ended' }
const skill = { eventType: 'skill.lifecycle', phase: 'in_progress', skillName: 's' }
const agent = { eventType: 'agent.lifecycle', phase: 'started' }
const turn = { eventType: 'turn.start' }

test('rows of all tables come in one order', async () => {
  const { database } = await setup([started, turn, skill, agent, turn, ended])

  expect(readAll(new RowSource({ database, recordedThrough: null }))).toEqual([1, 2, 3, 4, 5, 6])
})

test('a start replays the last rows, and in any case those that the log does not have', async () => {
  const { database } = await setup([started, turn, skill, agent, turn, ended])
  const from = (recordedThrough: number) =>
    readAll(new RowSource({ database, recordedThrough, replayedRows: 2 }))

  expect(from(6)).toEqual([5, 6])
  expect(from(1)).toEqual([2, 3, 4, 5, 6])
})

test('a session that ended long ago is passed over up to its end, but not what the log does not have', async () => {
  const { database } = await setup([started, turn, ended, { ...turn, sessionId: 'other' }, started])
  const skipped = (recordedThrough: number | null) => {
    const source = new RowSource({ database, recordedThrough })
    source.skipEndedBefore(TIME + 1_000)
    return readAll(source)
  }

  expect(skipped(null)).toEqual([4, 5])
  expect(skipped(5)).toEqual([4, 5])
  expect(skipped(2)).toEqual([3, 4, 5])
})

test('events come again if the reader fails, whether they were offered or are read from the tables', async () => {
  const { database, store } = await setup([started])
  const source = new RowSource({ database, recordedThrough: null })
  const fail = () => {
    throw new Error('not now')
  }

  expect(() => source.read(fail)).toThrow('not now')
  expect(readAll(source)).toEqual([1])
  source.offer([store(turn)], 2)
  expect(() => source.read(fail)).toThrow('not now')
  expect(readAll(source)).toEqual([2])
  expect(readAll(source)).toEqual([])
})

test('a row that was damaged in the database is passed over', async () => {
  const { database } = await setup([started, turn, ended])
  database.exec("update turn_lifecycle_events set raw_json = '{'")

  expect(readAll(new RowSource({ database, recordedThrough: null }))).toEqual([1, 3])
})
