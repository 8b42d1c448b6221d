/** Orphaned processes: those that an earlier run of the daemon started and could not end, because it crashed. */

import { type KnownProcess, LaunchFolders } from '../attach/launch-folder.js'
import { reap } from './reaper.js'

/** Shorter than for others: they have lost their input already, and the start waits for them. */
const GRACE_MS = 1_000

export interface Orphans {
  mark: string
  runFolder: string
  /** Processes that a previous version has recorded elsewhere. */
  recorded: readonly KnownProcess[]
}

/**
 * Call it before any process is started: every process with the mark of this home counts as orphaned. Two processes must
 * never write one conversation, so it resolves when they are gone.
 */
export async function killOrphans({ mark, runFolder, recorded }: Orphans): Promise<void> {
  const folders = new LaunchFolders(runFolder).list()
  const known = folders.flatMap((folder) => folder.process ?? [])
  await reap(`${mark}/`, [...recorded, ...known], GRACE_MS)
  for (const folder of folders) folder.remove()
}
