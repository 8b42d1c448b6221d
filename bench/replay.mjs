/**
 * Time until the monitor knows every session after a start, against reading and parsing the file. `--lines N`
 * for another number than 300,000.
 */

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../dist/lib/sqlite/driver.js'
import { LifecycleSessionMonitor } from '../dist/terminal/monitor/lifecycle-session-monitor.js'
import { FileStreamConsumer } from '../dist/terminal/stream/file-stream-consumer.js'
import { RowSource } from '../dist/terminal/stream/row-source.js'
import { lineOfLife, readLines, writeStream } from './support/lifecycle-stream.mjs'
import { inTurns, report } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'

const at = process.argv.indexOf('--lines')
const LINES = at < 0 ? 300_000 : Number(process.argv[at + 1])
const ROUNDS = 2
const DAY = 86_400_000

await bench(async () => {
  const folder = temporaryFolder()
  const [old, recent] = [join(folder, 'old.jsonl'), join(folder, 'recent.jsonl')]
  writeStream(old, LINES, { sessions: 5_000, time: Date.now() - 3 * DAY }, lineOfLife)
  writeStream(recent, LINES, { sessions: 5_000, time: Date.now() - LINES }, lineOfLife)
  const database = await openDatabase(join(folder, 'rows.db'))
  const consumer = new FileStreamConsumer({
    path: recent,
    database,
    batchBytes: 4 << 20,
    rotateAtBytes: 0,
    ownsDatabase: true,
  })
  await consumer.consume()
  const rate = (start) => (LINES / (performance.now() - start)) * 1_000

  const replay = (path, known, options, isFromRows) => async () => {
    const monitor = new LifecycleSessionMonitor({
      path,
      claudeFolder: null,
      processes: { read: () => null, space: 'x' },
      ...(isFromRows && { source: new RowSource({ database, recordedThrough: null }) }),
      ...options,
    })
    const start = performance.now()
    await monitor.refresh()
    const figure = rate(start)
    if (monitor.sessions().length !== known)
      throw new Error(`${monitor.sessions().length} sessions are known.`)
    await monitor.close()
    return figure
  }
  const figures = await inTurns(
    {
      'reading and parsing': async () => {
        const start = performance.now()
        const file = openSync(old, 'r')
        let count = 0
        readLines(
          file,
          statSync(old).size,
          1 << 20,
          (text) => (count += JSON.parse(text).pid > 0 ? 1 : 0),
          readSync,
        )
        closeSync(file)
        if (count !== LINES) throw new Error('Lines are missing.')
        return rate(start)
      },
      'replay, all ended long ago': replay(old, 0),
      'replay, all of today': replay(recent, 5_000),
      'the same, told of each line': replay(recent, 5_000, { onLines: async () => {} }),
      // As in a daemon.
      'the same, from stored rows': replay(recent, 5_000, { onLines: async () => {} }, true),
    },
    ROUNDS,
  )
  await consumer.close()
  report({
    name: `Replay of ${LINES} lines, 5,000 sessions`,
    unit: 'lines/s',
    figures,
    goals: [
      { row: 'replay, all ended long ago', least: 0.7 },
      { row: 'replay, all of today', least: 0.7 },
    ],
  })
})
