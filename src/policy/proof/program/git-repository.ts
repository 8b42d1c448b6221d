/** Finds the repository that git would use, and checks that its output contains no protected files. */

import { reason } from '../../../protocol/reason/reason.js'
import { isInside } from '../../file/path.js'
import type { Repository } from '../../git/repository.js'
import type { Context, Names } from '../context.js'
import { fits, patternOf } from '../glob.js'
import type { Field, Places } from '../place.js'
import { FILE_STEPS, refuse } from '../unproven.js'

/** The repository that git finds from every folder in which the command may run. */
export interface Found {
  /** The top of its working tree, which is the workspace or a folder above it. */
  top: string
  repository: Repository
}

/**
 * Searches like git: from the folder upwards, for `.git`, and for a folder that is a repository itself. That needs a
 * `HEAD`, and only ordinary files, which a commit may contain; so a `HEAD` is enough to refuse. The settings of a
 * repository name programs that even `git status` runs: only the workspace's own, or the one that contains it, is
 * trusted. Null: there is none.
 */
export function findRepository(places: Places, at: number, folders: readonly string[]): Found | null {
  const all = folders.map((folder) => searchUpwards(places, at, folder))
  const [first = null, ...others] = all
  if (others.some((other) => other?.top !== first?.top)) refuse(reason('proof.git-several'), at)
  if (first !== null) checkLinks(places, at, first)
  return first
}

function searchUpwards({ environment, budget }: Places, at: number, start: string): Found | null {
  const { fs, realWorkspace } = environment
  if (!isInside(realWorkspace, start)) refuse(reason('proof.git-outside'), at)
  for (let folder = start; ; folder = folder.slice(0, folder.lastIndexOf('/')) || '/') {
    budget.spend(FILE_STEPS)
    const names = (fs.list(folder) ?? []).map((name) => name.toLowerCase())
    const isAbove = isInside(folder, realWorkspace)
    if (names.includes('.git') && isAbove) {
      const repository = fs.repository(folder)
      if (!repository?.isWhole) return refuse(reason('proof.git-repository'), at)
      if (repository.hasOtherObjects) refuse(reason('proof.git-other-objects'), at)
      return { top: folder, repository }
    }
    if (names.includes('.git') || names.includes('head')) return refuse(reason('proof.git-other'), at)
    if (folder === '/') return null
  }
}

/** `git status` and `git diff` enter these and use their settings. */
function checkLinks({ environment, budget }: Places, at: number, { top, repository }: Found): void {
  if (repository.index === null) return refuse(reason('proof.git-index'), at)
  for (const link of repository.index.links) {
    budget.spend(FILE_STEPS)
    if (environment.fs.list(`${top}/${link}`)?.includes('.git') !== false)
      refuse(reason('proof.git-inner', { path: link }), at)
  }
}

/** The scope of a command; without paths it is not limited. */
export interface Limits {
  paths: readonly Field[]
  excluded: readonly string[]
  folders: readonly string[]
}

export function hasGlob(text: string): boolean {
  return /[*?[\\]/.test(text)
}

/** `git diff` of the working tree: tracked files that are protected must be unchanged, or excluded. */
export function checkWorkingTree(places: Places, at: number, found: Found, limits: Limits): void {
  const isMeant = scopeOf(places, found, limits)
  for (const file of found.repository.guarded)
    if (isMeant(file.name) && file.isChanged()) refuse(reason('proof.protected', { path: file.name }), at)
  checkTop(places, at, found, limits)
}

/** The two sides of a comparison: commits with their parents, or two states of all files. Null: something else. */
export type Comparison =
  | { kind: 'commits'; revisions: readonly string[]; count: number }
  | { kind: 'states'; from: string; to: { revision: string } | 'index' | 'working tree' }

/**
 * Revisions and patches: no object may contain a protected file, unless the output is limited to named files that are
 * tracked now, or all protected files are known to be the same on both sides.
 */
export function checkHistory(
  places: Places,
  at: number,
  found: Found,
  limits: Limits,
  comparison: Comparison | null = null,
): void {
  checkTop(places, at, found, limits)
  const { repository } = found
  if (isForNamedFiles(places, found, limits)) return
  if (comparison !== null && leavesOutGuarded(repository, comparison)) return
  if (repository.guarded[0] !== undefined)
    refuse(reason('proof.git-tracked', { path: repository.guarded[0].name }), at)
  const history = repository.history()
  if (history === 'holds') refuse(reason('proof.git-history'), at)
  if (history === 'unknown') refuse(reason('proof.git-history-unread'), at)
}

function leavesOutGuarded(repository: Repository, comparison: Comparison): boolean {
  const { commits, guarded } = repository
  const at = (revision: string) => {
    const id = commits.resolve(revision)
    return id === null ? null : commits.guarded(id)
  }
  if (comparison.kind === 'commits')
    return comparison.revisions.every((revision) => areOthersOnly(commits, revision, comparison.count))
  const { from, to } = comparison
  if (to === 'working tree' && guarded.some((file) => file.isChanged())) return false
  const staged = new Map(guarded.map(({ name, id }) => [name, id]))
  return areSame(at(from), typeof to === 'string' ? staged : at(to.revision))
}

/** Whether `count` commits, starting with this one, change no protected file. */
function areOthersOnly(commits: Repository['commits'], revision: string, count: number): boolean {
  let waiting = [commits.resolve(revision)]
  for (let step = 0; step < count; step++) {
    const next = new Set<string>()
    for (const id of waiting) {
      const parents = id === null ? null : commits.parents(id)
      if (id === null || parents === null) return false
      const own = commits.guarded(id)
      if (parents.length === 0 && own?.size !== 0) return false
      if (!parents.every((parent) => areSame(own, commits.guarded(parent)))) return false
      for (const parent of parents) next.add(parent)
    }
    if (next.size > MAX_COMMITS) return false
    waiting = [...next]
  }
  return true
}

const MAX_COMMITS = 20

function areSame(
  one: ReadonlyMap<string, string> | null,
  other: ReadonlyMap<string, string> | null,
): boolean {
  if (one === null || other === null || one.size !== other.size) return false
  return [...one].every(([name, id]) => other.get(name) === id)
}

/** `git grep` reads the tracked files in its scope from the working tree; with `isStaged` from the index. */
export function checkTracked(
  places: Places,
  at: number,
  found: Found,
  { isStaged, ...limits }: Limits & { isStaged: boolean },
): void {
  const isMeant = scopeOf(places, found, limits, { isHere: true })
  const { index, guarded } = found.repository
  for (const { name } of guarded) if (isMeant(name)) refuse(reason('proof.protected', { path: name }), at)
  if (isStaged) return checkTop(places, at, found, { ...limits, isHere: true })
  for (const name of index?.names ?? []) if (isMeant(name)) places.stored(`${found.top}/${name}`, at)
}

/** The names that a command prints, for programs that read those files: all tracked ones, relative to the top. */
export function trackedNames({ places, folders, at }: Context, { top, repository }: Found): Names {
  return {
    walk: () => {
      if (folders.some((folder) => folder !== top)) refuse(reason('proof.git-names'), at)
      if (repository.guarded[0] !== undefined)
        refuse(reason('proof.git-tracked', { path: repository.guarded[0].name }), at)
      for (const name of repository.index?.names ?? []) {
        // Git quotes names with other characters, and xargs splits names and removes quotes.
        if (!PLAIN_NAME.test(name)) refuse(reason('proof.xargs-name', { name }), at)
        places.stored(`${top}/${name}`, at)
      }
    },
  }
}

/** Programs that read `@FILE` as a file of arguments get no listed names at all. */
const PLAIN_NAME = /^(?!-)[!#-&(-[\]-~]+$/

/** If the repository starts above the workspace, only files in the workspace may be shown. */
function checkTop(
  { environment }: Places,
  at: number,
  { top }: Found,
  { paths, isHere = false }: Limits & { isHere?: boolean },
): void {
  if (top === environment.realWorkspace) return
  const isOpen = paths.length === 0 ? !isHere : paths.some(({ text }) => hasGlob(text) && text.includes('..'))
  if (isOpen) refuse(reason('proof.git-above'), at)
}

/**
 * Whether a command is limited to files that are tracked now, so that their former names are irrelevant. Only names
 * that no folder has: a path that is a file now may have been a folder, whose files git shows under the same path.
 */
function isForNamedFiles(places: Places, { top, repository }: Found, { paths, folders }: Limits): boolean {
  const names = new Set(repository.index?.names)
  const guarded = new Set(repository.guarded.map(({ name }) => name))
  const isNamed = (field: Field) =>
    !hasGlob(field.text) &&
    folders.every((folder) => {
      const name = places.realPath(field, folder).slice(top.length + 1)
      return names.has(name) && !guarded.has(name) && ONLY_FILE.test(name)
    })
  return paths.length > 0 && paths.every(isNamed)
}

const ONLY_FILE =
  /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|bash|md|mdx|rst|txt|css|scss|html|vue|svelte|sql|lua|ex|exs|dart|json|jsonc|ya?ml|toml|lock|xml|csv|svg)$|(?:^|\/)(?:Makefile|Dockerfile|LICENSE|README|CHANGELOG|Gemfile|Rakefile|go\.mod|go\.sum|\.gitignore|\.gitattributes|\.editorconfig)$/

/** The tracked names in the scope of a command. A glob of git matches slashes and leading dots. */
function scopeOf(
  places: Places,
  { top }: Found,
  { paths, excluded, folders }: Limits,
  { isHere = false } = {},
): (name: string) => boolean {
  const below = (path: string) => (path === top ? '' : `${path.slice(top === '/' ? 1 : top.length + 1)}/`)
  const wanted = folders.flatMap((folder) => {
    const prefix = below(folder)
    if (paths.length === 0) return [(name: string) => !isHere || name.startsWith(prefix)]
    return paths.map((field) => {
      if (!hasGlob(field.text)) return isAt(below(places.realPath(field, folder)))
      const pattern = field.text.includes('..') ? null : patternOf(field.text)
      if (pattern === null) return () => true
      return (name: string) =>
        name.startsWith(prefix) && fits(pattern, name.slice(prefix.length), places.budget)
    })
  })
  const tops = folders.length === 1 ? folders.map(below) : []
  const isLeftOut = (name: string) =>
    tops.some((prefix) => excluded.some((path) => isAt(`${prefix}${path}/`)(name)))
  return (name) => wanted.some((isWanted) => isWanted(name)) && !isLeftOut(name)
}

/** A file with that name, or one below a folder with that name. */
function isAt(folder: string): (name: string) => boolean {
  return (name) => `${name}/`.startsWith(folder)
}
