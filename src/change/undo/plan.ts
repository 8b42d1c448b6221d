/**
 * Plans an undo: what each file must become so that the chosen changes are gone and everything else stays. A file
 * that someone else changed afterwards is merged; where that is not possible it is a conflict, and nothing is written.
 */

import { type BytePath, folderOf, foldersAround, isGitPath } from '../byte-path.js'
import type { Meta } from '../snapshot/meta.js'
import { type FileEntry, isSame, type StateDifference } from '../snapshot/state-diff.js'
import { type ConflictReason, type MergeDeps, type Merged, revert } from './merge.js'

/** A change to undo, with the meta data of the state before it. */
export interface ChosenChange {
  difference: StateDifference
  meta: Pick<Meta, 'folders'>
}

export interface Step {
  path: BytePath
  /** The file that is there now, and the one that is to be there. Null: nothing. */
  from: FileEntry | null
  to: FileEntry | null
}

export interface Conflict {
  path: BytePath
  reason: ConflictReason
}

export interface UndoPlan {
  steps: readonly Step[]
  conflicts: readonly Conflict[]
  /** Folders to make, and folders that are removed if they are empty in the end, deepest first. */
  make: readonly BytePath[]
  prune: readonly BytePath[]
}

/** `other`: a device, a pipe or a socket. */
export type Present = ReadonlyMap<BytePath, FileEntry | 'folder' | 'other'>

export interface PlanDeps extends MergeDeps {
  /** Files and folders at these paths now. */
  present(paths: readonly BytePath[]): Promise<Present>
  /** Whether a folder holds any file besides these. */
  holdsOthers(folder: BytePath, files: ReadonlySet<BytePath>): boolean
}

/** `changes`: oldest first. `only`: the files to undo; null: all. */
export async function planUndo(
  changes: readonly ChosenChange[],
  only: ReadonlySet<BytePath> | null,
  deps: PlanDeps,
): Promise<UndoPlan> {
  const runs = runsOf(changes, only)
  const paths = new Set([...runs.keys()].flatMap((path) => [...foldersAround(path), path]))
  const present = await deps.present([...paths])
  const steps: Step[] = []
  const conflicts: Conflict[] = []
  for (const [path, pairs] of runs) {
    const found = present.get(path) ?? null
    const from = found === null || typeof found === 'object' ? found : null
    const merged: Merged =
      found === 'other' || isGitPath(path) ? { conflict: 'replaced' } : await revertAll(from, pairs, deps)
    if ('conflict' in merged) conflicts.push({ path, reason: merged.conflict })
    else {
      const to = isSame(from, merged.entry) ? from : withoutSpecialBits(merged.entry)
      if (!isSame(from, to)) steps.push({ path, from, to })
    }
  }
  conflicts.push(...misplaced(steps, present, deps))
  return { steps, conflicts, ...foldersOf(changes, only, steps) }
}

/**
 * A file gets the owner of its folder: with the bit for set-user-ID, the file of one user could run with the rights of another.
 */
function withoutSpecialBits(entry: FileEntry | null): FileEntry | null {
  return entry && { ...entry, mode: entry.mode & 0o777 }
}

interface Pair {
  before: FileEntry | null
  after: FileEntry | null
}

/** The changes of each file. Those that follow each other without a change by someone else are one. */
function runsOf(changes: readonly ChosenChange[], only: ReadonlySet<BytePath> | null): Map<BytePath, Pair[]> {
  const runs = new Map<BytePath, Pair[]>()
  for (const { difference } of changes) {
    for (const { path, before, after } of difference.files) {
      if (only !== null && !only.has(path)) continue
      const pairs = runs.get(path) ?? []
      const last = pairs.at(-1)
      if (last && isSame(last.after, before)) pairs.splice(-1, 1, { before: last.before, after })
      else pairs.push({ before, after })
      runs.set(path, pairs)
    }
  }
  return runs
}

/** The newest first: each is reverted on top of what is left of the later ones. */
async function revertAll(now: FileEntry | null, pairs: readonly Pair[], deps: MergeDeps): Promise<Merged> {
  let entry = now
  for (const { before, after } of pairs.toReversed()) {
    const merged = await revert(entry, before, after, deps)
    if ('conflict' in merged) return merged
    entry = merged.entry
  }
  return { entry }
}

/** A file cannot be where a folder with other files is, nor below something that is a file. */
function misplaced(steps: readonly Step[], present: Present, { holdsOthers }: PlanDeps): Conflict[] {
  const removed = new Set(steps.filter(({ to }) => to === null).map(({ path }) => path))
  const kept = new Set(steps.filter(({ to }) => to !== null).map(({ path }) => path))
  return [...kept].flatMap((path): Conflict[] => {
    const isBelowFile = foldersAround(path).some(
      (folder) =>
        kept.has(folder) || (present.has(folder) && present.get(folder) !== 'folder' && !removed.has(folder)),
    )
    const isOnFolder = present.get(path) === 'folder' && holdsOthers(path, removed)
    return isBelowFile || isOnFolder ? [{ path, reason: 'replaced' }] : []
  })
}

function foldersOf(
  changes: readonly ChosenChange[],
  only: ReadonlySet<BytePath> | null,
  steps: readonly Step[],
): Pick<UndoPlan, 'make' | 'prune'> {
  const before = new Set(changes.flatMap(({ meta }) => [...meta.folders]))
  const emptied = steps.filter(({ to }) => to === null).flatMap(({ path }) => foldersAround(path))
  const changed = only === null ? changes.flatMap(({ difference }) => difference.folders) : []
  const make = changed.filter(({ isNew }) => !isNew).map(({ path }) => path)
  const made = changed.filter(({ isNew }) => isNew).flatMap(({ path }) => [path, ...foldersAround(path)])
  const prune = new Set([...emptied, ...made].filter((folder) => folder !== '' && !before.has(folder)))
  const files = new Set(steps.filter(({ to }) => to !== null).map(({ path }) => folderOf(path)))
  return {
    make: [...new Set(make)].toSorted(),
    prune: [...prune]
      .filter((folder) => !files.has(folder))
      .toSorted((one, other) => other.length - one.length),
  }
}
