/** Names of files and folders, for completion and for choosing a folder. Never content. */

import { z } from 'zod'

const FileMatch = z.strictObject({
  /** Below the folder that was searched; that of a folder ends with a slash. */
  path: z.string(),
  kind: z.enum(['file', 'folder']),
})

export const FileMatches = z.strictObject({
  /** Best match first. */
  files: z.array(FileMatch),
  /** All files and folders that were searched. */
  total: z.int().min(0),
  /**
   * `indexing`: the folder is being read for the first time. `refreshing`: changes of the last moments may be missing. In
   * both cases the same request gets a better answer a moment later.
   */
  state: z.enum(['ready', 'indexing', 'refreshing']),
  /** False if the folder has more files than are listed. */
  isWhole: z.boolean(),
})
export type FileMatches = z.infer<typeof FileMatches>

export const ListedFolder = z.strictObject({
  name: z.string(),
  /** Its real path: for a symlink, where it leads. */
  path: z.string(),
  isRepository: z.boolean(),
})
export type ListedFolder = z.infer<typeof ListedFolder>

export const FolderListing = z.strictObject({
  /** The real path. */
  path: z.string(),
  /** The folder above; null if the caller cannot list it. */
  parent: z.string().nullable(),
  /** Its folders, by name, hidden ones last. */
  folders: z.array(ListedFolder),
  /** False if it has more folders than are listed. */
  isWhole: z.boolean(),
})
export type FolderListing = z.infer<typeof FolderListing>

/** A folder in which a session was started, or that is trusted. */
export const RecentFolder = z.strictObject({
  path: z.string(),
  /** When the newest session was started in it; null if none was. */
  usedAt: z.iso.datetime().nullable(),
  isTrusted: z.boolean(),
})
export type RecentFolder = z.infer<typeof RecentFolder>
