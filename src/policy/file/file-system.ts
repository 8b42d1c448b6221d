/**
 * Port: the file-system queries of the policy. It never writes. Null means that there is no such thing; a failed query
 * is recorded as well, so that it never counts as harmless.
 */

import type { Repository } from '../git/repository.js'
import type { GitSettings } from './git-settings.js'

export interface FileSystem {
  /** The target of a symlink, unresolved; null for everything else. */
  readLink(path: string): string | null
  /** The names in a directory; null if it is not a directory or cannot be read. */
  list(path: string): readonly string[] | null
  /** The same with the kind of each entry; `file` is everything that is neither a folder nor a symlink. */
  entries(path: string): readonly Entry[] | null
  /** An identity that all hard links of one file share; null unless the file has several names. */
  identity(path: string): string | null
  /** The repository whose working tree has its top at this path; null if there is none. */
  repository(path: string): Repository | null
  /** The patterns of an ignore file that re-include files, without their `!`; null if there is no such file. */
  negations(path: string): readonly string[] | null
  /** The kind of settings in a configuration file of git; null if there is no such file. */
  gitSettings(path: string): GitSettings | null
  /** The first path for which one of the queries above failed; null if all were answered. */
  unseen(): Unseen | null
}

export interface Entry {
  name: string
  kind: 'file' | 'folder' | 'link'
}

export interface Unseen {
  path: string
  /** Permission denied: no program of the same user sees more. */
  isForbidden: boolean
}

/** A file system without files and symlinks: verdicts by name alone. */
export const emptyFileSystem: FileSystem = {
  readLink: () => null,
  list: () => null,
  entries: () => null,
  identity: () => null,
  repository: () => null,
  negations: () => null,
  gitSettings: () => null,
  unseen: () => null,
}
