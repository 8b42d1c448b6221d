/** Recognises processes, also orphans: a pid alone is not enough, the system uses it again. */

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { digest } from '../../lib/digest.js'

/** The variable that every process of a session inherits, however far it has moved from its parent. */
export const MARK = 'SIGNALBOX_CHILD'

/** The value of the mark begins with this, and a slash, in all processes of one home. */
export function markOf(home: string): string {
  return digest(home).slice(0, 16)
}

/**
 * Processes whose environment carries the mark with a value that starts like this, and with none of the spared ones. Never this
 * process itself.
 */
export function findMarked(prefix: string, spared: readonly string[] = []): number[] {
  const wanted = `${MARK}=${prefix}`
  const unwanted = spared.map((mark) => `${MARK}=${mark}`)
  const found = process.platform === 'linux' ? findOnLinux(wanted, unwanted) : findWithPs(wanted, unwanted)
  return found.filter((pid) => pid !== process.pid)
}

function findOnLinux(wanted: string, unwanted: readonly string[]): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid)) return false
      try {
        const variables = `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`
        return variables.includes(`\0${wanted}`) && !unwanted.some((one) => variables.includes(`\0${one}\0`))
      } catch {
        return false // It belongs to another user, or has just exited.
      }
    })
}

function findWithPs(wanted: string, unwanted: readonly string[]): number[] {
  try {
    const lines = execFileSync('ps', ['-A', '-E', '-ww', '-o', 'pid=,command='], {
      encoding: 'utf8',
      stdio: 'pipe',
    })
    return lines
      .split('\n')
      .filter((line) => line.includes(` ${wanted}`) && !unwanted.some((one) => line.includes(` ${one}`)))
      .map((line) => Number.parseInt(line, 10))
  } catch {
    return []
  }
}
