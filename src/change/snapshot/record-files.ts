/** Puts the content of files into the store and their times into the index. */

import type { InertGit } from '../../lib/git/inert-git.js'
import { GitFailure } from '../../lib/git/run-git.js'
import { type BytePath, listOf } from '../byte-path.js'

export interface RecordPlace {
  git: InertGit
  workspace: string
  /** Another index than that of the store. */
  index?: string
  signal?: AbortSignal | undefined
  onProgress?: ((done: number) => void) | undefined
}

/** From this number on contents are written into one pack instead of a file each, which is several times faster. */
const MANY = 1_000
/** Git compares each new object of a pack with all others of it, so a pack does not get very large. */
const CHUNK = 5_000
const ADD = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin']

/** Resolves with the files that could not be read. */
export async function recordFiles(place: RecordPlace, paths: readonly BytePath[]): Promise<BytePath[]> {
  const failed: BytePath[] = []
  for (let start = 0; start < paths.length; start += CHUNK) {
    failed.push(...(await recordSome(place, paths.slice(start, start + CHUNK))))
    place.onProgress?.(Math.min(paths.length, start + CHUNK))
  }
  return failed
}

/** One file that cannot be read fails the whole list: it is found by halving. */
async function recordSome(place: RecordPlace, paths: readonly BytePath[]): Promise<BytePath[]> {
  try {
    await place.git.run(ADD, {
      ...optionsOf(place),
      input: listOf(paths),
      ...(paths.length >= MANY && PACKED),
    })
    return []
  } catch (error) {
    if (!(error instanceof GitFailure) || error.kind !== 'failed') throw error
    if (paths.length === 1) return [...paths]
    const middle = Math.ceil(paths.length / 2)
    const first = await recordSome(place, paths.slice(0, middle))
    return [...first, ...(await recordSome(place, paths.slice(middle)))]
  }
}

const PACKED = { config: { 'core.bigFileThreshold': '1', 'core.compression': '1' }, timeoutMs: 600_000 }

/** Also where something is there by that name: a folder, a device, a file that has become too large. */
export async function forgetFiles(place: RecordPlace, paths: readonly BytePath[]): Promise<void> {
  if (paths.length === 0) return
  await place.git.run(['update-index', '--force-remove', '-z', '--stdin'], {
    ...optionsOf(place),
    input: listOf(paths),
  })
}

/** The id of the tree that the index describes. */
export async function writeTree({ git, index, signal }: RecordPlace): Promise<string> {
  // Not in the workspace: it may be gone.
  const output = await git.run(['write-tree', '--missing-ok'], {
    signal,
    ...(index !== undefined && { index }),
    timeoutMs: 600_000,
  })
  return output.toString('latin1').trim()
}

function optionsOf({ workspace, index, signal }: RecordPlace) {
  return { workTree: workspace, signal, ...(index !== undefined && { index }) }
}
