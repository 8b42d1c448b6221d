/** CPU time of this process: what others do on the machine does not count. */

/** In milliseconds. */
export function processorTime(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

/** The least of a few runs, because compiling and collecting garbage make one slow; no more of them once one is fast enough. */
export function leastTime(run: () => unknown, enough: number, runs = 12): number {
  let least = Number.POSITIVE_INFINITY
  for (let count = 0; count < runs && least > enough; count += 1) least = Math.min(least, processorTime(run))
  return least
}
