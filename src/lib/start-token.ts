/** Recognises a process: a pid alone is not enough, the system uses it again. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** When the system says that a process started; null if there is no such process. Differs for a later one with its pid. */
export function startTokenOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') return linuxStartToken(pid)
    return (
      execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8', stdio: 'pipe' }).trim() ||
      null
    )
  } catch {
    return null
  }
}

function linuxStartToken(pid: number): string | null {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name in parentheses may hold anything; the fields behind it are plain. State is the first, start time the 20th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields[0] === 'Z') return null
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return `${boot}:${fields[19]}`
}
