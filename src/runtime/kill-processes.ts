/** Kills the processes of all sessions of a home at once, for an end that takes too long. */

import { markOf } from '../session/claude/process-identity.js'
import { killMarked } from '../session/claude/reaper.js'

export function killProcesses(home: string): void {
  killMarked(`${markOf(home)}/`)
}
