/**
 * The few things that the policy asks of the file system. It never writes. Null means that there is no such thing; what
 * cannot be known is noted as well, so that it never counts as harmless.
 */

import type { Repository } from '../git/repository.js'

export interface FileSystem {
  /** Where a symbolic link points, as it is written there; null for everything else. */
  readLink(path: string): string | null
  /** The names in a directory; null if it is none or cannot be read. */
  list(path: string): readonly string[] | null
  /** The same with what each name is; `file` is everything that is neither a folder nor a link. */
  entries(path: string): readonly Entry[] | null
  /** What the names of one file have in common; null unless the file has several names (hard links). */
  identity(path: string): string | null
  /** The repository whose working tree begins at this path; null if there is none. */
  repository(path: string): Repository | null
  /** The patterns of an ignore file that take a file back in, without their `!`; null if there is no such file. */
  negations(path: string): readonly string[] | null
  /** The first place about which one of the questions above could not be answered; null if all were. */
  unseen(): Unseen | null
}

export interface Entry {
  name: string
  kind: 'file' | 'folder' | 'link'
}

export interface Unseen {
  path: string
  /** A right is missing: no program of the same user sees more. */
  isForbidden: boolean
}

/** A file system without links and without files: verdicts by name alone. */
export const emptyFileSystem: FileSystem = {
  readLink: () => null,
  list: () => null,
  entries: () => null,
  identity: () => null,
  repository: () => null,
  negations: () => null,
  unseen: () => null,
}
