/** git: listed commands, revisions whose every path is checked, and only in the workspace's own repository. */

import { reason } from '../../../protocol/reason/reason.js'
import { isInside, nameOf, parentOf } from '../../file/path.js'
import { protectionOf } from '../../file/protected.js'
import { type Check, type Context, checkField, literalOf, type Names } from '../context.js'
import { type Arguments, type OptionTable, optionTable, readArguments } from '../option.js'
import type { Field } from '../place.js'
import { straight } from '../scope.js'
import { refuse } from '../unproven.js'
import { checkConfig, checkRemotes } from './git-config.js'
import {
  type Comparison,
  checkHistory,
  checkTracked,
  checkWorkingTree,
  type Found,
  findRepository,
  hasGlob,
  type Limits,
  trackedNames,
} from './git-repository.js'
import { GIT, type GitRow, SHOWING, SILENT, SUMMARIES } from './git-table.js'

const tables = new Map<string, OptionTable>()

function tableOf(name: string, { options }: GitRow): OptionTable {
  const known = tables.get(name)
  if (known !== undefined) return known
  const table = optionTable(options)
  tables.set(name, table)
  return table
}

export const checkGit: Check = (args, context) => {
  const [rest, folders] = globalOptions(args, context)
  const [first, second] = rest
  if (first === undefined) return refuse(reason('proof.no-argument', { program: 'git' }), context.at)
  const verb = literalOf(first, 'git')
  const two = `${verb} ${second?.text ?? ''}`
  const name = Object.hasOwn(GIT, two) ? two : verb
  const row = Object.hasOwn(GIT, name) ? GIT[name] : undefined
  if (row === undefined) return refuse(reason('proof.program', { program: `git ${verb}` }), first.at)
  const found = findRepository(context.places, context.at, folders)
  return checkCommand({ name, row, found }, rest.slice(name === two ? 2 : 1), {
    ...context,
    folders,
    program: `git ${name}`,
  })
}

function globalOptions(args: readonly Field[], context: Context): [readonly Field[], readonly string[]] {
  let folders = context.folders
  for (let index = 0; index < args.length; index++) {
    const text = args[index]?.text
    if (text === '-C') {
      index++
      const folder = args[index] ?? refuse(reason('proof.no-argument', { program: 'git' }), context.at)
      context.places.look(folder, folders)
      const path = literalOf(folder, 'git')
      folders = folders.map((from) => context.places.folderAt(path, from))
    } else if (text !== '--no-pager' && text !== '-P' && text !== '--no-optional-locks')
      return [args.slice(index), folders]
  }
  return [[], folders]
}

interface Command {
  name: string
  row: GitRow
  /** Null: there is no repository. */
  found: Found | null
}

function checkCommand(command: Command, args: readonly Field[], context: Context): Names | null {
  const { name, row, found } = command
  // To git config everything behind the name of a setting is a value to set.
  const read = readArguments(context.program, args, tableOf(name, row), { stops: name === 'config' })
  for (const { name: option, kind, field } of read.values) {
    if (kind === 'lines') checkLines(field, context)
    else checkField(kind, field, context)
    if (option === '--exclude' && field.isWalked) refuse(reason('proof.syntax'), field.at)
  }
  const { operands } = read
  const { needs, most = Number.POSITIVE_INFINITY } = row
  const [first] = operands
  if (first === undefined && name === 'grep')
    refuse(reason('proof.no-argument', { program: 'git grep' }), context.at)
  if (name === 'config') {
    if (operands.length > most) refuse(reason('proof.argument', { program: context.program }), context.at)
    checkConfig(read, found, context)
    return null
  }
  // It also lists aliases.
  if (name === 'help') checkRemotes(found, context)
  if (first !== undefined) {
    if (
      row.operands === undefined ||
      operands.length > most ||
      (needs !== undefined && !needs.some((flag) => read.flags.has(flag)))
    )
      return refuse(reason('proof.argument', { program: context.program }), first.at)
    if (name === 'reflog' && /^(?:expire|delete|exists|drop|list|write)$/.test(first.text))
      refuse(reason('proof.argument', { program: 'git reflog' }), first.at)
    checkOperands(command, read, context)
  }
  if (found === null) return null
  checkContent({ ...command, found }, read, context)
  const { revisions } = partsOf(command, read, context)
  return revisions.length === 0 && isList(name, read.flags) ? trackedNames(context, found) : null
}

/** Whether it prints only names of tracked files. */
function isList(name: string, flags: ReadonlySet<string>): boolean {
  const list = LISTS[name]
  if (list === undefined || (list.needs && !list.needs.some((flag) => flags.has(flag)))) return false
  return [...flags].every((flag) => list.options.has(flag) || list.needs?.includes(flag))
}

const LISTS: Readonly<
  Record<string, { needs?: readonly string[]; options: ReadonlySet<string> } | undefined>
> = {
  'ls-files': { options: new Set(['-c', '-m', '-z', '--cached', '--modified', '--deduplicate']) },
  diff: { needs: ['--name-only'], options: new Set(['-z', '--diff-filter', '--no-color', '--no-renames']) },
  grep: {
    needs: ['-l', '--name-only', '--files-with-matches'],
    options: new Set(['-i', '-w', '-E', '-F', '-P', '-e', '-z', '-n', '-I', '--cached']),
  },
}

function checkOperands({ name, row, found }: Command, read: Arguments, context: Context): void {
  const { operands, before } = read
  const isPattern = isPatternFirst(name, read)
  for (const [index, field] of operands.entries()) {
    const isPath = (before !== null && index >= before) || row.operands === 'pathspec'
    if (isPattern && index === 0) checkField('text', field, context)
    else if (isPath) checkPathspec(field, row, context)
    else if (row.operands === 'revision') checkRevision(field, row, found, context)
    else if (row.operands !== undefined) checkField(row.operands, field, context)
    // Without a repository these are files or folders, with everything in them.
    if (found === null && (name === 'diff' || (name === 'grep' && index > 0)))
      context.places.tree(field, context.folders, { followsFolders: true })
  }
  if (found === null && name === 'grep')
    context.places.tree({ text: '.', at: context.at }, context.folders, { followsFolders: true })
}

function isPatternFirst(name: string, { flags }: Arguments): boolean {
  return name === 'grep' && !flags.has('-e')
}

/** Checks the content that a command shows of files that it does not name. */
function checkContent(command: Command & { found: Found }, read: Arguments, context: Context): void {
  const { name, row, found } = command
  const { places, at } = context
  const { flags } = read
  if (/^remote(?: |$)/.test(name)) checkRemotes(found, context)
  if (name === 'cat-file') return checkObjects(read.operands, flags, found, context)
  const { revisions, ...limits } = partsOf(command, read, context)
  if (name === 'grep') {
    if (revisions.length > 0) checkHistory(places, at, found, limits)
    return checkTracked(places, at, found, { ...limits, isStaged: flags.has('--cached') })
  }
  if (name === 'status' && (flags.has('-v') || flags.has('--verbose')))
    return checkHistory(places, at, found, limits, { kind: 'states', from: 'HEAD', to: 'working tree' })
  if (row.shows === undefined) return
  for (const revision of revisions) checkNoBlob(revision, found)
  const isSilent = [...flags].every((flag) => SILENT.has(flag))
  if (isSilent && (row.shows === 'patches' || [...flags].some((flag) => SUMMARIES.has(flag)))) return
  // Blobs by their names, which have been checked; an option like --all would add commits.
  const isPlain = [...flags].every((flag) => SHOWING.has(flag) && !COUNTING.has(flag))
  const isOfBlobs = revisions.length > 0 && revisions.every(({ text }) => BLOB.test(text))
  if (name === 'show' && isPlain && isOfBlobs) return
  const isStaged = ['--cached', '--staged', '--merge-base'].some((flag) => flags.has(flag))
  if (name === 'diff' && revisions.length === 0 && !isStaged)
    return checkWorkingTree(places, at, found, limits)
  // Both follow the file to its former name.
  if (flags.has('--follow') || flags.has('-L'))
    return checkHistory(places, at, found, { ...limits, paths: [] })
  checkHistory(places, at, found, limits, comparisonOf(name, read, revisions, limits))
}

const MAX_COUNT = 50

/**
 * The comparison, if the words determine it. For commits it must cover everything that git could show: a count makes
 * `git show` walk, and beside paths it counts only commits that touch them, however far back they are.
 */
function comparisonOf(
  name: string,
  read: Arguments,
  revisions: readonly Field[],
  { paths, excluded }: Limits,
): Comparison | null {
  const [first, second, ...others] = revisions.flatMap(({ text }) => text.split(/(?<!\.)\.\.(?!\.)/))
  const { flags } = read
  if (others.length > 0 || flags.has('--merge-base')) return null
  if (name === 'diff') {
    const isStaged = flags.has('--cached') || flags.has('--staged')
    const to = second !== undefined ? { revision: second || 'HEAD' } : isStaged ? 'index' : 'working tree'
    return { kind: 'states', from: first || 'HEAD', to }
  }
  if (![...flags].every((flag) => SHOWING.has(flag)) || second !== undefined) return null
  const counts = read.values.filter(({ name: option }) => COUNTING.has(option))
  const isCounted = [...COUNTING].some((flag) => flags.has(flag))
  if (name === 'show' && !isCounted) return { kind: 'commits', revisions: [first ?? 'HEAD'], count: 1 }
  const count = counts.length === 1 ? Number(counts[0]?.field.text) : Number.NaN
  const isLimited = paths.length > 0 || excluded.length > 0
  if (name !== 'log' || isLimited || !(count > 0 && count <= MAX_COUNT)) return null
  return { kind: 'commits', revisions: [first ?? 'HEAD'], count }
}

const COUNTING: ReadonlySet<string> = new Set(['-#', '-n', '--max-count'])

/** A file by its path in a revision, or in the index. */
const BLOB = /^(?:[^:]+|:[0-3])?:[^:]+$/

/** Without `--`, an operand that is a file is a path: if it is a revision as well, git fails. */
function partsOf(
  { name, row }: Command,
  read: Arguments,
  context: Context,
): Limits & { revisions: readonly Field[] } {
  const { operands, before } = read
  const { folders } = context
  const rest = operands.slice(isPatternFirst(name, read) ? 1 : 0)
  const split = before === null ? null : Math.max(0, before - (operands.length - rest.length))
  const isPath = (field: Field, index: number) =>
    row.operands === 'pathspec' || (split === null ? isThere(field, context) : index >= split)
  const given = rest.filter(isPath)
  return {
    folders,
    paths: given.filter(({ text }) => !EXCLUDED.test(text)),
    excluded: given.flatMap(({ text }) => EXCLUDED.exec(text)?.[1] ?? []),
    revisions: rest.filter((field, index) => !isPath(field, index)),
  }
}

function isThere({ text }: Field, { places, folders }: Context): boolean {
  return folders.every((folder) => {
    const path = straight(folder, text)
    return path === '/' || places.environment.fs.list(parentOf(path))?.includes(nameOf(path)) === true
  })
}

const REVISION = /^[A-Za-z0-9_./@{}^~:+ ,#=%-]*$/

/** Before `--` an operand is a revision, a path, or a path in a revision: it must be harmless as each of them. */
function checkRevision(field: Field, row: GitRow, found: Found | null, context: Context): void {
  const text = pathOf(field)
  if (hasGlob(text)) return checkPathspec(field, row, context)
  if (!REVISION.test(text) || /^:[(!^/]/.test(text)) refuse(reason('proof.git-revision', { text }), field.at)
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1))
    checkName(text.slice(colon + 1), field, found, context)
  checkPath(field, row, context)
}

/** Matches of a glob may be paths, at any position. */
function pathOf(field: Field): string {
  return literalOf({ ...field, isMatch: false }, 'git')
}

function checkPath(field: Field, row: GitRow, context: Context): void {
  if (row.hasContent) context.places.read(field, context.folders, { isTracked: true })
  else context.places.look(field, context.folders)
}

/** A path in a revision is relative to the top, and with a leading dot to the folder. */
function checkName(
  path: string,
  { text, at }: Field,
  found: Found | null,
  { places, folders }: Context,
): void {
  if (protectionOf(path) !== null || protectionOf(`/${path}`) !== null)
    refuse(reason('proof.protected', { path: text }), at)
  const starts = /^\.\.?(?:\/|$)/.test(path) ? folders : [found?.top ?? places.environment.realWorkspace]
  if (starts.some((start) => !isInside(places.environment.realWorkspace, straight(start, path))))
    refuse(reason('proof.outside', { path: text }), at)
}

/** An object id may name any file that was ever staged. The id may follow `-g`, as `git describe` prints it. */
function checkNoBlob({ text, at }: Field, { repository }: Found): void {
  for (const end of text.replace(/^\^/, '').split(/\.{2,3}/)) {
    for (const place of idPlaces(end)) {
      const id = /^[0-9a-f]{4,40}/i.exec(end.slice(place))?.[0]
      if (id === undefined || COMMITTED.test(end.slice(place + id.length))) continue
      if (repository.typesOf(id)?.includes('blob') !== false) refuse(reason('proof.git-file', { text }), at)
    }
  }
}

function idPlaces(revision: string): number[] {
  const [name = ''] = revision.split(':', 1)
  return [0, ...Array.from(name.matchAll(/-g(?=[0-9a-f]{4})/gi), ({ index }) => index + 2)]
}

/** Suffixes behind which an object cannot be a file, or is a file named by its path. */
const COMMITTED = /^(?:[~^]\d*)+$|^(?:[~^]\d*)*\^\{(?:commit|tree)\}$|^(?:[~^]\d*)*:|^[^~^:]/

const TYPES = new Set(['commit', 'tree', 'tag'])
/** An id, with a suffix for a parent or a type. */
const OBJECT = /^[0-9a-f]{4,40}(?:[~^]\d*)*(?:\^\{\w*\})?$/i

/** `git cat-file`: facts about any object; content of commits, trees and named files. */
function checkObjects(
  operands: readonly Field[],
  flags: ReadonlySet<string>,
  found: Found,
  { at }: Context,
): void {
  if (['-t', '-s', '-e'].some((flag) => flags.has(flag))) return
  const [first, second] = operands
  if (!flags.has('-p') && first !== undefined && TYPES.has(first.text)) return
  const object =
    (flags.has('-p') ? first : second) ?? refuse(reason('proof.no-argument', { program: 'git cat-file' }), at)
  if (BLOB.test(object.text) || /^(?:HEAD|@)(?:[~^]\d*)*$/.test(object.text)) return
  if (!OBJECT.test(object.text) && !/\^\{(?:commit|tree)\}$/.test(object.text))
    refuse(reason('proof.git-file', { text: object.text }), object.at)
  checkNoBlob(object, found)
}

/** Git matches globs itself, also below folders and against names with a leading dot. */
function checkPathspec(field: Field, row: GitRow, context: Context): void {
  const text = pathOf(field)
  // It only excludes.
  if (EXCLUDED.test(text)) return
  if (text.startsWith(':')) refuse(reason('proof.syntax'), field.at)
  if (hasGlob(text) && row.hasContent && !SOURCE.test(text))
    refuse(reason('proof.may-be-protected', { path: text }), field.at)
  checkPath(field, row, context)
}

const EXCLUDED = /^:(?:[!^]|\(exclude\))([A-Za-z0-9_.*/-]+)$/

/** Files with these extensions are protected only in folders of keys, and as files of an environment: `.env.js`. */
const SOURCE =
  /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|bash|md|mdx|rst|css|scss|html|vue|svelte|sql|lua|ex|exs|dart)$/

/** `-L 1,5:path`, `-L :name:path`. */
function checkLines(field: Field, context: Context): void {
  const text = literalOf(field, 'git')
  const colon = text.lastIndexOf(':')
  if (colon < 0 || !/^[A-Za-z0-9_,+:-]*$/.test(text.slice(0, colon)))
    refuse(reason('proof.argument', { program: 'git' }), field.at)
  context.places.read({ text: text.slice(colon + 1), at: field.at }, context.folders)
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1))
    checkName(text.slice(at + 1), field, null, context)
}
