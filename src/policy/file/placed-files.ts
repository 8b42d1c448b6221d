/** A declared file system for cases: the policy judges them as if these files existed. */

import { z } from 'zod'
import type { Repository } from '../git/repository.js'
import type { Entry, FileSystem } from './file-system.js'
import { settingsIn } from './git-settings.js'

/** Paths below the workspace, each with its kind. */
export const PlacedFiles = z.record(
  z.string(),
  z.union([
    z.strictObject({ file: z.string() }),
    z.strictObject({ dir: z.literal(true) }),
    z.strictObject({ symlink: z.string() }),
    z.strictObject({ hardlink: z.string() }),
  ]),
)
export type PlacedFiles = z.infer<typeof PlacedFiles>

export function placedFiles(placed: PlacedFiles, workspace: string): FileSystem {
  const entries = new Map(Object.entries(placed).map(([name, entry]) => [`${workspace}/${name}`, entry]))
  const links = [...entries].flatMap(([path, entry]) =>
    'hardlink' in entry ? [[path, `${workspace}/${entry.hardlink}`] as const] : [],
  )
  const list = (path: string) => {
    const below = [...entries.keys()].filter((entry) => entry.startsWith(`${path}/`))
    const names = below.map((entry) => entry.slice(path.length + 1).split('/')[0] ?? '')
    return names.length === 0 ? null : [...new Set(names)]
  }
  const kindOf = (path: string): Entry['kind'] => {
    const entry = entries.get(path)
    if (entry === undefined || 'dir' in entry) return 'folder'
    return 'symlink' in entry ? 'link' : 'file'
  }
  return {
    repository: (path) => placedRepository(path, list),
    negations: (path) => {
      const entry = entries.get(path)
      if (entry === undefined || !('file' in entry)) return null
      return entry.file.split('\n').flatMap((line) => /^\s*!(.*)/.exec(line)?.[1] ?? [])
    },
    gitSettings: (path) => {
      const entry = entries.get(path)
      return entry !== undefined && 'file' in entry ? settingsIn(entry.file) : null
    },
    unseen: () => null,
    readLink: (path) => {
      const entry = entries.get(path)
      return entry !== undefined && 'symlink' in entry ? entry.symlink : null
    },
    list,
    entries: (path) => list(path)?.map((name) => ({ name, kind: kindOf(`${path}/${name}`) })) ?? null,
    identity: (path) => links.find((pair) => pair.includes(path))?.[1] ?? null,
  }
}

/** A complete repository without protected files, tracked or in its history. */
function placedRepository(path: string, list: FileSystem['list']): Repository | null {
  if (!list(path)?.includes('.git')) return null
  return {
    isWhole: true,
    hasOtherObjects: false,
    index: { names: [], stamps: [], links: [] },
    guarded: [],
    settings: () => [],
    history: () => 'clean',
    typesOf: () => [],
    commits: { resolve: () => null, parents: () => null, guarded: () => null },
  }
}
