/** A field of a form as users at a terminal fill it in: a number chooses an option, as with questions. */

import type { FormValue } from '../../protocol/form/form.js'
import { type FormField, isChoice, readFormValue } from '../../protocol/form/form-field.js'

export function readField(field: FormField, text: string): FormValue {
  const { kind, choices } = field
  if (kind !== 'choice' && kind !== 'choices') return readFormValue(field, text)
  const words = (kind === 'choices' ? text.split(',') : [text]).map((word) => word.trim())
  const chosen = words.map((word) => {
    const isNamed = isChoice(choices, word) || choices.some(({ title }) => title === word)
    return isNamed || !/^\d+$/.test(word) ? word : (choices[Number(word) - 1]?.value ?? word)
  })
  return readFormValue(field, chosen.join(', '))
}

/** `Your name (text, required): `. */
export function fieldHint({ kind, choices, isRequired, initial }: FormField): string {
  const what =
    kind === 'choice'
      ? `1 to ${choices.length}`
      : kind === 'choices'
        ? `numbers from 1 to ${choices.length}, comma-separated`
        : kind === 'boolean'
          ? 'yes or no'
          : kind === 'integer'
            ? 'whole number'
            : kind === 'number'
              ? 'number'
              : ''
  const empty = initial === null ? (isRequired ? '' : 'optional') : `Enter for ${String(initial)}`
  return [what, empty].filter(Boolean).join(', ')
}

export function fieldLabel(field: FormField): string {
  const hint = fieldHint(field)
  return `${field.title}${hint === '' ? '' : ` (${hint})`}: `
}
