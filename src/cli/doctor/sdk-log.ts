/** Whether the log of the SDK can be written: sessions run without it, so nothing else would say that lines are missing. */

import { closeSync, constants, openSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { tryWriting } from '../../store/write-fault.js'
import type { Finding } from './finding.js'

export function checkSdkLog(home: string): Finding {
  const folder = join(home, 'logs')
  const name = 'SDK log'
  try {
    if (!statSync(folder, { throwIfNoEntry: false }))
      return { name, state: 'ok', found: 'made with the first session' }
    tryWriting(folder)
    for (const file of logsIn(folder)) tryAppending(join(folder, file))
    return { name, state: 'ok', found: `${folder} can be written` }
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error)
    return {
      name,
      state: 'broken',
      found: `Messages to and from Claude cannot be logged in ${folder}: ${problem}.`,
      fix: 'Make it a folder that you can write, or move it away: the daemon then makes a new one.',
    }
  }
}

/** The newest: those of the days before are written no more. */
function logsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => /^sdk-\d{4}-\d{2}-\d{2}\.jsonl$/.test(name))
    .toSorted()
    .slice(-1)
}

/** Opened and not written. A FIFO without a reader does not stop it. */
function tryAppending(file: string): void {
  closeSync(openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK))
}
