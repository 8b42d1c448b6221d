/** Judges access to files: one table of places and kinds of access for shells, built-in tools and foreign tools. */

import { fits, sampleOf } from '../../lib/glob/shell-pattern.js'
import { spend } from '../../lib/step-budget.js'
import type { FileCause, FileEffect } from '../../protocol/reason/file-code.js'
import { type Reason, reason, reasonOf } from '../../protocol/reason/reason.js'
import type { FindingRule } from '../finding.js'
import type { CallEnvironment } from './call-environment.js'
import { GIT_CONFIGS, isGitConfig } from './git-settings.js'
import { follow, isInside, nameOf, parentOf, withoutEnd } from './path.js'
import { protectionOf } from './protected.js'
import { allMatchesOf, matchesOf, reaches, type Target, wholeFolder } from './target.js'
import { lookThrough, type TreeLook, type TreeOptions } from './tree.js'
import {
  isControlFile,
  isDisk,
  isHarmlessDevice,
  isPowerSwitch,
  isSocket,
  isSystemFile,
  isTopLevelTree,
  MACHINE_FACTS,
  PROGRAM_FOLDERS,
  repositoryAround,
  TOP_LEVEL_NAMES,
} from './well-known-paths.js'

/**
 * `look`: the name only. `copy`: the content goes to another place. `send`: it leaves the machine. `make`: a folder.
 */
export type Access = 'look' | 'read' | 'write' | 'delete' | 'move' | 'rights' | 'copy' | 'send' | 'make'

export interface FileVerdict {
  verdict: 'deny' | 'ask'
  rule: FindingRule
  reason: Reason
  /** The finding is only about reading, and the file is not visible in the read-only jail. */
  isContained?: boolean
}

export interface AccessManner {
  /** With everything below the path. */
  isRecursive?: boolean
  /** The files of the tree that a recursive reader opens. */
  tree?: TreeOptions
}

/** About a dozen comparisons with well-known paths. */
const ACCESS_STEPS = 50

/** Null: no objection. */
export function judgeAccess(
  access: Access,
  target: Target,
  environment: CallEnvironment,
  { isRecursive = false, tree }: AccessManner = {},
): FileVerdict | null {
  const { path } = target
  spend(ACCESS_STEPS)
  if (target.isTooLong === true) return ask('too-large', access, target)
  if (isHarmlessDevice(path))
    return CHANGES.has(access) && access !== 'write' ? ask('outside-workspace', access, target) : null
  const forbidden = denial(access, target, environment, isRecursive)
  if (forbidden !== null) return forbidden
  if (isSocket(path)) return { verdict: 'ask', rule: 'network', reason: reason('file.connection', { path }) }
  if ((access === 'read' || access === 'copy' || access === 'send') && isProtected(target, environment)) {
    return ask('protected-read', 'read', target)
  }
  if (target.real === null) return ask('unreadable', access, target)
  if (CHANGES.has(access) && [path, target.real].some((place) => saysWhatRuns(place, environment)))
    return ask('control-file', access, target, isRecursive)
  if (!target.isKnown)
    return { ...ask('unknown-value', access, target, isRecursive), isContained: READS.has(access) }
  if (!isInWorkspace(target, environment)) {
    const isContained = READS.has(access) && isInJail(access, target, environment)
    return { ...ask('outside-workspace', access, target, isRecursive), isContained }
  }
  if (access === 'look') return null
  if (access === 'read') return judgeContent(target, environment, isRecursive ? (tree ?? {}) : null)
  const held = isRecursive || access === 'move' ? heldBelow(access, target, environment) : null
  if (held !== null) return { verdict: 'ask', rule: 'protected-read', reason: held }
  const rule = access === 'delete' ? 'delete' : access === 'send' ? 'network' : 'write'
  return ask(rule, access, target, isRecursive)
}

const COPIES: ReadonlySet<Access> = new Set(['copy', 'send'])
/** Installed packages are published anyway, and contain keys for their own tests. */
const OWN_FILES: TreeOptions = { enters: (name) => name !== 'node_modules' }

/** A tree that is deleted, moved, copied or opened to others as a whole, with a protected file somewhere in it. */
function heldBelow(
  access: Access,
  { pattern, path, real, shown }: Target,
  environment: CallEnvironment,
): Reason | null {
  const { paths, isWhole } =
    pattern === null ? { paths: [real ?? path], isWhole: true } : allMatchesOf(environment, pattern)
  const isCopy = COPIES.has(access)
  if (!isWhole) return reason(isCopy ? 'file.tree-too-large' : 'file.tree-unchecked', { path: shown })
  for (const top of paths) {
    if (`${top}/`.includes('/node_modules/')) continue
    const look = lookThrough(environment, top, OWN_FILES)
    if (look.kind === 'clean') continue
    if (look.kind === 'too large')
      return reason(isCopy ? 'file.tree-too-large' : 'file.tree-unchecked', { path: shown })
    return reason(isCopy ? 'file.tree-copied' : 'file.tree-changed', { path: shown, file: look.path })
  }
  return null
}

/** A file or folder outside the workspace that the read-only jail has as well, with nothing of any user in it. */
function isInJail(access: Access, { pattern, real }: Target, environment: CallEnvironment): boolean {
  const places = access === 'look' ? [...MACHINE_FACTS, ...PROGRAM_FOLDERS] : MACHINE_FACTS
  if (pattern === null) return real !== null && places.includes(real)
  const { paths, isWhole } = allMatchesOf(environment, pattern)
  const isListed = (path: string) =>
    MACHINE_FACTS.includes(follow(environment.fs, path, { last: true }) ?? '')
  return isWhole && paths.length > 0 && paths.every(isListed)
}

/** By its name, or because git treats the folder around it as a repository. */
function saysWhatRuns(path: string, { fs }: CallEnvironment): boolean {
  if (isControlFile(path)) return true
  const folder = repositoryAround(path)
  return folder !== null && (fs.list(folder)?.some((name) => /^head$/i.test(name)) ?? false)
}

/** Content that is read without being named: hard links, the matches of a glob, the files of a tree. */
function judgeContent(
  target: Target,
  environment: CallEnvironment,
  tree: TreeOptions | null,
): FileVerdict | null {
  const { pattern, real, shown } = target
  const { paths, isWhole } =
    pattern === null ? { paths: [real ?? target.path], isWhole: true } : allMatchesOf(environment, pattern)
  if (!isWhole) return contained('unknown-value', reason('file.too-many', { path: shown }))
  for (const path of paths) {
    const led = pattern === null ? path : follow(environment.fs, path, { last: true })
    if (led === null || !isInside(environment.realWorkspace, led))
      return contained('outside-workspace', reason('file.link-out', { path }))
    if (protectionOf(led) === 'file')
      return contained('protected-read', reason('file.link-protected', { path }))
    if (hasOtherNames(led, environment))
      return {
        verdict: 'ask',
        rule: 'protected-read',
        reason: reason('file.hard-links', { path: shown }),
      }
    if (holdsCredentials(led, environment))
      return contained('protected-read', reason('file.credentials', { path: shown }))
    const look: TreeLook = tree === null ? { kind: 'clean' } : lookThrough(environment, led, tree)
    if (look.kind === 'holds')
      return contained('protected-read', reason('file.tree-protected', { path: shown, file: look.path }))
    if (look.kind === 'credentials')
      return contained('protected-read', reason('file.tree-credentials', { path: shown, file: look.path }))
    if (look.kind === 'too large')
      return contained('protected-read', reason('file.tree-too-large', { path: shown }))
  }
  return null
}

/** The configuration of a repository, with the password or token of a remote. */
function holdsCredentials(path: string, { fs }: CallEnvironment): boolean {
  const name = nameOf(path)
  if (!GIT_CONFIGS.includes(name) || !isGitConfig(name, fs.list(parentOf(path)) ?? [])) return false
  return fs.gitSettings(path) === 'credentials'
}

/** Package managers hard-link what they install from a common store, so several names are normal there. */
export function hasOtherNames(path: string, environment: CallEnvironment): boolean {
  return !path.includes('/node_modules/') && environment.fs.identity(path) !== null
}

function contained(rule: FindingRule, why: Reason): FileVerdict {
  return { verdict: 'ask', rule, reason: why, isContained: true }
}

function isInWorkspace({ real, isKnown, pattern }: Target, environment: CallEnvironment): boolean {
  if (!isKnown || real === null || (pattern !== null && /\/\.\.(?:\/|$)/.test(pattern))) return false
  return isInside(environment.realWorkspace, real)
}

/** Whether reading the target would show the content of protected files. */
export function isProtected(target: Target, environment: CallEnvironment): boolean {
  return protectedName(target, environment, 'read') !== null
}

function denial(
  access: Access,
  target: Target,
  environment: CallEnvironment,
  isRecursive: boolean,
): FileVerdict | null {
  if (access === 'look' || access === 'read' || access === 'make') return null
  const places = placesOf(access, target)
  if (ENDS_TREES.has(access)) {
    const tree = topLevelTree(target, places, environment)
    const isMass = isRecursive || access === 'move' || (access === 'rights' && tree === '/')
    if (tree !== null && isMass)
      return deny('destroy-tree', reason(WHOLE_TREE[access as keyof typeof WHOLE_TREE], { path: tree }))
  }
  if (access === 'write') {
    if (places.some(isDisk)) return deny('disk', reason('file.disk', { path: target.shown }))
    if (places.some(isPowerSwitch)) return deny('power', reason('file.power', { path: target.shown }))
  }
  if (CHANGES.has(access) && places.some(isSystemFile)) {
    return deny('system-file', onFile(access, 'system', target.shown))
  }
  const name = protectedName(target, environment, access)
  if (name === null || (access === 'rights' && protectionOf(name) === 'folder' && !isRecursive)) return null
  return deny(
    access === 'copy' || access === 'send' ? 'protected-copy' : 'protected-change',
    // Where a symlink or a pattern leads to the file, its own name is more useful than the text of the command.
    onFile(access, 'protected', name === target.path ? target.shown : name),
  )
}

/** The paths that an access is judged by: for a deletion the link itself, otherwise its target as well. */
function placesOf(access: Access, { path, real, itself, pattern }: Target): string[] {
  const led = access === 'delete' || access === 'move' ? itself : real
  const places = led === null || led === path ? [path] : [path, led]
  return pattern === null ? places : [...places, ...places.map(sampleOf)]
}

function topLevelTree(
  target: Target,
  places: readonly string[],
  environment: CallEnvironment,
): string | null {
  const isGreat = (path: string) => isTopLevelTree(path) || environment.greatTrees.has(path)
  if (target.pattern === null) return places.find(isGreat) ?? null
  const whole = wholeFolder(target.pattern)
  if (whole !== null) {
    const led = target.itself === null ? whole : parentOf(withoutEnd(target.itself, '/'))
    return [whole, led].find(isGreat) ?? null
  }
  const pattern = withoutEnd(target.pattern, '/')
  return [...TOP_LEVEL_NAMES, ...environment.greatTrees].find((path) => reaches(pattern, path)) ?? null
}

/** The name that makes a target protected: its own, that of its link target, or one that its glob matches. */
function protectedName(target: Target, environment: CallEnvironment, access: Access): string | null {
  const guarded = (path: string) => {
    const protection = protectionOf(path)
    // A file that is written into a protected folder is judged by its own name.
    return protection === 'file' || (protection === 'folder' && !(access === 'write' && target.isFolder))
  }
  const named = placesOf(access, target).find(guarded)
  if (named !== undefined) return named
  if (target.pattern !== null) return globbedName(target.pattern, environment, guarded)
  return target.real !== null && target.isKnown && hasProtectedTwin(target.real, environment)
    ? target.real
    : null
}

function globbedName(
  pattern: string,
  environment: CallEnvironment,
  guarded: (path: string) => boolean,
): string | null {
  const last = nameOf(pattern)
  if (/^\\?\./.test(last) && fits(last, '.env')) return `${parentOf(pattern)}/.env`
  return matchesOf(environment, pattern).find(guarded) ?? null
}

/** A hard link is another name of the same file. It is compared with the usual places of protected files. */
function hasProtectedTwin(path: string, environment: CallEnvironment): boolean {
  const identity = environment.fs.identity(path)
  if (identity === null) return false
  const folders = [parentOf(path), environment.realWorkspace, environment.home]
  const secret = ['config', 'secrets', '.secrets', 'credentials', '.ssh', '.aws'].flatMap((name) => [
    `${environment.realWorkspace}/${name}`,
    `${environment.home}/${name}`,
  ])
  return [...folders, ...secret].some((folder) =>
    (environment.fs.list(folder) ?? []).some((name) => {
      const other = `${folder}/${name}`
      return protectionOf(other) === 'file' && environment.fs.identity(other) === identity
    }),
  )
}

const CHANGES: ReadonlySet<Access> = new Set(['write', 'delete', 'move', 'rights', 'make'])
export const READS: ReadonlySet<Access> = new Set(['look', 'read'])
const ENDS_TREES: ReadonlySet<Access> = new Set(['delete', 'move', 'rights'])

const WHOLE_TREE = {
  delete: 'file.delete-all',
  move: 'file.move-all',
  rights: 'file.rights-all',
} as const

function deny(rule: FindingRule, why: Reason): FileVerdict {
  return { verdict: 'deny', rule, reason: why }
}

function ask(rule: FindingRule, access: Access, { shown }: Target, isTree = false): FileVerdict {
  const effect = access === 'delete' && isTree ? 'delete-tree' : access
  return { verdict: 'ask', rule, reason: onFile(effect, CAUSES[rule] ?? 'plain', shown) }
}

/** A program without operands in its table passes an empty access for those it gets. It is judged like a change. */
function onFile(effect: FileEffect | '', cause: FileCause, path: string): Reason {
  return effect === '' ? reason('file.unclear', { path }) : reasonOf(`file.${effect}.${cause}`, { path })
}

const CAUSES: Partial<Record<FindingRule, FileCause>> = {
  'protected-read': 'protected',
  unreadable: 'loop',
  'control-file': 'control',
  'unknown-value': 'unknown',
  'outside-workspace': 'outside',
  'too-large': 'long',
}
