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

/** A process that stays: this run attaches to it. */
export interface SparedProcess {
  readonly folder: { readonly id: string }
  readonly mark: string
}

/**
 * Call it before any process is started: every process with the mark of this home counts as orphaned. Two processes must
 * never write one conversation, so it resolves when they are gone.
 */
export async function killOrphans(
  { mark, runFolder, recorded }: Orphans,
  spared: readonly SparedProcess[] = [],
): Promise<void> {
  const stays = new Set(spared.map(({ folder }) => folder.id))
  const folders = new LaunchFolders(runFolder).list().filter(({ id }) => !stays.has(id))
  const known = folders.flatMap((folder) => folder.process ?? [])
  const sparedMarks = spared.map((process) => process.mark)
  await reap(`${mark}/`, [...recorded, ...known], GRACE_MS, sparedMarks)
  for (const folder of folders) folder.remove()
}
