/** How long a piece of work blocks the event loop. */

import { setImmediate as turn } from 'node:timers/promises'

export interface Turns {
  /** CPU time in milliseconds, not time on the wall, which other programs make longer. */
  longest: number
  count: number
}

export async function measureTurns(work: () => Promise<unknown>): Promise<Turns> {
  let longest = 0
  let count = 0
  const done = work().then(() => true)
  for (let last = process.cpuUsage(); !(await Promise.race([done, turn(false)])); count += 1) {
    const { user, system } = process.cpuUsage(last)
    longest = Math.max(longest, (user + system) / 1_000)
    last = process.cpuUsage()
  }
  return { longest, count }
}
