/** A line that was typed into a field of a form, checked against its schema. */

import { type FormContent, type FormValue, problemOfField, problemText } from '../../protocol/form/form.js'
import type { FormField } from '../../protocol/form/form-field.js'
import { readField } from './read-field.js'

/** The value of a line, and what is wrong with it. An empty line is the initial value, or none. */
export function fillField(
  field: FormField,
  line: string,
): { value: FormValue | null; problem: string | null } {
  const value = line.trim() === '' ? field.initial : readField(field, line)
  const content: FormContent = value === null ? {} : { [field.name]: value }
  const problem = problemOfField(field, content)
  return { value, problem: problem && problemText(field, problem) }
}
