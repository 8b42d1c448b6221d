/**
 * The terminals of a daemon in a process of their own, killed at a write: terminals-process.mjs STREAM FOLDER before|after N.
 * The first write stores rows, the second one the cursor of the log.
 */

import { join } from 'node:path'
import { createJournal } from '../../dist/journal/journal.js'
import { systemClock as clock } from '../../dist/lib/clock.js'
import { createIdSource } from '../../dist/lib/id.js'
import { openSqliteStore } from '../../dist/store/sqlite/store.js'
import { openTerminals } from '../../dist/terminal/terminals.js'

const [, , path, folder, side, number] = process.argv
const ids = createIdSource()
const store = await openSqliteStore({ path: join(folder, 'signalbox.db'), newId: () => ids.next('evt') })
const onFault = (error) => process.stderr.write(`${String(error)}\n`)
let writes = 0
const die = (at) => {
  if (at === side && writes === Number(number)) process.kill(process.pid, 'SIGKILL')
}
await openTerminals({
  journal: createJournal({ store, clock, ids }),
  store,
  clock,
  ids,
  database: store.database,
  write: (work) => {
    writes += 1
    die('before')
    const result = store.writer.attempt(work)
    die('after')
    return result
  },
  read: (work) => work(),
  path,
  claudeFolder: join(folder, 'claude'),
  home: folder,
  // Of the stream alone: a transcript writes as well.
  transcripts: { keep: false, exclude: [] },
  learnFolder: async () => {},
  onFault,
})
setInterval(() => {}, 1_000)
