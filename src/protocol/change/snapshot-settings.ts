/** Settings of snapshots: what is recorded of workspaces, how much, and for how long. */

import { z } from 'zod'

const MEGABYTE = 1024 * 1024

export const SnapshotSettings = z.strictObject({
  /** `off`: nothing is recorded, so nothing can be reviewed or undone. */
  mode: z.enum(['on', 'off']).default('on'),
  /** Also of sessions in terminals. */
  terminals: z.boolean().default(true),
  /** For a workspace with more files or bytes to record, a user chooses: wait, or continue without undo. */
  maxFiles: z.int().min(1).default(100_000),
  maxMegabytes: z.number().min(1).default(2_000),
  /** Decides that in advance. */
  overLimit: z.enum(['ask', 'wait', 'skip']).default('ask'),
  /** Larger files are left out. */
  maxFileMegabytes: z.number().min(0.01).default(20),
  /** Ignored files that a call names are saved up to this number and size. */
  maxIgnoredFiles: z.int().min(0).default(1_000),
  maxIgnoredMegabytes: z.number().min(0).default(50),
  /** Patterns as in a `.gitignore`, for all workspaces. Files that a repository tracks are recorded all the same. */
  exclude: z.array(z.string().min(1)).default(['node_modules/', '.venv/', '__pycache__/']),
  /** Days after its last change that the snapshots of a session are kept; 0: as long as the session. */
  days: z.int().min(0).max(36_500).default(30),
  /** Beyond it, the snapshots of the sessions that changed least recently are deleted. */
  maxStoreMegabytes: z.number().min(1).default(10_000),
})
export type SnapshotSettings = z.infer<typeof SnapshotSettings>

export function bytesOfMegabytes(megabytes: number): number {
  return Math.round(megabytes * MEGABYTE)
}
