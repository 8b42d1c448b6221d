/**
 * Files whose content git shows although the command does not name them: those that are tracked, and those that ever
 * were.
 */

import { reason } from '../../../protocol/reason/reason.js'
import { isInside, nameOf, parentOf } from '../../file/path.js'
import type { Target } from '../../file/target.js'
import { type Field, isLiteral } from '../../shell/field.js'
import type { Call } from '../handler.js'
import { topOf } from './git-repository.js'

/** With options for patches, and unless the output is only a summary. */
const SHOWS_PATCHES = new Set('log whatchanged reflog diff-tree diff-index diff-files stash'.split(' '))
const SHOWS_CHANGES = new Set('show diff range-diff'.split(' '))
const PATCH =
  /^-(?!-)\w*[pucmWL]|^-[USG]|^--(?:p(?!retty)|un|cc|word|color-w|bin|check|diff-m|remerge|func|ext|show-all)/
const SUMMARY =
  /^-[^\Ws]*s\w*$|^--(?:no-patch|stat|numstat|shortstat|dirstat|summary|compact-summary|name-only|name-status|raw|quiet)/

/**
 * Path rules apply to stored content as well, and the policy asks about `git grep` if a protected file is in its scope.
 */
export function judgeContent(call: Call, verb: string): void {
  const { context, args, span } = call
  const top = topOf(context.environment)
  if (top === null || !mayShow(verb, args)) return
  const scope = scopeOf(call, verb, top)
  const isOlder = mayShowOlder(verb, args)
  for (const { path, shown } of scope) context.showStored(path, shown, isOlder)
  if (verb !== 'grep') return
  const guarded = context.environment.fs.repository(top)?.guarded ?? []
  const met = guarded.find(({ name }) => scope.some(({ path }) => isInside(path, `${top}/${name}`)))
  if (met !== undefined)
    context.askContained('protected-read', reason('git.searches-protected', { path: met.name }), span)
}

/** Whether the content of files may be shown. An unknown word may be an option. */
function mayShow(verb: string, args: readonly Field[]): boolean {
  const has = (option: RegExp) => args.some(({ text }) => option.test(text))
  if (verb === 'grep') return true
  if (verb === 'status') return has(/^-\w*v|^--verb/)
  const isPatch = has(PATCH) || args.some((field) => !isLiteral(field))
  if (SHOWS_PATCHES.has(verb)) return isPatch || (verb === 'stash' && args[0]?.text === 'show')
  return SHOWS_CHANGES.has(verb) && (isPatch || !has(SUMMARY))
}

/** Whether it may show files that are no longer tracked. Only the plainest forms are about the working tree alone. */
function mayShowOlder(verb: string, args: readonly Field[]): boolean {
  const end = args.findIndex(({ text }) => text === '--')
  const before = end >= 0 ? args.slice(0, end) : args
  if (!before.every(isLiteral)) return true
  const words = before.filter(({ text }) => !text.startsWith('-'))
  if (verb === 'diff') return words.length > 0 || before.some(({ text }) => /^--(?:ca|sta|me)/.test(text))
  // Long options may add untracked files, and with `-e` the first word may be a revision.
  return verb !== 'grep' || words.length > 1 || before.some(({ text }) => /^--|^-\w*[ef]/.test(text))
}

/** The scope of the command: the named files, the folder of a search, or the whole repository. */
function scopeOf({ context, args }: Call, verb: string, top: string): { path: string; shown: string }[] {
  const { fs } = context.environment
  const end = args.findIndex(({ text }) => text === '--')
  const isThere = (path: string | null) =>
    path !== null && fs.list(parentOf(path))?.includes(nameOf(path)) === true
  const words = end >= 0 ? args.slice(end + 1) : args.filter(({ text }) => !text.startsWith('-'))
  // Excluded paths do not narrow the scope here, and any other pathspec magic may match anything.
  if (words.some(({ text }) => /^:(?![!^]|\(exclude\))/.test(text))) return [{ path: top, shown: '.' }]
  const paths = words
    .filter(({ text }) => !text.startsWith(':'))
    .flatMap((word) => context.targets(word))
    .filter(({ real, pattern }) => end >= 0 || (pattern === null && isThere(real)))
  const isKnownPath = ({ real, pattern, isKnown }: Target) => isKnown && pattern === null && real !== null
  if (paths.length > 0 && paths.every(isKnownPath))
    return paths.map(({ real, shown }) => ({ path: real ?? top, shown }))
  // A glob of git matches everything below the folder. Without a path a search covers the folder, and a patch the whole
  // repository.
  const folders = verb === 'grep' || paths.length > 0 ? context.state.folders : [top]
  return folders.map((path) => ({ path, shown: '.' }))
}
