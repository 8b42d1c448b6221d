/** Changes of files in a workspace, as they are recorded, reviewed and undone. */

import { z } from 'zod'
import { ChangeId } from '../id.js'

/** A recorded state of a workspace. Equal trees: equal content of all recorded files. */
export const SnapshotRef = z.strictObject({
  id: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
  /** Digest of all recorded files: names, content, and whether they are executable. */
  tree: z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/),
})
export type SnapshotRef = z.infer<typeof SnapshotRef>

export const ChangedFile = z.strictObject({
  /** Below the workspace, with slashes. Quoted as git does where a name is not UTF-8. */
  path: z.string(),
  /** Its name before, if it was renamed. */
  from: z.string().optional(),
  /** `permissions`: only those changed. `folder`: a folder without files. */
  change: z.enum(['added', 'changed', 'deleted', 'renamed', 'permissions']),
  kind: z.enum(['file', 'link', 'folder']),
  /** Lines; null for a binary file. */
  insertions: z.int().min(0).nullable(),
  deletions: z.int().min(0).nullable(),
  /** A protected file: its content is not shown to viewers. */
  isProtected: z.literal(true).optional(),
})
export type ChangedFile = z.infer<typeof ChangedFile>

/** All files of a change, also those that a list leaves out. */
export const ChangeTotals = z.strictObject({
  files: z.int().min(0),
  insertions: z.int().min(0),
  deletions: z.int().min(0),
})
export type ChangeTotals = z.infer<typeof ChangeTotals>

/** The maker of a change. `background`: a background command ran and nothing else; others may have changed files too. */
export const ChangeSource = z.enum(['call', 'background', 'terminal', 'undo'])
export type ChangeSource = z.infer<typeof ChangeSource>

/** Files in the list of an event; `totals` counts all. */
export const MAX_LISTED_FILES = 200

/** A change with the states before and after it. */
export const recordedChange = {
  changeId: ChangeId,
  before: SnapshotRef,
  after: SnapshotRef,
  /** The first of them. */
  files: z.array(ChangedFile),
  totals: ChangeTotals,
  /** Files that changed too, but are not recorded: too large, not readable, or no regular files. */
  uncovered: z.array(z.string()).optional(),
}
