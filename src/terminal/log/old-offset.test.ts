/** Upgrade of a home whose log had its own offset in the stream: no line is lost, and none is recorded twice. */

import { randomUUID } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { expect, onTestFinished, test } from 'vitest'
import { makeTerminalLog, SESSION } from '../../../test/support/terminal-log.js'
import { type Database, openDatabase } from '../../lib/sqlite/driver.js'
import { EventTable } from '../stream/event-table.js'
import { rotateStream } from '../stream/rotate.js'
import { closeQuietly, identify, openFile } from '../stream/stream-file.js'

type Scene = Awaited<ReturnType<typeof makeTerminalLog>>

const TABLES = readFileSync(
  new URL('../../../test/support/fixtures/lifecycle-tables-1.sql', import.meta.url),
  'utf8',
)

/** A database of the previous version with `stored` lines as rows and `recorded` lines in the log. */
async function anOldDatabase(scene: Scene, lines: { stored: number; recorded: number }): Promise<Database> {
  const database = await openDatabase(':memory:')
  onTestFinished(() => database.close())
  database.exec(TABLES)
  const texts = readFileSync(scene.path, 'utf8').split('\n')
  for (const text of texts.slice(0, lines.stored)) insert(database, text)
  const opened = openFile(scene.path)
  if (!opened) throw new Error('There is no stream.')
  const identity = identify(opened.file)
  closeQuietly(opened.file)
  for (const [key, count] of [
    [scene.path, lines.stored],
    [`observer:${scene.path}`, lines.recorded],
  ] as const) {
    const offset = Buffer.byteLength(texts.slice(0, count).join('\n')) + (count > 0 ? 1 : 0)
    const nowIso = new Date(scene.clock.now()).toISOString()
    new EventTable(database, key).save({ live: { ...identity, offset }, retired: [] }, 1, nowIso)
  }
  return database
}

function insert(database: Database, text: string): void {
  const { id, occurredAtIso, sessionId, eventType, prompt = null } = JSON.parse(text)
  database
    .prepare('insert into turn_lifecycle_events values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(id, occurredAtIso, sessionId, 'claude', eventType.slice(5), prompt, null, '/p', '/p', text)
}

async function prompts({ events }: Scene): Promise<string[]> {
  return (await events()).flatMap((event) => (event.type === 'message.queued' ? [event.data.text] : []))
}

/** Eight lines (four turns), of which `recorded` are in the log. */
async function setup(recorded: number): Promise<Scene> {
  const scene = await makeTerminalLog()
  for (let line = 0; line < 8; line++) {
    if (line === recorded) await scene.look(1)
    if (line % 2 === 0) scene.write('turn.start', { prompt: `${line / 2}` })
    else scene.write('turn.end', { outcome: 'completed' })
  }
  if (recorded === 8) await scene.look(1)
  return scene
}

test.each([
  { name: 'the log and the rows are at the end', stored: 8, recorded: 8, offset: 8 },
  { name: 'the log is behind the rows', stored: 8, recorded: 4, offset: 4 },
  { name: 'the log is within a turn behind the rows', stored: 7, recorded: 3, offset: 3 },
  { name: 'the log is ahead of the rows', stored: 4, recorded: 8, offset: 8 },
  { name: 'both are behind the stream', stored: 5, recorded: 4, offset: 4 },
  { name: 'it was killed before the offset of the log was stored', stored: 8, recorded: 8, offset: 4 },
  { name: 'neither had read anything of it', stored: 0, recorded: 0, offset: 0 },
])('$name: after the upgrade every line is in the log once, in order', async (old) => {
  const scene = await setup(old.recorded)
  const recorded = await scene.types()

  const home = () => anOldDatabase(scene, { stored: old.stored, recorded: old.offset })
  scene.restart(await home())
  await scene.look(1)
  // Crash before the upgrade was stored: it runs again, with a log that already has everything.
  scene.restart(await home())
  await scene.look(1)
  scene.write('turn.start', { prompt: 'new' })
  await scene.look(1)

  expect((await scene.types()).slice(0, recorded.length)).toEqual(recorded)
  expect(await prompts(scene)).toEqual(['0', '1', '2', '3', 'new'])
  const offsets = scene.database().prepare('select stream_key from lifecycle_stream_offsets').all()
  expect(offsets).toEqual([{ stream_key: scene.path }])
})

test('rows that the log lacks are recorded after the upgrade though their file is gone', async () => {
  const scene = await setup(4)
  const database = await anOldDatabase(scene, { stored: 8, recorded: 4 })
  const [, , , , first = ''] = readFileSync(scene.path, 'utf8').split('\n')
  const { occurredAtIso } = JSON.parse(first)
  database.exec(
    `update lifecycle_stream_offsets set updated_at_iso = '${occurredAtIso}' where stream_key like 'observer:%'`,
  )
  rmSync(rotateStream(scene.path, scene.clock.now())?.to ?? '')

  scene.restart(database)
  await scene.look(1)

  expect(await prompts(scene)).toEqual(['0', '1', '2', '3'])
})

test('a session that was removed from the log does not come back with the upgrade', async () => {
  const scene = await setup(8)
  const database = await anOldDatabase(scene, { stored: 8, recorded: 8 })
  const other = await makeTerminalLog()

  // Another log, without the session, gets the database of this one.
  other.restart(database)
  await other.look(1)

  expect(await other.sessions()).toEqual([])
})

test('rows of all tables get one sequence in the order of their times, and keep that of their table', async () => {
  const database = await openDatabase(':memory:')
  onTestFinished(() => database.close())
  database.exec(TABLES)
  const line = (table: string, columns: number, time: string) => {
    const id = randomUUID()
    const rest = Array.from({ length: columns - 4 }, () => `'x'`).join(', ')
    database.exec(
      `insert into ${table} values ('${id}', '2026-11-15T12:00:${time}Z', '${SESSION}', ${rest}, '{}')`,
    )
    return id
  }
  const started = line('session_lifecycle_events', 8, '01.000')
  const ended = line('session_lifecycle_events', 8, '09.000')
  // A late line: its row comes after the end.
  const late = line('session_lifecycle_events', 8, '03.000')
  const turn = line('turn_lifecycle_events', 10, '02.000')
  const skill = line('skill_lifecycle_events', 11, '04.000')
  const agent = line('other_lifecycle_events', 6, '10.000')

  const scene = await makeTerminalLog()
  scene.restart(database)

  const tables = ['session', 'turn', 'skill', 'other'].map(
    (name) => `select id, seq from ${name}_lifecycle_events`,
  )
  expect(database.prepare(`${tables.join(' union all ')} order by seq`).all()).toEqual(
    [started, turn, skill, ended, late, agent].map((id, index) => ({ id, seq: index + 1 })),
  )
  expect(database.prepare('select version from lifecycle_schema').all()).toEqual([{ version: 3 }])
  expect(database.prepare('select session_id from lifecycle_session_states').all()).toEqual([
    { session_id: SESSION },
  ])
})
