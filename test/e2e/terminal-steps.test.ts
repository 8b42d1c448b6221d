/** kill -9 at each step of a line from the stream into the log: between its row and its events, and between those and the cursor. */

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/store.js'
import { rotateStream } from '../../src/terminal/stream/rotate.js'
import { ids } from '../support/build.js'
import { problemsOf } from '../support/check-log.js'
import { temporaryFolder } from '../support/temporary-folder.js'

const PROCESS = fileURLToPath(new URL('../support/terminals-process.mjs', import.meta.url))
const SESSION = randomUUID()

test('a process that is killed between two steps leaves nothing out and records nothing twice', async () => {
  const folder = await temporaryFolder()
  const path = join(folder, 'lifecycle.jsonl')
  const written: string[] = []
  const turn = () => {
    const prompt = `${written.length}`
    for (const fields of [
      { eventType: 'turn.start', prompt },
      { eventType: 'turn.end', outcome: 'completed' },
    ]) {
      const common = { id: randomUUID(), occurredAtIso: new Date().toISOString(), sessionId: SESSION }
      appendFileSync(path, `${JSON.stringify({ ...common, ...fields })}\n`)
    }
    written.push(prompt)
  }
  const runUntil = async (side: 'before' | 'after', write: number) => {
    const child = spawn(process.execPath, [PROCESS, path, folder, side, `${write}`], { stdio: 'pipe' })
    let errors = ''
    child.stderr.on('data', (text) => (errors += String(text)))
    const [, signal] = await once(child, 'exit')
    expect({ signal, errors }).toEqual({ signal: 'SIGKILL', errors: '' })
  }
  /** The rows, the log and the cursor as the next process finds them. */
  const found = async () => {
    const store = await openSqliteStore({ path: join(folder, 'signalbox.db'), newId: () => ids.next('evt') })
    try {
      const [session] = await store.sessions({ claudeSessionId: SESSION })
      const events = session ? (await store.readSession(session.id)).map(({ event }) => event) : []
      const number = (sql: string) =>
        (store.database.prepare(sql).get() as { number: number } | undefined)?.number
      return {
        rows: number('select count(*) as number from turn_lifecycle_events'),
        prompts: events.flatMap((event) => (event.type === 'message.queued' ? [event.data.text] : [])),
        cursor: number("select seq as number from lifecycle_cursors where reader = 'log'") ?? 0,
        problems: problemsOf(events),
      }
    } finally {
      await store.close()
    }
  }

  for (let round = 0; round < 2; round++) {
    const { prompts, cursor } = await whatIs(round, found)
    turn()
    await runUntil('after', 1)
    expect(await found()).toEqual({ rows: written.length * 2, prompts, cursor, problems: [] })

    turn()
    rotateStream(path, Date.now())
    turn()
    await runUntil('before', 3)
    expect(await found()).toEqual({ rows: written.length * 2, prompts: written, cursor, problems: [] })

    turn()
    await runUntil('after', 2)
    expect(await found()).toEqual({
      rows: written.length * 2,
      prompts: written,
      cursor: written.length * 2,
      problems: [],
    })
  }
})

/** Before the first run there is no database. */
function whatIs<Found>(round: number, found: () => Promise<Found>) {
  return round === 0 ? { prompts: [] as string[], cursor: 0 } : found()
}
