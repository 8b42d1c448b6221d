/** Port: the queries of the policy about a repository, which is read without running git. */

import type { GitSettings } from '../file/git-settings.js'
import type { IndexFile } from './index-file.js'
import type { ObjectType } from './pack.js'

export interface Repository {
  /** Git accepts it as a repository. If not, git continues the search above, or gives up. */
  isWhole: boolean
  /** Git shows other objects than those that are read here, or fetches them: `other-objects.ts`. */
  hasOtherObjects: boolean
  /** Null if the index cannot be read completely. */
  index: IndexFile | null
  /** Tracked files that are protected. */
  guarded: readonly TrackedFile[]
  /** The kind of settings in each of its configuration files. */
  settings(): readonly GitSettings[]
  /** Whether any object contains a protected file. */
  history(): History
  /** The types of the objects whose id has this prefix; null if unknown. */
  typesOf(prefix: string): readonly ObjectType[] | null
  commits: CommitReader
}

export interface TrackedFile {
  name: string
  /** Id of the staged content. */
  id: string
  /** Whether the file in the working tree may differ from the staged content: only then `git diff` shows it. */
  isChanged(): boolean
}

/** `holds`: it contains a protected file. */
export type History = 'clean' | 'holds' | 'unknown'

/** The protected files of a tree: path to object id. */
export type Guarded = ReadonlyMap<string, string>

/** The commits of a repository. Null: unknown. */
export interface CommitReader {
  /** The id of a commit. */
  resolve(revision: string): string | null
  parents(id: string): readonly string[] | null
  guarded(id: string): Guarded | null
}
