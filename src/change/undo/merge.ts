/** Reverts a change of one file on top of what came later: a three-way merge that never guesses. */

import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { InertGit } from '../../lib/git/inert-git.js'
import type { ObjectWriter } from '../git/object-writer.js'
import { type FileEntry, isSame } from '../snapshot/state-diff.js'
import type { Trees } from '../snapshot/trees.js'

/** Why a change cannot be reverted without losing what someone else did. */
export type ConflictReason = 'changed' | 'deleted' | 'created' | 'binary' | 'replaced' | 'shared'

export type Merged = { entry: FileEntry | null } | { conflict: ConflictReason }

export interface MergeDeps {
  git: InertGit
  trees: Trees
  writer: ObjectWriter
}

const MAX_BYTES = 5 * 1024 * 1024

/** `now` is what is there. The change to revert made `after` of `before`. */
export async function revert(
  now: FileEntry | null,
  before: FileEntry | null,
  after: FileEntry | null,
  deps: MergeDeps,
): Promise<Merged> {
  if (isSame(now, after)) return { entry: before }
  if (isSame(now, before) || isSame(before, after)) return { entry: now }
  if (now === null) return { conflict: 'deleted' }
  if (before === null) return { conflict: 'changed' }
  if (after === null) return { conflict: 'created' }
  if ([now, before, after].some(({ kind }) => kind === 'link')) return { conflict: 'changed' }
  const mode = mergeValue(now.mode, before.mode, after.mode)
  if (mode === null) return { conflict: 'changed' }
  const id = mergeValue(now.id, before.id, after.id) ?? (await mergeText(now.id, before.id, after.id, deps))
  if (typeof id !== 'string') return id
  return { entry: { kind: (mode & 0o100) === 0 ? 'file' : 'program', id, mode } }
}

/** Null: both changed it, each in another way. */
function mergeValue<Value>(now: Value, before: Value, after: Value): Value | null {
  if (now === after) return before
  return after === before || now === before ? now : null
}

async function mergeText(
  now: string,
  before: string,
  after: string,
  deps: MergeDeps,
): Promise<string | { conflict: ConflictReason }> {
  const contents = await Promise.all([now, after, before].map((id) => deps.trees.read(id)))
  if (contents.some((content) => content.length > MAX_BYTES || isBinary(content)))
    return { conflict: 'binary' }
  const folder = join(deps.git.store, `merge.${randomBytes(6).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  try {
    const files = ['now', 'after', 'before'].map((name) => join(folder, name))
    await Promise.all(files.map((file, index) => writeFile(file, contents[index] ?? '', { mode: 0o600 })))
    const { code, stdout } = await deps.git.attempt(['merge-file', '-p', '--quiet', ...files])
    return code === 0 ? await deps.writer.write('blob', stdout) : { conflict: 'changed' }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** As git decides it: a NUL in the first bytes. */
function isBinary(content: Buffer): boolean {
  return content.subarray(0, 8_000).includes(0)
}
