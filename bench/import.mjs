/** Imports transcripts, against reading, parsing and inserting the same rows and no more; and follows 50 that grow. */

import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { createJournal } from '../dist/journal/journal.js'
import { systemClock } from '../dist/lib/clock.js'
import { createIdSource } from '../dist/lib/id.js'
import { Sequencer } from '../dist/lib/sequencer.js'
import { openDatabase } from '../dist/lib/sqlite/driver.js'
import { openSqliteStore } from '../dist/store/sqlite/store.js'
import { SessionBook } from '../dist/terminal/log/session-book.js'
import { createTables } from '../dist/terminal/stream/table.js'
import { TranscriptImporter } from '../dist/terminal/transcript/importer.js'
import { TranscriptTable } from '../dist/terminal/transcript/table.js'
import { inTurns, report, timed } from './support/measure.mjs'
import { bench, temporaryFolder } from './support/place.mjs'

const ROUNDS = 3
const SESSIONS = 15
const TURNS = 120
const LIVE = 50
const LINES = 400

const id = (number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
let count = 0

function lines(sessionId, turns) {
  const line = (fields) => {
    count += 1
    const timestamp = new Date(Date.UTC(2026, 9, 1) + count).toISOString()
    const base = { uuid: `u${count}`, timestamp, cwd: '/p', sessionId, entrypoint: 'cli', gitBranch: 'main' }
    return JSON.stringify({ ...base, ...fields })
  }
  const usage = {
    input_tokens: 10,
    output_tokens: 20,
    cache_read_input_tokens: 900,
    cache_creation_input_tokens: 0,
  }
  const say = (content, stop) =>
    line({
      type: 'assistant',
      message: { id: `m${count}`, model: 'claude-opus-5-5', stop_reason: stop, usage, content },
    })
  return Array.from({ length: turns }, (_, turn) => [
    line({
      type: 'user',
      promptId: `p${turn}`,
      message: { content: `Look at number ${turn}. ${'word '.repeat(20)}` },
    }),
    say(
      [{ type: 'tool_use', id: `t${sessionId}-${turn}`, name: 'Bash', input: { command: 'ls -la' } }],
      'tool_use',
    ),
    line({
      type: 'user',
      message: {
        content: [{ type: 'tool_result', tool_use_id: `t${sessionId}-${turn}`, content: 'x'.repeat(2_000) }],
      },
      toolUseResult: { stdout: 'x'.repeat(2_000), stderr: '' },
    }),
    say([{ type: 'text', text: 'It is as it should be. '.repeat(20) }], 'end_turn'),
  ]).flat()
}

function openLog(folder, claude, name) {
  const ids = createIdSource()
  return openSqliteStore({ path: join(folder, name), newId: () => ids.next('evt') }).then((store) => {
    const clock = systemClock
    const journal = createJournal({ store, clock, ids })
    createTables(store.database)
    const book = new SessionBook({ journal, store, clock, ids })
    const importer = new TranscriptImporter({
      journal,
      clock,
      ids,
      book,
      sequencer: new Sequencer(),
      table: new TranscriptTable(store.database),
      write: (work) => store.writer.attempt(work),
      folder: join(claude, 'projects'),
      settings: { keep: true, exclude: [] },
      onFault: (error) => console.error(error),
    })
    return { store, journal, importer }
  })
}

await bench(async () => {
  const folder = temporaryFolder()
  const claude = join(folder, 'claude')
  const project = join(claude, 'projects', '-p')
  mkdirSync(project, { recursive: true })
  const files = Array.from({ length: SESSIONS }, (_, number) => {
    const path = join(project, `${id(number)}.jsonl`)
    writeFileSync(path, `${lines(id(number), TURNS).join('\n')}\n`)
    utimesSync(path, 1_780_000_000, 1_780_000_000)
    return path
  })
  let life = 0
  let rows = []
  const ours = async () => {
    const log = await openLog(folder, claude, `ours-${++life}.db`)
    const ms = await timed(async () => {
      log.importer.start()
      await log.importer.idle()
    })
    if (rows.length === 0)
      rows = log.store.database.prepare('SELECT session, seq, id, at, type, data FROM event').all()
    await log.importer.close()
    await log.journal.close()
    await log.store.close()
    return ms
  }
  await ours()
  const bare = async () => {
    const database = await openDatabase(join(folder, `bare-${++life}.db`))
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; CREATE TABLE event (position INTEGER PRIMARY KEY AUTOINCREMENT, session INTEGER, seq INTEGER, id TEXT, at INTEGER, type TEXT, data TEXT); CREATE UNIQUE INDEX e ON event (session, seq)',
    )
    const insert = database.prepare(
      'INSERT INTO event (session, seq, id, at, type, data) VALUES (?, ?, ?, ?, ?, ?)',
    )
    const ms = await timed(async () => {
      for (const path of files)
        for (const line of readFileSync(path, 'utf8').split('\n')) if (line) JSON.parse(line)
      for (let at = 0; at < rows.length; at += 400) {
        database.exec('BEGIN')
        for (const row of rows.slice(at, at + 400))
          insert.run(row.session, row.seq, row.id, row.at, row.type, row.data)
        database.exec('COMMIT')
      }
    })
    database.close()
    return ms
  }
  const figures = await inTurns({ 'read, parse, insert': bare, 'signalbox imports': ours }, ROUNDS)
  const latencies = await follow(folder, claude, project)
  const at = (part) => latencies[Math.floor(latencies.length * part)].toFixed(0)
  report({
    name: `import of ${rows.length} events`,
    figures,
    goals: [{ row: 'signalbox imports', most: 2 }],
    notes: [
      `a line is in the log after p50 ${at(0.5)} ms, p99 ${at(0.99)} ms with ${LIVE} live transcripts (goal: 300)`,
    ],
  })
})

/** From the write of a line until it is published. */
async function follow(folder, claude, project) {
  const log = await openLog(folder, claude, 'follow.db')
  const written = new Map()
  const latencies = []
  log.importer.start()
  await log.importer.idle()
  log.journal.subscribe({
    deliver: (items) => {
      for (const { event } of items) {
        const since = event.type === 'text.ended' ? written.get(event.data.uuid) : undefined
        if (since !== undefined) latencies.push(performance.now() - since)
      }
    },
  })
  for (let number = 0; number < LINES; number += 1) {
    const sessionId = id(1_000 + (number % LIVE))
    const [, , , answer] = lines(sessionId, 1)
    written.set(JSON.parse(answer).uuid, performance.now())
    appendFileSync(join(project, `${sessionId}.jsonl`), `${answer}\n`)
    await wait(20)
  }
  await wait(1_000)
  await log.importer.close()
  await log.journal.close()
  await log.store.close()
  if (latencies.length < LINES) console.error(`MISSED: ${LINES - latencies.length} lines were not published`)
  return latencies.toSorted((one, other) => one - other)
}
