/**
 * Carries out a plan. All of its steps are in a journal on disk first: a process that is killed in the middle is
 * finished by the next one. Each file is compared with the plan right before it is written.
 */

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type BytePath, folderOf } from '../byte-path.js'
import { isSame } from '../snapshot/state-diff.js'
import type { Trees } from '../snapshot/trees.js'
import { ChangedMeanwhile, type HeldTree } from './held-tree.js'
import type { Step, UndoPlan } from './plan.js'

/** A plan that is being carried out, and what to do when that is done. */
export interface UndoJournal<Note> {
  steps: readonly Step[]
  make: readonly BytePath[]
  prune: readonly BytePath[]
  /** Permission bits of folders that are made again; others get those that the system gives. */
  folderModes: Readonly<Record<BytePath, number>>
  /** The name of the file that is written before it takes its place. */
  temporary: string
  note: Note
}

export interface ApplyDeps {
  tree: HeldTree
  trees: Trees
  /** Where the journal is. */
  path: string
}

/** It failed in the middle, and could not be rolled back, as on a full disk. The journal stays, to finish it later. */
export class HalfDone extends Error {
  constructor(count: number, cause: unknown) {
    super(
      `The undo failed, and ${count} files that it had written could not be put back. It is finished by the next undo in this folder, or the next start.`,
      { cause },
    )
  }
}

export function newJournal<Note>(
  { steps, make, prune }: UndoPlan,
  folderModes: UndoJournal<Note>['folderModes'],
  note: Note,
): UndoJournal<Note> {
  const temporary = `.signalbox-undo-${randomBytes(8).toString('hex')}`
  return { steps, make, prune, folderModes, temporary, note }
}

/**
 * Resolves when everything is written. Rejects with nothing changed, as far as no other process changed it meanwhile; or
 * with `HalfDone`.
 */
export async function applyPlan<Note>(journal: UndoJournal<Note>, deps: ApplyDeps): Promise<void> {
  await save(journal, deps.path)
  const done: Step[] = []
  const made: BytePath[] = []
  try {
    for (const step of inOrder(journal.steps)) {
      if (!isSame(await there(deps.tree, step.path), step.from)) throw new ChangedMeanwhile(step.path)
      await carryOut(step, journal, deps, made)
      done.push(step)
    }
    await finishFolders(journal, deps)
  } catch (error) {
    const failed = await rollBack(done, journal, deps)
    // Those that were there before are not among them; those in which something is stay.
    for (const folder of made.toReversed()) await deps.tree.removeFolder(folder)
    if (failed > 0) throw new HalfDone(failed, error)
    await rm(deps.path, { force: true })
    throw error
  }
}

/** Removes the journal, when what it notes is recorded. */
export async function endJournal({ path }: Pick<ApplyDeps, 'path'>): Promise<void> {
  await rm(path, { force: true })
}

/** A journal that a killed process has left; null if there is none. */
export function leftJournal<Note>(path: string): UndoJournal<Note> | null {
  if (!existsSync(path)) return null
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as UndoJournal<Note>
  } catch {
    return null // It was killed before the first step: a journal is whole when it has its name.
  }
}

/** Finishes it: what is still as before is written. Resolves with the files that someone changed since, left alone. */
export async function finishJournal<Note>(journal: UndoJournal<Note>, deps: ApplyDeps): Promise<BytePath[]> {
  const skipped: BytePath[] = []
  for (const step of inOrder(journal.steps)) {
    await deps.tree.removeDraft(folderOf(step.path), journal.temporary).catch(() => {})
    if (!(await deps.tree.clearAside(step.path, journal.temporary, step.from))) {
      skipped.push(step.path)
      continue
    }
    const now = await there(deps.tree, step.path)
    if (isSame(now, step.to)) continue
    if (isSame(now, step.from)) await carryOut(step, journal, deps).catch(() => skipped.push(step.path))
    else skipped.push(step.path)
  }
  await finishFolders(journal, deps)
  return skipped
}

/** Removals first, so that a file can take the place of a folder and the other way round. */
function inOrder(steps: readonly Step[]): Step[] {
  return [...steps.filter(({ to }) => to === null), ...steps.filter(({ to }) => to !== null)]
}

/** Where a folder is, there is no file: it is removed before the file is written, if nothing is in it any more. */
async function there(tree: HeldTree, path: BytePath): Promise<Step['from']> {
  const found = await tree.read(path)
  return found === null || typeof found === 'object' ? found : null
}

async function carryOut<Note>(
  { path, from, to }: Step,
  journal: UndoJournal<Note>,
  deps: ApplyDeps,
  made: BytePath[] = [],
): Promise<void> {
  const { tree, trees } = deps
  if (to === null) return from === null ? undefined : tree.remove(path, journal.temporary, from)
  if (from !== null && from.id === to.id && from.kind !== 'link' && to.kind !== 'link')
    return tree.setMode(path, to.mode)
  await clearPlace(tree, path, journal)
  const modeOf = (folder: BytePath) => journal.folderModes[folder] ?? null
  await tree.makeFolder(folderOf(path), modeOf, (folder) => made.push(folder))
  const content = { entry: to, bytes: await trees.read(to.id) }
  await tree.write(path, content, journal.temporary, from)
}

/** Folders that are left of what was in its place, deepest first. */
async function clearPlace<Note>(tree: HeldTree, path: BytePath, { steps }: UndoJournal<Note>): Promise<void> {
  const below = steps.filter((step) => step.path.startsWith(`${path}/`)).map((step) => folderOf(step.path))
  for (const folder of [...new Set(below)].toSorted((one, other) => other.length - one.length))
    for (let at = folder; at.length >= path.length; at = folderOf(at)) await tree.removeFolder(at)
  if ((await tree.read(path)) === 'folder') await tree.removeFolder(path)
}

async function finishFolders<Note>(journal: UndoJournal<Note>, { tree }: ApplyDeps): Promise<void> {
  for (const folder of journal.make)
    await tree.makeFolder(folder, (path) => journal.folderModes[path] ?? null).catch(() => {})
  for (const folder of journal.prune) await tree.removeFolder(folder)
}

/** Puts back what was written, unless another process has changed it since. Resolves with the number of failures. */
async function rollBack<Note>(
  done: readonly Step[],
  journal: UndoJournal<Note>,
  deps: ApplyDeps,
): Promise<number> {
  let failed = 0
  const back = done.map(({ path, from, to }): Step => ({ path, from: to, to: from }))
  for (const step of inOrder(back)) {
    try {
      if (!isSame(await there(deps.tree, step.path), step.from)) continue
      await carryOut(step, { ...journal, steps: back }, deps)
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) failed += 1 // The next file may still be put back.
    }
  }
  return failed
}

/** Durable before the first file is touched. */
async function save(journal: UndoJournal<unknown>, path: string): Promise<void> {
  const draft = `${path}.new`
  const file = await open(draft, 'w', 0o600)
  try {
    await file.writeFile(JSON.stringify(journal))
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(draft, path)
  const folder = await open(dirname(path), 'r')
  await folder.sync().catch(() => {}) // Not every file system can.
  await folder.close()
}
