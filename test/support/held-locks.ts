/** The locks that processes hold on a file, as the system lists them. */

import { existsSync, readFileSync, statSync } from 'node:fs'

export const CAN_LIST_LOCKS = existsSync('/proc/locks')

/** How many POSIX locks the process has on the file. */
export function locksOn(path: string, pid: number = process.pid): number {
  const { ino } = statSync(path)
  const lines = readFileSync('/proc/locks', 'utf8').split('\n')
  // `1: POSIX  ADVISORY  READ 11108 fe:00:2147587 124 124`; a line with `->` is a process that waits.
  return lines.filter((line) => {
    const [, kind, , , holder, file] = line.split(/\s+/)
    return kind === 'POSIX' && holder === String(pid) && file?.endsWith(`:${ino}`)
  }).length
}
