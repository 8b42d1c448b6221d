/** Operands of git: a revision, a path, a pathspec, or several of them in one word. */

import { reason } from '../../../protocol/reason/reason.js'
import { aimsAtProtected } from '../../file/protected-glob.js'
import { type Field, literal, tail } from '../../shell/field.js'
import type { Call } from '../handler.js'

/**
 * The files that an operand may name. Git reads `revision:path`, `:0:path` and `:path`, and a revision may contain
 * slashes and colons itself, so the text behind each colon counts. Git expands globs itself; they match leading dots
 * and slashes.
 */
export function namesInOperand(field: Field, { context, name }: Call): readonly Field[] {
  const { text, span } = field
  if (EXCLUSION.test(text)) return []
  if (/^:[^\w.]/.test(text)) {
    context.ask('option', reason('git.pathspec', { name, pathspec: text }), span)
    return [tail(field, Math.max(text.lastIndexOf(')'), text.lastIndexOf(':'), text.lastIndexOf('/')) + 1)]
  }
  const names = suffixes(field)
  if (names.some((one) => /[*?[]/.test(one.text) && aimsAtProtected(one.text)))
    context.ask('protected-read', reason('file.search-protected', { pattern: text }), span)
  return names.length === 1 && isRevision(text) ? [literal('revision', span, field.taint)] : names
}

/** `:!path`, `:^path`, `:(exclude)path` only exclude. */
const EXCLUSION = /^:(?:[!^](?![:(])|\(exclude\))[^:]*$/

function suffixes(field: Field): Field[] {
  const colons = [...field.text.matchAll(/:/g)].slice(0, 20).map(({ index }) => index + 1)
  const behind = colons
    .filter((at) => at < field.text.length)
    .map((at) => literal(field.text.slice(at), field.span, field.taint))
  return field.text.startsWith(':') ? behind : [field, ...behind]
}

/**
 * A revision such as `HEAD~2`, `main..dev` or `stash@{1}`: judged as a name in the workspace, it is never protected.
 */
function isRevision(text: string): boolean {
  return /^\^|\.{2,3}|@\{|[\^~]\d*$/.test(text) && text !== '..' && !text.includes('/')
}
