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

/** Why a value is not accepted, for clients that have their own words for it. */
export type FormProblem =
  | { kind: 'missing' | 'text' | 'number' | 'integer' | 'boolean' }
  | { kind: 'format'; format: string }
  | { kind: 'choice' | 'choices'; choices: string }
  | { kind: 'length' | 'range' | 'count'; min: number | null; max: number | null }

/** Validation errors of an answer; empty if it is valid. */
export function problemsOfForm(form: Form, content: FormContent): string[] {
  const fields = formFields(form)
  const unknown = Object.keys(content).filter((name) => !fields.some((field) => field.name === name))
  return [
    ...unknown.map((name) => `It has no field ${JSON.stringify(name)}.`),
    ...fields.flatMap((field) => {
      const problem = problemOfField(field, content)
      return problem === null ? [] : [problemText(field, problem)]
    }),
  ]
}

/** The problem of one field; null if its value is valid. */
export function problemOfField(field: FormField, content: FormContent): FormProblem | null {
  const value = Object.hasOwn(content, field.name) ? content[field.name] : undefined
  if (value === undefined) return field.isRequired ? { kind: 'missing' } : null
  return problemOfValue(field, value)
}

function problemOfValue(
  { kind, choices, format, min, max }: FormField,
  value: FormValue,
): FormProblem | null {
  switch (kind) {
    case 'text':
      if (typeof value !== 'string') return { kind: 'text' }
      if (format !== null && FORMATS[format]?.safeParse(value).success === false)
        return { kind: 'format', format }
      return outside(value.length, min, max) ? { kind: 'length', min, max } : null
    case 'number':
    case 'integer':
      if (typeof value !== 'number' || !Number.isFinite(value)) return { kind: 'number' }
      if (kind === 'integer' && !Number.isInteger(value)) return { kind }
      return outside(value, min, max) ? { kind: 'range', min, max } : null
    case 'boolean':
      return typeof value === 'boolean' ? null : { kind }
    case 'choice':
      return isChoice(choices, value) ? null : { kind, choices: namesOf(choices) }
    case 'choices':
      if (!Array.isArray(value) || !value.every((item) => isChoice(choices, item)))
        return { kind, choices: namesOf(choices) }
      return outside(value.length, min, max) ? { kind: 'count', min, max } : null
    case 'unknown':
      return null
  }
}

/** In English, for clients that have no words of their own. */
export function problemText({ name }: FormField, problem: FormProblem): string {
  return `${name} ${textOf(problem)}.`
}

function textOf(problem: FormProblem): string {
  switch (problem.kind) {
    case 'missing':
      return 'is missing'
    case 'text':
      return 'must be a text'
    case 'number':
      return 'must be a number'
    case 'integer':
      return 'must be a whole number'
    case 'boolean':
      return 'must be true or false'
    case 'format':
      return `must be a ${problem.format}`
    case 'choice':
      return `must be one of ${problem.choices}`
    case 'choices':
      return `must be some of ${problem.choices}`
    case 'length':
      return `must have ${range(problem.min, problem.max)} characters`
    case 'range':
      return `must be ${range(problem.min, problem.max)}`
    case 'count':
      return `must have ${range(problem.min, problem.max)} choices`
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
