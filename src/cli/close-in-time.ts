/** Closes the daemon within a limit, whatever its sessions and the machine do. */

import type { Daemon } from '../daemon.js'

/** Processes that have not ended by now are killed, so that the rest can be recorded and closed. */
const KILL_MS = 6_000
/** Service managers and containers kill what does not end within ten seconds. */
const CLOSE_MS = 9_000

/** `endNow` ends this process. */
export async function closeInTime(
  { close, killProcesses }: Pick<Daemon, 'close' | 'killProcesses'>,
  endNow: () => void,
): Promise<void> {
  const timers = [setTimeout(killProcesses, KILL_MS), setTimeout(endNow, CLOSE_MS)]
  await close()
  for (const timer of timers) clearTimeout(timer)
}
