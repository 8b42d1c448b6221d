/** Facts about a workspace that git does not record: permissions, folders without files, and files that are left out. */

import { type BytePath, foldersAround } from '../byte-path.js'

/** Why a file is not in a snapshot. */
export type LeftReason = 'large' | 'unreadable' | 'special' | 'reserved'

export interface LeftFile {
  reason: LeftReason
  size: number
  /** Changes when the file does. */
  stamp: string
}

export interface Meta {
  /** The permission bits that most files, programs and folders have: only others are listed. */
  readonly usual: { readonly file: number; readonly program: number; readonly folder: number }
  /** Permission bits by path; of folders with a slash at the end. */
  readonly modes: ReadonlyMap<BytePath, number>
  /** Folders in which no file is recorded. */
  readonly folders: ReadonlySet<BytePath>
  readonly left: ReadonlyMap<BytePath, LeftFile>
}

export const EMPTY_META: Meta = {
  usual: { file: 0o644, program: 0o755, folder: 0o755 },
  modes: new Map(),
  folders: new Set(),
  left: new Map(),
}

export function writeMeta({ usual, modes, folders, left }: Meta): Buffer {
  const sorted = (map: ReadonlyMap<string, unknown>) =>
    Object.fromEntries([...map].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return Buffer.from(
    JSON.stringify({
      usual,
      modes: sorted(modes),
      folders: [...folders].toSorted(),
      left: sorted(left),
    }),
  )
}

/** Only reads what `writeMeta` wrote: the store is ours. */
export function readMeta(bytes: Buffer): Meta {
  const value = JSON.parse(bytes.toString('utf8')) as {
    usual: Meta['usual']
    modes: Record<string, number>
    folders: string[]
    left: Record<string, LeftFile>
  }
  return {
    usual: value.usual,
    modes: new Map(Object.entries(value.modes)),
    folders: new Set(value.folders),
    left: new Map(Object.entries(value.left)),
  }
}

export function modeIn({ usual, modes }: Meta, path: BytePath, kind: 'file' | 'program' | 'folder'): number {
  return modes.get(kind === 'folder' ? `${path}/` : path) ?? usual[kind]
}

/** A change of the meta data by one look at the workspace. */
export interface MetaChange {
  /** Permission bits of what was looked at; null if it is gone. */
  modes: ReadonlyMap<BytePath, { kind: 'file' | 'program' | 'folder'; mode: number } | null>
  /** All folders without a file; null if only some files were looked at. */
  folders: ReadonlySet<BytePath> | null
  left: ReadonlyMap<BytePath, LeftFile | null>
}

export function changeMeta(before: Meta, change: MetaChange): Meta {
  const modes = new Map(before.modes)
  for (const [path, found] of change.modes) {
    const key = found?.kind === 'folder' ? `${path}/` : path
    if (found === null || found.mode === before.usual[found.kind]) modes.delete(key)
    else modes.set(key, found.mode)
  }
  const left = new Map(before.left)
  for (const [path, found] of change.left) {
    if (found === null) left.delete(path)
    else left.set(path, found)
  }
  return { ...before, modes, left, folders: change.folders ?? withoutFilled(before.folders, change.modes) }
}

/** A folder in which a file was found is no longer one without. */
function withoutFilled(folders: Meta['folders'], modes: MetaChange['modes']): Meta['folders'] {
  if (folders.size === 0) return folders
  const filled = new Set([...modes].flatMap(([path, found]) => (found ? foldersAround(path) : [])))
  return new Set([...folders].filter((folder) => !filled.has(folder)))
}

/** The bits that most of these files have, to begin with. */
export function usualModes(change: MetaChange): Meta['usual'] {
  const counts = {
    file: new Map<number, number>(),
    program: new Map<number, number>(),
    folder: new Map<number, number>(),
  }
  for (const found of change.modes.values())
    if (found) counts[found.kind].set(found.mode, (counts[found.kind].get(found.mode) ?? 0) + 1)
  const most = (kind: keyof typeof counts) =>
    [...counts[kind]].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? EMPTY_META.usual[kind]
  return { file: most('file'), program: most('program'), folder: most('folder') }
}
