/** How much memory this process really holds: measured after everything that can go is gone. */

import { setTimeout as wait } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export interface Memory {
  heapMb: number
  rssMb: number
}

export async function measureMemory(): Promise<Memory> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  // Objects released by finalizers are collected in the next round.
  for (let round = 0; round < 3; round += 1) {
    collect()
    await wait(20)
  }
  const { heapUsed, rss } = process.memoryUsage()
  return { heapMb: Math.round(heapUsed / 1e5) / 10, rssMb: Math.round(rss / 1e6) }
}
