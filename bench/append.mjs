/** Events stored with a durable commit, 50 sessions at once, against bare batch inserts with the same durability. */

import { join } from 'node:path'
import { createJournal } from '../dist/journal/journal.js'
import { systemClock } from '../dist/lib/clock.js'
import { createIdSource } from '../dist/lib/id.js'
import { openDatabase } from '../dist/lib/sqlite/driver.js'
import { openSqliteStore } from '../dist/store/sqlite/store.js'
import { inTurns, report, timed } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'
import { failure, sessionCreated } from './support/sample-event.mjs'

const ROUNDS = 7
const SESSIONS = 50
const EACH = 100
const COUNT = SESSIONS * EACH

await bench(async () => {
  const folder = temporaryFolder()
  const ids = createIdSource()
  const store = await openSqliteStore({ path: join(folder, 'box.db'), newId: () => ids.next('evt') })
  const journal = createJournal({ store, clock: systemClock, ids })
  const sessionIds = Array.from({ length: SESSIONS }, () => ids.next('ses'))
  await Promise.all(sessionIds.map((id) => journal.append(id, [sessionCreated()])))

  const bare = await openDatabase(join(folder, 'bare.db'))
  bare.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE events (position INTEGER PRIMARY KEY, session_id TEXT, seq INTEGER, type TEXT, at TEXT, id TEXT, data TEXT);
    CREATE UNIQUE INDEX by_session ON events (session_id, seq);`)
  const insert = bare.prepare(
    'INSERT INTO events (session_id, seq, type, at, id, data) VALUES (?, ?, ?, ?, ?, ?)',
  )
  let seq = 0

  const figures = await inTurns(
    {
      // As many commits as there are when the sessions wait for each of their events: one for all sessions at a time.
      'bare batches': async () => {
        const ms = await timed(() => {
          for (let index = 0; index < EACH; index += 1) {
            seq += 1
            bare.exec('BEGIN')
            for (const id of sessionIds)
              insert.run(
                id,
                seq,
                'error.raised',
                new Date().toISOString(),
                ids.next('evt'),
                JSON.stringify(failure().data),
              )
            bare.exec('COMMIT')
          }
        })
        return (COUNT / ms) * 1_000
      },
      'signalbox, each waits for its own': async () => {
        const ms = await timed(() =>
          Promise.all(
            sessionIds.map(async (id) => {
              for (let index = 0; index < EACH; index += 1) await journal.append(id, [failure()])
            }),
          ),
        )
        return (COUNT / ms) * 1_000
      },
      'signalbox, nobody waits': async () => {
        const ms = await timed(() =>
          Promise.all(
            sessionIds.flatMap((id) => Array.from({ length: EACH }, () => journal.append(id, [failure()]))),
          ),
        )
        return (COUNT / ms) * 1_000
      },
    },
    ROUNDS,
  )
  report({
    name: 'events stored durably, 50 sessions',
    unit: '/s',
    figures,
    goals: [{ row: 'signalbox, each waits for its own', least: 0.6 }],
  })
  await journal.close()
  await store.close()
  bare.close()
})
