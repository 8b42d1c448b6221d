/** Lines of the lifecycle stream into SQLite, against bare parsing and batch inserts. `--lines N` for another number than 300,000. */

import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { makeDurable, openDatabase } from '../dist/lib/sqlite/driver.js'
import { openFileStreamConsumer } from '../dist/terminal/stream/file-stream-consumer.js'
import { createTables } from '../dist/terminal/stream/table.js'
import { readLines, writeStream } from './support/lifecycle-stream.mjs'
import { inTurns, report } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'

const at = process.argv.indexOf('--lines')
const LINES = at < 0 ? 300_000 : Number(process.argv[at + 1])
const ROUNDS = 2
const BATCH = 4 << 20

await bench(async () => {
  const folder = temporaryFolder()
  const path = join(folder, 'lifecycle.jsonl')
  writeStream(path, LINES)
  const { size } = statSync(path)
  const fresh = async (name) => {
    const file = join(folder, name)
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true })
    return file
  }
  const rate = (start) => (LINES / (performance.now() - start)) * 1_000

  const figures = await inTurns(
    {
      'bare parsing and inserts': async () => {
        const database = await openDatabase(await fresh('bare.db'))
        makeDurable(database)
        createTables(database)
        const insert = database.prepare(
          `insert or ignore into session_lifecycle_events
             (id, occurred_at_iso, session_id, provider, phase, project_path, cwd, raw_json)
           values (?, ?, ?, ?, ?, ?, ?, ?)`,
        )
        const start = performance.now()
        const file = openSync(path, 'r')
        database.exec('begin immediate')
        readLines(
          file,
          size,
          BATCH,
          (text) => {
            const { id, occurredAtIso, sessionId, provider, phase, projectPath, cwd } = JSON.parse(text)
            insert.run(id, occurredAtIso, sessionId, provider, phase, projectPath, cwd, text)
          },
          readSync,
          () => database.exec('commit; begin immediate'),
        )
        database.exec('commit')
        closeSync(file)
        const figure = rate(start)
        database.close()
        return figure
      },
      'the consumer': async () => {
        const databasePath = await fresh('consumer.db')
        const consumer = await openFileStreamConsumer({
          path,
          databasePath,
          batchBytes: BATCH,
          rotateAtBytes: 0,
        })
        const start = performance.now()
        await consumer.consume()
        const figure = rate(start)
        if (consumer.total.events !== LINES)
          throw new Error(`${consumer.total.events} of ${LINES} were stored.`)
        await consumer.close()
        return figure
      },
    },
    ROUNDS,
  )
  report({
    name: `Ingest of ${LINES} lines (${Math.round(size / LINES)} bytes each)`,
    unit: 'lines/s',
    figures,
    goals: [{ row: 'the consumer', least: 0.75 }],
  })
})
