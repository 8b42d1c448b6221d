/** From a line in the lifecycle stream to its row, as another process sees it: by the system's word, and by the clock alone. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../dist/lib/sqlite/driver.js'
import { line } from './support/lifecycle-stream.mjs'
import { percentile, report } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'

const EVENTS = 40
const CONSUMER = fileURLToPath(new URL('./support/consumer.mjs', import.meta.url))

await bench(async () => {
  const ways = { watching: 'watch', 'polling every 500 ms': 'poll' }
  const scenes = {}
  for (const [name, way] of Object.entries(ways)) {
    const folder = temporaryFolder()
    const [path, file] = [join(folder, 'lifecycle.jsonl'), join(folder, 'box.db')]
    writeFileSync(path, '')
    const child = spawn(process.execPath, [CONSUMER, path, file, way], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const database = await openDatabase(file)
    database.exec('PRAGMA busy_timeout = 10000')
    const find = database.prepare('select 1 from session_lifecycle_events where id = ?')
    scenes[name] = { path, child, database, find }
  }
  const figures = Object.fromEntries(Object.keys(ways).map((name) => [name, []]))
  for (let index = 0; index < EVENTS; index += 1) {
    for (const [name, { path, find }] of Object.entries(scenes)) {
      await pause(Math.random() * 40)
      const text = line(index)
      const { id } = JSON.parse(text)
      const start = performance.now()
      appendFileSync(path, text)
      // Looked for without a rest at first, so that the looking adds little to what is measured.
      while (!find.get(id)) await (performance.now() - start < 20 ? pause(0) : pause(2))
      figures[name].push(performance.now() - start)
    }
  }
  for (const { child, database } of Object.values(scenes)) {
    child.kill('SIGTERM')
    database.close()
  }
  report({
    name: 'From line to row',
    figures,
    goals: [
      { row: 'watching', absolute: 100 },
      { row: 'polling every 500 ms', absolute: 1_000 },
    ],
    notes: Object.entries(figures).map(([name, values]) => {
      const [p50, p99] = [0.5, 0.99].map((part) => percentile(values, part).toFixed(1))
      return `${name}: p50 ${p50} ms, p99 ${p99} ms${Number(p99) <= 1_000 ? '' : ' (MISSED: at most 1 s)'}`
    }),
  })
})
