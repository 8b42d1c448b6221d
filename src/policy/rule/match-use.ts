/** Whether a file that a call would touch matches the paths of a rule. */

import { type Glob, globOf } from '../../lib/glob/glob.js'
import { canMeet } from '../../lib/glob/meet.js'
import type { GlobSyntax } from '../../lib/glob/parse-glob.js'
import { fits as fitsName } from '../../lib/glob/shell-pattern.js'
import { spend } from '../../lib/step-budget.js'
import type { CallEnvironment } from '../file/call-environment.js'
import type { Access } from '../file/file-access.js'
import { follow, isInside, nameOf, parentOf } from '../file/path.js'
import { allMatchesOf, fixedFolder, type Target } from '../file/target.js'
import { escapePattern } from '../shell/field.js'
import type { PathUse } from '../shell/shell-report.js'
import { fitsText } from './match-command.js'

/** `maybe`: only known at run time. */
export type Meeting = 'yes' | 'maybe' | 'no'

const PATHS: GlobSyntax = { braces: true, paths: true }
const SHELL_PATHS: GlobSyntax = { braces: false, paths: true }

/** For a rule that denies or asks: whether any of the files may match. */
export function meetsPaths(patterns: readonly string[], use: PathUse, environment: CallEnvironment): Meeting {
  spend(5 * patterns.length)
  const rules = patterns.map((pattern) => absolutePattern(pattern, environment))
  const fits = (path: string) => rules.some((rule) => fitsText(globOf(rule, PATHS), path, true))
  const { target } = use
  if (!target.isKnown) return 'maybe'
  if ([target.path, target.real, target.itself].some((path) => path !== null && fits(path))) return 'yes'
  const inTree =
    use.stored !== undefined
      ? meetsStored(rules, use, fits, environment)
      : meetsTree(rules, use, fits, environment)
  if (inTree === 'yes' || target.pattern === null) return inTree
  return meetsGlob(rules, target.pattern, fits, environment) ? 'yes' : inTree
}

/** For a rule that allows: whether every file that the path may stand for matches. */
export function isWithinPaths(
  patterns: readonly string[],
  { target, isTree, isFound }: PathUse,
  environment: CallEnvironment,
): boolean {
  if (!target.isKnown || isFound === true) return false
  const rules = patterns.map((pattern) => absolutePattern(pattern, environment))
  const fits = (path: string) => rules.some((rule) => fitsText(globOf(rule, PATHS), path, false))
  if (target.pattern === null)
    return fits(target.real ?? target.path) && (isTree !== true || isTreeWithin(rules, target))
  if (/\/\.\.(?:\/|$)/.test(target.pattern) || !isTreeWithin(rules, target)) return false
  const { paths, isWhole } = allMatchesOf(environment, target.pattern)
  return isWhole && paths.every((path) => fits(follow(environment.fs, path, { last: true }) ?? ''))
}

/** Below a folder that a rule covers with everything in it. */
function isTreeWithin(rules: readonly string[], { pattern, real, path }: Target): boolean {
  const folder = pattern === null ? (real ?? path) : fixedFolder(escapePattern(real ?? path))
  return rules.some((rule) => {
    const named = rule.endsWith('/**') ? rule.slice(0, -3) : null
    return named !== null && !/[*?[\]{}()\\]/.test(named) && isInside(named, folder)
  })
}

export function fitsPath(patterns: readonly string[], path: string, environment: CallEnvironment): boolean {
  return patterns.some((pattern) =>
    fitsText(globOf(absolutePattern(pattern, environment), PATHS), path, false),
  )
}

/** Relative patterns start at the workspace. */
function absolutePattern(pattern: string, { home, realWorkspace }: CallEnvironment): string {
  if (pattern.startsWith('/')) return pattern
  if (pattern.startsWith('~/')) return `${escapeRule(home)}${pattern.slice(1)}`
  return `${escapeRule(realWorkspace)}/${pattern}`
}

function escapeRule(path: string): string {
  return path.replaceAll(/[\\*?[\](){}!+@|]/g, '\\$&')
}

/**
 * A glob of the command: it targets such a file, matches an existing one, or its matches cannot be listed completely.
 */
function meetsGlob(
  rules: readonly string[],
  pattern: string,
  fits: (path: string) => boolean,
  environment: CallEnvironment,
): boolean {
  const { paths, isWhole } = allMatchesOf(environment, pattern)
  const matches = paths.filter((path) => isThere(path, environment))
  if (matches.some((path) => fits(path) || fits(follow(environment.fs, path, { last: true }) ?? path)))
    return true
  const glob = globOf(pattern, SHELL_PATHS)
  if (!rules.some((rule) => canBoth(globOf(rule, PATHS), glob))) return false
  return isAimed(pattern) || !isWhole || environment.fs.list(fixedFolder(pattern)) === null
}

/** True also if the folder cannot be listed. */
function isThere(path: string, { fs }: CallEnvironment): boolean {
  return fs.list(parentOf(path))?.includes(nameOf(path)) !== false
}

function canBoth(rule: Glob | null, glob: Glob | null): boolean {
  return rule === null || glob === null || canMeet({ glob: rule }, { glob, hidesDots: true })
}

/** None of its names is only a wildcard. */
function isAimed(pattern: string): boolean {
  return !pattern.split('/').some((name) => name !== '' && /^[*?]+$/.test(name))
}

const REACH_BELOW: ReadonlySet<Access> = new Set(['read', 'copy', 'send', 'delete', 'move', 'rights'])

/** A folder that is read, copied or deleted with all of its content, or searched for names at any depth. */
function meetsTree(
  rules: readonly string[],
  { access, target, isTree = false, isFound = false }: PathUse,
  fits: (path: string) => boolean,
  environment: CallEnvironment,
): Meeting {
  const folder = isFound ? foundIn(target) : (target.real ?? target.path)
  const isFolder =
    isTree ||
    isFound ||
    (target.pattern === null && REACH_BELOW.has(access) && environment.fs.list(folder) !== null)
  if (!isFolder) return 'no'
  const below = globOf(`${escapeRule(folder === '/' ? '' : folder)}/**`, PATHS)
  const possible = rules.filter((rule) => {
    const glob = globOf(rule, PATHS)
    return glob === null || below === null || canMeet({ glob }, { glob: below })
  })
  const name = isFound ? nameOf(target.pattern ?? target.path) : null
  const isMeant = (path: string) => fits(path) && (name === null || fitsName(name, nameOf(path)))
  const found = possible.map((rule) => searchBelow(startOf(rule, folder), isMeant, environment))
  return found.includes('yes') ? 'yes' : found.includes('maybe') ? 'maybe' : 'no'
}

/** The stored revisions of a tree: a file that the rule matches may have existed in an older one. */
function meetsStored(
  rules: readonly string[],
  { target, stored }: PathUse,
  fits: (path: string) => boolean,
  { fs, realWorkspace }: CallEnvironment,
): Meeting {
  const folder = target.real ?? target.path
  const top = isInside(folder, realWorkspace) ? folder : realWorkspace
  const index = fs.repository(top)?.index ?? null
  const tracked = index?.names.map((name) => `${top}/${name}`) ?? []
  if (tracked.some((path) => isInside(folder, path) && fits(path))) return 'yes'
  if (stored === 'tracked' && index !== null) return 'no'
  const below = globOf(`${escapeRule(folder === '/' ? '' : folder)}/**`, PATHS)
  const isPossible = (rule: string) => {
    const glob = globOf(rule, PATHS)
    return glob === null || below === null || canMeet({ glob }, { glob: below })
  }
  return rules.some(isPossible) ? 'maybe' : 'no'
}

function foundIn({ path, pattern }: Target): string {
  return pattern === null ? parentOf(path) : fixedFolder(pattern)
}

/** The folder below which the files of a rule can be. */
function startOf(rule: string, folder: string): string {
  const special = rule.search(/[*?[{(\\]/)
  const fixed = special === -1 ? parentOf(rule) : rule.slice(0, rule.lastIndexOf('/', special))
  return isInside(folder, fixed) ? fixed : folder
}

const MAX_ENTRIES = 2_000

/** Does not follow symlinks, like the programs that walk a tree. */
function searchBelow(start: string, isMeant: (path: string) => boolean, { fs }: CallEnvironment): Meeting {
  if (isMeant(start)) return 'yes'
  const waiting = [start]
  let seen = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = fs.entries(folder)
    if (entries === null && folder === start) return 'maybe'
    for (const { name, kind } of entries ?? []) {
      spend(4)
      const path = `${folder === '/' ? '' : folder}/${name}`
      if (isMeant(path)) return 'yes'
      if (++seen > MAX_ENTRIES) return 'maybe'
      if (kind === 'folder') waiting.push(path)
    }
  }
  return 'no'
}
