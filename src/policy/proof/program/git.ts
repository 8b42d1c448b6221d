/** git: commands of the table, revisions whose every path is checked, and only in the workspace's own repository. */

import { protectionOf } from '../../protected.js'
import { type Check, type Context, checkField, literalOf } from '../context.js'
import { type OptionTable, optionTable, readArguments } from '../option.js'
import type { Field } from '../place.js'
import { refuse, shown } from '../unproven.js'
import { GIT, GIT_SETTINGS, type GitRow } from './git-table.js'

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
  if (first === undefined) return refuse('git has no command', context.at)
  const verb = literalOf(first, 'the command of git')
  const two = `${verb} ${second?.text ?? ''}`
  const name = Object.hasOwn(GIT, two) ? two : verb
  const row = Object.hasOwn(GIT, name) ? GIT[name] : undefined
  if (row === undefined) return refuse(`git ${shown(verb)} is not listed`, first.at)
  context.places.repository(context.at, folders)
  checkCommand(name, row, rest.slice(name === two ? 2 : 1), {
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
      const folder = args[index] ?? refuse('-C of git has no value', context.at)
      context.places.look(folder, folders)
      const path = literalOf(folder, 'the folder of git')
      folders = folders.map((from) => context.places.folderAt(path, from))
    } else if (text !== '--no-pager' && text !== '-P' && text !== '--no-optional-locks')
      return [args.slice(index), folders]
  }
  return [[], folders]
}

function checkCommand(name: string, row: GitRow, args: readonly Field[], context: Context): void {
  const read = readArguments(context.program, args, tableOf(name, row))
  for (const { name: option, kind, field } of read.values) {
    if (kind === 'lines') checkLines(field, context)
    else checkField(kind, field, context)
    if (option === '--exclude' && field.isWalked) refuse('a name of a file is not understood here', field.at)
  }
  const { operands, before } = read
  const { needs, most = Number.POSITIVE_INFINITY } = row
  const [first] = operands
  if (first === undefined) {
    if (name === 'grep') refuse('git grep has no pattern', context.at)
    return
  }
  if (
    row.operands === undefined ||
    operands.length > most ||
    (needs !== undefined && !needs.some((flag) => read.flags.has(flag)))
  )
    return refuse(`${context.program} with this operand is not listed`, first.at)
  if (name === 'config') return checkSetting(first)
  if (name === 'grep') checkSearch(context)
  if (name === 'cat-file' && operands.some(({ text }) => /^[0-9a-f]{4,}$/i.test(text)))
    refuse('which file this object is, is not known', first.at)
  if (name === 'reflog' && /^(?:expire|delete|exists|drop|list|write)$/.test(first.text))
    refuse('this command of git reflog is not listed', first.at)
  const isPattern = name === 'grep' && !read.flags.has('-e')
  for (const [index, field] of operands.entries()) {
    const isPath = (before !== null && index >= before) || row.operands === 'pathspec'
    if (isPattern && index === 0) checkField('text', field, context)
    else if (isPath) checkPathspec(field, row, context)
    else if (row.operands === 'revision') checkRevision(field, row, context)
    else checkField(row.operands, field, context)
    // Outside a repository two operands are files or folders, and all that is in them.
    if (name === 'diff' && context.places.hasNoRepository())
      context.places.tree(field, context.folders, { followsFolders: true })
  }
}

/** What git grep finds may stand in any file of the folder. */
function checkSearch({ places, folders, at }: Context): void {
  places.tree({ text: '.', at }, folders)
}

function checkSetting(field: Field): void {
  const text = literalOf(field, 'the setting')
  const [section = ''] = text.split('.')
  if (!/^[A-Za-z0-9.-]+$/.test(text) || !GIT_SETTINGS.has(section.toLowerCase()))
    refuse(`the setting ${shown(text)} is not listed`, field.at)
}

const REVISION = /^[A-Za-z0-9_./@{}^~:+ ,#=%-]*$/

/** Before `--` an operand is a revision, a path, or a path in a revision: it must be harmless as each of them. */
function checkRevision(field: Field, row: GitRow, context: Context): void {
  const text = pathOf(field)
  if (/[*?[\\]/.test(text)) return checkPathspec(field, row, context)
  if (!REVISION.test(text) || /^:[(!^/]/.test(text))
    refuse(`the revision ${shown(text)} is not understood`, field.at)
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1))
    checkName(text.slice(colon + 1), field)
  checkPath(field, row, context)
}

/** Files that a glob fits may be paths, wherever they stand. */
function pathOf(field: Field): string {
  return literalOf({ ...field, isMatch: false }, 'a revision or a path')
}

function checkPath(field: Field, row: GitRow, context: Context): void {
  if (row.hasContent) context.places.read(field, context.folders, { isTracked: true })
  else context.places.look(field, context.folders)
}

function checkName(path: string, { text, at }: Field): void {
  if (protectionOf(path) !== null || protectionOf(`/${path}`) !== null)
    refuse(`${shown(text)} is a protected file`, at)
}

/** git matches globs itself, also below folders and with names that begin with a dot. */
function checkPathspec(field: Field, row: GitRow, context: Context): void {
  const text = pathOf(field)
  // It only leaves out.
  if (EXCLUDED.test(text)) return
  if (text.startsWith(':')) refuse(`${shown(text)} is not understood`, field.at)
  const isGlob = /[*?[\\]/.test(text)
  if (isGlob && row.hasContent && !SOURCE.test(text))
    refuse(`${shown(text)} may fit a protected file`, field.at)
  checkPath(field, row, context)
}

const EXCLUDED = /^:(?:[!^]|\(exclude\))[A-Za-z0-9_.*/-]+$/

/** Files with these endings are never protected. */
const SOURCE =
  /\.(?:ts|tsx|mts|cts|js|jsx|mjs|cjs|py|rb|go|rs|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|bash|md|mdx|rst|css|scss|html|vue|svelte|sql|lua|ex|exs|dart)$/

/** `-L 1,5:path`, `-L :name:path`. */
function checkLines(field: Field, context: Context): void {
  const text = literalOf(field, 'the lines')
  const colon = text.lastIndexOf(':')
  if (colon < 0 || !/^[A-Za-z0-9_,+:-]*$/.test(text.slice(0, colon)))
    refuse('the lines are not understood', field.at)
  context.places.read({ text: text.slice(colon + 1), at: field.at }, context.folders)
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1))
    checkName(text.slice(at + 1), field)
}
