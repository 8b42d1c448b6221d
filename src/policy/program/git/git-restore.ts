/** Files of the working tree that git overwrites with stored ones, among them some that the command does not name. */

import { reason } from '../../../protocol/reason/reason.js'
import { isInside, isKnown, nameOf, parentOf } from '../../file/path.js'
import type { Field } from '../../shell/field.js'
import type { Call } from '../handler.js'
import type { Arguments } from '../option.js'
import { topOf } from './git-repository.js'

export const RESTORING: ReadonlySet<string> = new Set(['checkout', 'restore', 'stash', 'switch', 'reset'])

/** No rule for commands lifts these findings: a rule names words, not what a tree contains. */
export function judgeRestore(call: Call, verb: string, given: Arguments): void {
  const { context, span } = call
  const top = topOf(context.environment)
  const { source, paths } = partsOf(call, verb, given)
  for (const path of paths) context.access('write', path)
  if (top === null) return
  const scope = paths.length === 0 ? [top] : paths.flatMap((path) => scopeOf(call, path, top))
  const guarded = context.environment.fs.repository(top)?.guarded ?? []
  const met = guarded.find(({ name }) => scope.some((path) => isInside(path, `${top}/${name}`)))
  if (met !== undefined)
    context.ask('protected-change', reason('git.restores-protected', { path: met.name, verb }), span)
  else if (source !== null && !paths.every((path) => isFile(call, path)))
    context.ask('protected-change', reason('git.restores-tree', { verb }), span)
}

/** Without `--` the first word of `checkout` is a revision unless there is such a file. */
function partsOf(
  { context, args }: Call,
  verb: string,
  given: Arguments,
): { source: Field | null; paths: readonly Field[] } {
  const { operands } = given
  if (verb === 'restore') return { source: given.valueOf('s', 'source'), paths: operands }
  if (verb !== 'checkout') return { source: null, paths: [] }
  const end = args.findIndex(({ text }) => text === '--')
  if (end >= 0) {
    const paths = args.slice(end + 1)
    return { source: operands.find((field) => !paths.includes(field)) ?? null, paths }
  }
  const [first, ...rest] = operands
  if (first === undefined || given.has('b', 'B', 'orphan')) return { source: null, paths: [] }
  const isThere = context
    .targets(first)
    .some(({ path }) => context.environment.fs.list(parentOf(path))?.includes(nameOf(path)) === true)
  if (isThere || isMagic(first)) return { source: null, paths: operands }
  return { source: rest.length === 0 ? null : first, paths: rest }
}

/** Git expands globs itself, at every depth below the folder. */
function isMagic({ text }: Field): boolean {
  return /^:|[*?[\\]/.test(text)
}

function scopeOf({ context }: Call, field: Field, top: string): readonly string[] {
  if (field.text.startsWith(':') || !isKnown(field.text)) return [top]
  if (isMagic(field)) return context.state.folders
  return context.targets(field).map(({ real, path }) => real ?? path)
}

function isFile({ context }: Call, field: Field): boolean {
  if (isMagic(field) || !isKnown(field.text)) return false
  const { fs } = context.environment
  return context
    .targets(field)
    .every(
      ({ path, pattern }) =>
        pattern === null &&
        fs.entries(parentOf(path))?.some(({ name, kind }) => name === nameOf(path) && kind === 'file'),
    )
}
