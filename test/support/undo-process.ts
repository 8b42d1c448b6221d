/** An undo, or a snapshot, in a process of its own, to be killed: undo-process REQUEST.json. */

import { readFileSync } from 'node:fs'
import { openWorkspace } from '../../src/change/open-workspace.js'
import { Undo, type UndoneChange } from '../../src/change/undo/undo.js'
import { systemClock } from '../../src/lib/clock.js'
import { createIdSource } from '../../src/lib/id.js'

const { options, changes } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as {
  options: Parameters<typeof openWorkspace>[0]
  /** Null: only a snapshot. */
  changes: UndoneChange[] | null
}
const ids = createIdSource()
const onFault = (error: unknown) => process.stderr.write(`${String(error)}\n`)
const workspace = openWorkspace(options, {
  clock: systemClock,
  ids,
  scanOptions: () => ({}),
  append: async () => {},
  onFault,
})
process.stdout.write('started\n')
if (changes === null) await workspace.changes.look()
else {
  const undo = new Undo(workspace, { ids, append: async () => {} })
  const by = { who: 'kim', via: 'cli' } as const
  await undo.carryOut({ sessionId: 'ses_1', changes, only: null }, { by, isRedo: false }, () => {})
}
process.stdout.write('done\n')
