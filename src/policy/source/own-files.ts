/** Signalbox's own files: an agent that could read the token or write the policy would need no permission. */

import { fits } from '../../lib/glob/shell-pattern.js'
import { spend } from '../../lib/step-budget.js'
import type { PolicyRule } from '../../protocol/policy/policy.js'
import { reason, reasonText } from '../../protocol/reason/reason.js'
import type { CallEnvironment } from '../file/call-environment.js'
import type { Access } from '../file/file-access.js'
import { absolute, follow, isInside, isKnown, nameOf, parentOf } from '../file/path.js'
import { allMatchesOf, fixedFolder, type Target, targetAt } from '../file/target.js'
import type { PathUse, ReadCommand } from '../shell/shell-report.js'
import type { ToolFindings } from '../tool/tool-findings.js'

/** The rule as shown among the built-in rules. `reachesOwnFiles` decides when it applies. */
export function ownFilesRule(homes: readonly string[]): PolicyRule {
  return {
    name: 'signalbox-files',
    verdict: 'deny',
    reason: reasonText([reason('rule.own-files')]),
    when: {
      paths: homes.map((home) => `${home.replaceAll(/[\\*?[\](){}!+@|]/g, '\\$&')}/**`),
      access: ['read', 'write', 'delete', 'move', 'rights', 'copy', 'send', 'make'],
    },
  }
}

/**
 * Whether a call reaches into the home of Signalbox, beyond listing names: by a path, a symlink, a glob, a tree around
 * it, a name that `find` lists, a hard link, or a word of an unknown program.
 */
export function reachesOwnFiles(
  { uses, shell }: ToolFindings,
  environment: CallEnvironment,
  homes: readonly string[],
): boolean {
  return (
    uses.some((use) => use.access !== 'look' && homes.some((home) => reachesHome(use, environment, home))) ||
    (shell?.commands ?? []).some((command, index) => {
      const looked = uses.filter((use) => use.command === index && use.access === 'look')
      return homes.some((home) => namesHome(command, looked, environment, home))
    })
  )
}

/**
 * Paths for work, and files that the CLI writes and reads itself: task outputs, long results, plans (`claude/` is its
 * folder on the scripted model). The rest of the home is reserved for Signalbox.
 */
const FREE =
  /^\/(?:sample-workspace(?:\/|$)|tmp\/claude-[^/]+\/.|claude\/plans\/.|claude\/projects\/[^/]+\/[^/]+\/tool-results\/.)/

function isOwn(path: string, home: string): boolean {
  return isInside(home, path) && !FREE.test(path.slice(home.length))
}

/** Access that includes everything below the path, whatever the options. */
const TAKES_ALL: ReadonlySet<Access> = new Set(['move'])

function reachesHome(use: PathUse, environment: CallEnvironment, home: string): boolean {
  const { access, target, isTree, isFound, stored } = use
  // No file of the home is ever committed.
  if (stored !== undefined) return false
  const places = [target.path, target.real, target.itself].filter((place) => place !== null)
  if (places.some((place) => isOwn(place, home))) return true
  if (isFound === true) return findsIn(target, environment, home)
  const isDeep = isTree === true || TAKES_ALL.has(access)
  if (isDeep && places.some((place) => isInside(place, home))) return true
  if (target.pattern !== null) return globReaches(target.pattern, isDeep, environment, home)
  return target.real !== null && target.isKnown && isTwin(target.real, environment, home)
}

function globReaches(pattern: string, isDeep: boolean, environment: CallEnvironment, home: string): boolean {
  const { paths, isWhole } = allMatchesOf(environment, pattern)
  const led = paths.map((path) => follow(environment.fs, path, { last: true }) ?? path)
  if (led.some((path) => isOwn(path, home) || (isDeep && isInside(path, home)))) return true
  if (!isWhole && isInside(fixedFolder(pattern), home)) return true
  // By name alone, up to the shorter of both: the home may not exist yet.
  const names = pattern.split('/')
  const parts = home.split('/')
  const isAlong = parts.every(
    (part, index) => index >= names.length || fits(names[index] ?? '', part, { dots: false }),
  )
  return (
    isAlong && (names.length > parts.length ? !FREE.test(`/${names.slice(parts.length).join('/')}`) : isDeep)
  )
}

const MAX_OWN = 3000

/** Names at any depth below a folder around the home. */
function findsIn(
  { path, pattern, isKnown: known }: Target,
  environment: CallEnvironment,
  home: string,
): boolean {
  const start = pattern === null ? parentOf(path) : fixedFolder(pattern)
  if (!isInside(start, home) && isKnown(start)) return false
  const name = nameOf(pattern ?? path)
  if (!known || !isKnown(name)) return true
  const waiting = [home]
  let left = MAX_OWN
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = environment.fs.entries(folder) ?? []
    left -= entries.length
    spend(4 * entries.length)
    if (left < 0) return true
    for (const entry of entries) {
      const full = `${folder}/${entry.name}`
      if (!isOwn(full, home)) continue
      if (fits(name, entry.name)) return true
      if (entry.kind === 'folder') waiting.push(full)
    }
  }
  return OWN_NAMES.some((own) => fits(name, own))
}

const OWN_NAMES = ['token', 'policy.jsonc', 'config.jsonc', 'signalbox.db', 'daemon.json', 'audit-seal.json']

/** A hard link is another name of the same file. */
function isTwin(path: string, environment: CallEnvironment, home: string): boolean {
  const identity = environment.fs.identity(path)
  if (identity === null) return false
  return (environment.fs.list(home) ?? []).some(
    (name) => environment.fs.identity(`${home}/${name}`) === identity,
  )
}

/** Programs that only print or compare the text of a word. */
const TEXT_ONLY = new Set(['echo', 'printf', ':', 'true', 'false', 'cd', 'pushd'])

/** For programs whose file accesses are not known in detail: a word that names a path in the home is enough. */
function namesHome(
  { words, folders }: ReadCommand,
  looked: readonly PathUse[],
  environment: CallEnvironment,
  home: string,
): boolean {
  const [program = '', ...rest] = words
  if (TEXT_ONLY.has(nameOf(program))) return false
  const reachesFrom = (folder: string, path: string) => {
    if (!path.startsWith('/') && !isInside(home, absolute(folder, path))) return false
    const target = targetAt(environment, folder, path)
    spend(looked.length)
    const isLooked = looked.some((use) => use.target.path === target.path)
    return !isLooked && [target.path, target.real].some((place) => place !== null && isOwn(place, home))
  }
  return rest.some((word) => {
    spend(16)
    return pathsIn(word).some((path) => folders.some((folder) => reachesFrom(folder, path)))
  })
}

/** The word itself, and the text behind `=`, `:`, `@` or the letter of an option. */
function pathsIn(word: string): string[] {
  if (word.length > 4096 || word.includes('\n')) return []
  const behind = [word.indexOf('='), word.indexOf(':'), word.indexOf('@')]
    .filter((at) => at !== -1)
    .map((at) => word.slice(at + 1))
  const attached = /^-[a-zA-Z]./.test(word) ? [word.slice(2)] : []
  return [word, ...behind, ...attached].filter((path) => path !== '' && !path.startsWith('-'))
}
