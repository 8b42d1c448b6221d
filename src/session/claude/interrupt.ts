/** Stops the running turn of a process, and answers in bounded time. */

import { setTimeout as wait } from 'node:timers/promises'
import { notResponding } from './control-timeout.js'
import type { Claude } from './port.js'

const INTERRUPT_MS = 5_000

/** `ended` settles when the process is gone, which stops the turn as well. */
export async function interruptTurn(
  claude: Pick<Claude, 'interrupt'>,
  ended: Promise<object>,
): Promise<void> {
  const asked = claude.interrupt().then(
    () => 'done' as const,
    () => 'refused' as const,
  )
  const late = new AbortController()
  const answer = await Promise.race([
    asked,
    ended,
    wait(INTERRUPT_MS, 'late' as const, { signal: late.signal }),
  ])
  late.abort()
  if (answer !== 'late' && answer !== 'refused') return
  // A process that refuses is about to end, which stops the turn as well; one that says nothing may be stuck.
  if (answer === 'refused' && (await Promise.race([ended, wait(INTERRUPT_MS, null)]))) return
  throw notResponding()
}
