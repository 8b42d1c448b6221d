/** The differences between two states of a workspace: content, kind and permissions of files, and folders without files. */

import type { BytePath } from '../byte-path.js'
import type { TreeChange, TreeEntry } from '../git/tree-diff.js'
import { type Meta, modeIn } from './meta.js'
import type { State } from './snapshot-store.js'
import type { Trees } from './trees.js'

/** A file as it was recorded. `mode`: its permission bits; 0 for a link. */
export interface FileEntry {
  readonly kind: TreeEntry['kind']
  readonly id: string
  readonly mode: number
}

/** The same kind, content and permissions. */
export function isSame(one: FileEntry | null, other: FileEntry | null): boolean {
  if (one === null || other === null) return one === other
  return one.id === other.id && one.mode === other.mode && (one.kind === 'link') === (other.kind === 'link')
}

export interface FileDifference {
  readonly path: BytePath
  readonly before: FileEntry | null
  readonly after: FileEntry | null
}

export interface StateDifference {
  readonly files: readonly FileDifference[]
  /** Folders without files that came or went. */
  readonly folders: readonly { readonly path: BytePath; readonly isNew: boolean }[]
  /** Files that changed but are not recorded. */
  readonly left: readonly BytePath[]
}

type Compared = Pick<State, 'tree' | 'meta'>

export async function compareStates(
  trees: Trees,
  before: Compared,
  after: Compared,
): Promise<StateDifference> {
  const changes = await trees.compare(before.tree, after.tree)
  const seen = new Set(changes.map(({ path }) => path))
  const more = changedModes(before.meta, after.meta).filter((path) => !seen.has(path))
  const same = more.length === 0 ? [] : await trees.entries(after.tree, more)
  const files = [
    ...changes,
    ...same.map(({ path, entry }): TreeChange => ({ path, before: entry, after: entry })),
  ]
  return {
    files: files.map(({ path, before: from, after: to }) => ({
      path,
      before: fileEntry(before.meta, path, from),
      after: fileEntry(after.meta, path, to),
    })),
    folders: folderChanges(before.meta, after.meta),
    left: leftChanges(before.meta, after.meta),
  }
}

export function isEmptyDifference({ files, folders }: StateDifference): boolean {
  return files.length === 0 && folders.length === 0
}

function fileEntry(meta: Meta, path: BytePath, entry: TreeEntry | null): FileEntry | null {
  if (entry === null) return null
  return { ...entry, mode: entry.kind === 'link' ? 0 : modeIn(meta, path, entry.kind) }
}

/** Files whose permissions are listed in one and differ in the other. */
function changedModes(before: Meta, after: Meta): BytePath[] {
  if (before.modes === after.modes) return []
  const paths = new Set([...before.modes.keys(), ...after.modes.keys()])
  return [...paths].filter((path) => !path.endsWith('/') && before.modes.get(path) !== after.modes.get(path))
}

function folderChanges(before: Meta, after: Meta): StateDifference['folders'] {
  if (before.folders === after.folders) return []
  return [
    ...[...before.folders].filter((path) => !after.folders.has(path)).map((path) => ({ path, isNew: false })),
    ...[...after.folders].filter((path) => !before.folders.has(path)).map((path) => ({ path, isNew: true })),
  ]
}

function leftChanges(before: Meta, after: Meta): BytePath[] {
  if (before.left === after.left) return []
  const paths = new Set([...before.left.keys(), ...after.left.keys()])
  return [...paths].filter(
    (path) => JSON.stringify(before.left.get(path)) !== JSON.stringify(after.left.get(path)),
  )
}
