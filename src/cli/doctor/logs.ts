/** Whether the logs can be written: the daemon runs without them, so nothing else would say that lines are missing. */

import { closeSync, constants, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dayFilesIn } from '../../lib/file/day-file.js'
import { tryWriting } from '../../store/write-fault.js'
import type { Finding } from './finding.js'

export function checkLogs(home: string): Finding {
  const folder = join(home, 'logs')
  const name = 'Logs'
  try {
    if (!statSync(folder, { throwIfNoEntry: false }))
      return { name, state: 'ok', found: 'made with the first start' }
    tryWriting(folder)
    for (const file of logsIn(folder)) tryAppending(file)
    return { name, state: 'ok', found: `${folder} can be written` }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return {
      name,
      state: 'broken',
      found: `Nothing can be logged in ${folder}: ${problem}.`,
      fix: 'Make it a folder that you can write, or move it away: the daemon then makes a new one.',
    }
  }
}

/** The newest of each kind: those of the days before are written no more. */
function logsIn(folder: string): string[] {
  return ['sdk', 'daemon'].flatMap((kind) => dayFilesIn(folder, kind).slice(-1)).map(({ path }) => path)
}

/** Opened and not written. A FIFO without a reader does not stop it. */
function tryAppending(file: string): void {
  closeSync(openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK))
}
