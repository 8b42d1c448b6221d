/** Orphaned processes: those that an earlier run of the daemon started and could not end, because it crashed. */

import type { Store } from '../../store/port.js'
import { reap } from './reaper.js'

/** Shorter than for others: they have lost their input already, and the start waits for them. */
const GRACE_MS = 1_000

/**
 * Call it before any process is started: every process with the mark of this home counts as orphaned. Two processes must
 * never write one conversation, so it resolves when they are gone.
 */
export async function killOrphans(store: Store, mark: string): Promise<void> {
  const recorded = await store.processes()
  await reap(`${mark}/`, recorded, GRACE_MS)
  for (const { pid } of recorded) store.removeProcess(pid)
}
