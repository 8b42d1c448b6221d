/** `git config`: the forms that only show settings, by their words. */

import { reason } from '../../../protocol/reason/reason.js'
import { isKnown } from '../../file/path.js'
import type { Field } from '../../shell/field.js'
import type { Call } from '../handler.js'

/** They choose the file, or the form in which values are shown. */
const SHOWING =
  /^--(?:global|local|system|worktree|show-origin|show-scope|name-only|null|bool|int|path|no-includes|type=\w+)$|^-z$/
const LIST = /^(?:-l|--list)$/
/** Files that the read-only jail does not have. */
const OUTSIDE = /^--(?:global|system)$/

type Form = 'setting' | 'list' | 'change'

function formOf(words: readonly string[]): Form {
  // Options end at the first operand: behind it, `--global` is a value to set.
  const operand = words.findIndex((word) => !word.startsWith('-'))
  const start = operand < 0 ? words.length : operand
  const rest = words.filter((word, index) => index >= start || !SHOWING.test(word))
  const [first = '', second = '', ...others] = rest
  if (rest.length === 1 && LIST.test(first)) return 'list'
  if (first === '--get-regexp') return second !== '' && others.length === 0 ? 'list' : 'change'
  const isGet = first === '--get' || first === '--get-all'
  const names = isGet ? rest.slice(1) : rest
  return names.length === 1 && /^[\w-]+\.[^\s=-][^\s=]*$/.test(names[0] ?? '') ? 'setting' : 'change'
}

/** Whether it only shows settings. All settings together may hold secrets; the jail has those of the repository alone. */
export function showsSettings({ context, args, span }: Call): boolean {
  const words = args.map(({ text }: Field) => text)
  const form = words.every(isKnown) ? formOf(words) : 'change'
  if (form === 'list') {
    const isContained = !words.some((word) => OUTSIDE.test(word))
    context.report('ask', 'secret-variable', reason('git.all-settings'), span, {
      isContained,
      isProvable: isContained,
    })
  }
  return form !== 'change'
}
