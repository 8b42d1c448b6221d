/** Lists files that changed in a workspace since the index was last written, found by the times of files as `git status` does. */

import { join } from 'node:path'
import type { InertGit } from '../../lib/git/inert-git.js'
import { GitFailure } from '../../lib/git/run-git.js'
import { argumentOf, type BytePath, pathsIn } from '../byte-path.js'
import { readRawDiff, type TreeChange } from '../git/tree-diff.js'

export interface Listing {
  /** Recorded files whose times, permissions or kind differ from the index. Their content may be the same. */
  touched: readonly TreeChange[]
  /** Files that are not recorded, and are not ignored. */
  fresh: readonly BytePath[]
  /** Folders without a recorded file, at their top; null if only some paths were looked at. */
  bare: readonly BytePath[] | null
  /** Folders that could not be opened. */
  closed: readonly BytePath[]
}

export interface ListingPlace {
  git: InertGit
  workspace: string
  signal?: AbortSignal | undefined
}

/** Folders that are listed by name; if there are more, everything is listed. */
const MAX_NAMED = 500
/** Repositories inside the workspace, at any depth. */
const MAX_NESTED = 200
/** `dirty`: never looks into a repository inside the workspace, where git would follow the configuration of that one. */
const TOUCHED = ['diff-files', '--raw', '-z', '--ignore-submodules=dirty']
const OTHERS = ['ls-files', '--others', '--exclude-standard', '-z']

/** Looks at the whole workspace, or at some paths of it. Both questions are asked at the same time. */
export async function listChanges(place: ListingPlace, paths: readonly BytePath[] | null): Promise<Listing> {
  const { git, workspace: workTree, signal } = place
  const only = paths === null ? [] : (limitTo(paths) ?? [])
  const folders = paths === null ? ['--directory'] : []
  const [touched, others] = await Promise.all([
    git.run([...TOUCHED, ...only], { workTree, signal }),
    git.attempt([...OTHERS, ...folders, ...only], { workTree, signal }),
  ])
  // With warnings it ends with 0.
  if (others.code !== 0)
    throw new GitFailure('failed', `git ls-files failed: ${others.stderr.trim().slice(0, 500)}`)
  const names = pathsIn(others.stdout)
  const inFolders = names.filter((name) => name.endsWith('/'))
  const inner = inFolders.length === 0 ? NOTHING : await listInside(place, inFolders)
  return {
    touched: readRawDiff(touched),
    fresh: [...names.filter((name) => !name.endsWith('/')), ...inner.fresh],
    bare: paths === null ? inFolders : null,
    closed: [...closedIn(others.stderr), ...inner.closed],
  }
}

/** Null if they cannot be named: then everything is listed. */
function limitTo(paths: readonly BytePath[]): string[] | null {
  const names = paths.map(argumentOf)
  if (names.length > MAX_NAMED || names.includes(null)) return null
  return ['--', ...names.filter((name) => name !== null)]
}

type Inner = Pick<Listing, 'fresh' | 'closed'>
const NOTHING: Inner = { fresh: [], closed: [] }

async function listInside(place: ListingPlace, folders: readonly BytePath[]): Promise<Inner> {
  const { git, workspace: workTree, signal } = place
  const only = limitTo(folders) ?? []
  const { stdout, stderr } = await git.attempt([...OTHERS, ...only], { workTree, signal })
  const names = pathsIn(stdout)
  const fresh = names.filter((name) => !name.endsWith('/'))
  const closed = closedIn(stderr)
  // Git names a repository inside the workspace as a folder and does not look into it.
  for (const nested of names.filter((name) => name.endsWith('/')).slice(0, MAX_NESTED)) {
    const inner = await listNested(place, nested)
    fresh.push(...inner.fresh)
    closed.push(...inner.closed)
  }
  return { fresh, closed }
}

/**
 * Lists the files of a nested repository as if it were the workspace. Once one of them is recorded, git treats it as an
 * ordinary folder: nothing but its `.git` is left out.
 */
async function listNested(place: ListingPlace, nested: BytePath): Promise<Inner> {
  const { git, workspace } = place
  const folder = argumentOf(nested)
  if (folder === null) return { fresh: [], closed: [nested] }
  const workTree = join(workspace, folder)
  const { stdout, stderr } = await git.attempt(OTHERS, {
    workTree,
    index: join(git.store, 'no-index'),
    signal: place.signal,
  })
  const names = pathsIn(stdout)
  const below = (name: BytePath) => `${nested}${name}`
  const fresh = names.filter((name) => !name.endsWith('/')).map(below)
  const closed = closedIn(stderr).map(below)
  for (const deeper of names.filter((name) => name.endsWith('/')).slice(0, MAX_NESTED)) {
    const inner = await listNested(place, below(deeper))
    fresh.push(...inner.fresh)
    closed.push(...inner.closed)
  }
  return { fresh, closed }
}

const CLOSED = "warning: could not open directory '"

function closedIn(stderr: string): BytePath[] {
  return stderr.split('\n').flatMap((line) => {
    const end = line.lastIndexOf("': ")
    if (!line.startsWith(CLOSED) || end < CLOSED.length) return []
    return [Buffer.from(line.slice(CLOSED.length, end), 'utf8').toString('latin1')]
  })
}
