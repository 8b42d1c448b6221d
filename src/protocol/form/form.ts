/** A form of an MCP server for the user, and the validation of its answer. Browser-safe. */

import { z } from 'zod'
import { formActions } from '../choice.js'
import { type FormField, formFields, isChoice } from './form-field.js'

/** A request of an MCP server: fields to fill in, or a URL to visit. */
export const Form = z.strictObject({
  server: z.string(),
  message: z.string(),
  /** The URL to visit. Absent: fields to fill in. */
  url: z.string().optional(),
  /** JSON Schema of a flat object, as sent by the server. */
  schema: z.record(z.string(), z.unknown()).optional(),
})
export type Form = z.infer<typeof Form>

export const FormReply = z.strictObject({
  action: z.enum(formActions),
  /** Values by field name. */
  content: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
})
export type FormReply = z.infer<typeof FormReply>
export type FormContent = NonNullable<FormReply['content']>
export type FormValue = FormContent[string]

/** Validation errors of an answer; empty if it is valid. */
export function problemsOfForm(form: Form, content: FormContent): string[] {
  const fields = formFields(form)
  const unknown = Object.keys(content).filter((name) => !fields.some((field) => field.name === name))
  return [
    ...unknown.map((name) => `It has no field ${JSON.stringify(name)}.`),
    ...fields.flatMap((field) => {
      const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined
      if (value === undefined) return field.isRequired ? [`${field.name} is missing.`] : []
      const problem = problemOfValue(field, value)
      return problem === null ? [] : [`${field.name} ${problem}.`]
    }),
  ]
}

function problemOfValue({ kind, choices, format, min, max }: FormField, value: FormValue): string | null {
  switch (kind) {
    case 'text':
      if (typeof value !== 'string') return 'must be a text'
      if (format !== null && FORMATS[format]?.safeParse(value).success === false) return `must be a ${format}`
      return outside(value.length, min, max) ? `must have ${range(min, max)} characters` : null
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return 'must be a number'
      if (kind === 'integer' && !Number.isInteger(value)) return 'must be a whole number'
      return outside(value, min, max) ? `must be ${range(min, max)}` : null
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'choice':
      return isChoice(choices, value) ? null : `must be one of ${namesOf(choices)}`
    case 'choices':
      if (!Array.isArray(value) || !value.every((item) => isChoice(choices, item)))
        return `must be some of ${namesOf(choices)}`
      return outside(value.length, min, max) ? `must have ${range(min, max)} choices` : null
    case 'unknown':
      return null
  }
}

const FORMATS: Readonly<Record<string, z.ZodType>> = {
  email: z.email(),
  uri: z.url(),
  date: z.iso.date(),
  'date-time': z.iso.datetime({ offset: true }),
}

function namesOf(choices: FormField['choices']): string {
  return choices.map((choice) => choice.value).join(', ')
}

function outside(size: number, min: number | null, max: number | null): boolean {
  return (min !== null && size < min) || (max !== null && size > max)
}

function range(min: number | null, max: number | null): string {
  if (min === null) return `at most ${max}`
  return max === null ? `at least ${min}` : `from ${min} to ${max}`
}
