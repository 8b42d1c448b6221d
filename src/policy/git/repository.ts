/** What the policy asks of a repository. It is read without git. */

import type { IndexFile } from './index-file.js'
import type { ObjectType } from './pack.js'

export interface Repository {
  /** Git takes it for a repository. If not, it goes on searching above, or gives up. */
  isWhole: boolean
  /** Null where the index cannot be read completely. */
  index: IndexFile | null
  /** The tracked files that are protected. */
  guarded: readonly TrackedFile[]
  /** Whether any object holds a protected file. */
  history(): History
  /** The types of the objects whose id begins so; null if that cannot be known. */
  typesOf(prefix: string): readonly ObjectType[] | null
  commits: CommitReader
}

export interface TrackedFile {
  name: string
  /** The id of what is staged. */
  id: string
  /** Whether the file in the working tree may differ from what is staged: only then `git diff` shows it. */
  isChanged(): boolean
}

/** `holds`: a protected file is in it. */
export type History = 'clean' | 'holds' | 'unknown'

/** The protected files of a tree: by path, the id of what is in them. */
export type Guarded = ReadonlyMap<string, string>

/** The commits of a repository. Null: that cannot be known. */
export interface CommitReader {
  /** The id of a commit. */
  resolve(revision: string): string | null
  parents(id: string): readonly string[] | null
  guarded(id: string): Guarded | null
}
