/** A form that an MCP server asks a person to fill in: its fields, and whether an answer fits them. Browser-safe. */

import { z } from 'zod'

/** What an MCP server asks for: fields to fill in, or a page to visit. */
export const Form = z.strictObject({
  server: z.string(),
  message: z.string(),
  /** The page to visit. Without it, there are fields to fill in. */
  url: z.string().optional(),
  /** A JSON schema of an object with plain fields, as the server gave it. */
  schema: z.record(z.string(), z.unknown()).optional(),
})
export type Form = z.infer<typeof Form>

export const FormReply = z.strictObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  /** By the name of each field. */
  content: z
    .record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))
    .optional(),
})
export type FormReply = z.infer<typeof FormReply>
export type FormContent = NonNullable<FormReply['content']>
type FormValue = FormContent[string]

export interface FormField {
  readonly name: string
  readonly title: string
  readonly description: string | null
  /** `unknown`: its schema is of a kind that we do not know; any value is passed on, and the server judges it. */
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'unknown'
  readonly isRequired: boolean
  readonly choices: readonly { value: string; title: string }[]
  readonly format: string | null
  /** Of a number, the length of a text, or how many choices. */
  readonly min: number | null
  readonly max: number | null
  readonly initial: FormValue | null
}

type Loose = Readonly<Record<string, unknown>>

/** The fields in the server's order. A schema that makes no sense has none. */
export function formFields({ schema = {} }: Form): FormField[] {
  const required = listOf(schema['required'])
  return Object.entries(recordOf(schema['properties'])).map(([name, value]) => {
    const property = recordOf(value)
    const choices = choicesOf(property)
    const kind = kindOf(property, choices.length > 0)
    const [min, max] = BOUNDS[kind] ?? ['', '']
    return {
      name,
      title: textOf(property['title']) ?? name,
      description: textOf(property['description']),
      kind,
      isRequired: required.includes(name),
      choices,
      format: textOf(property['format']),
      min: numberOf(property[min]),
      max: numberOf(property[max]),
      initial: FormReply.shape.content.unwrap().valueType.safeParse(property['default']).data ?? null,
    }
  })
}

const BOUNDS: Readonly<Partial<Record<FormField['kind'], readonly [string, string]>>> = {
  text: ['minLength', 'maxLength'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  choices: ['minItems', 'maxItems'],
}

function kindOf(property: Loose, hasChoices: boolean): FormField['kind'] {
  switch (property['type']) {
    case 'string':
      return hasChoices ? 'choice' : 'text'
    case 'array':
      return hasChoices ? 'choices' : 'unknown'
    case 'number':
    case 'integer':
    case 'boolean':
      return property['type']
    default:
      return hasChoices ? 'choice' : 'unknown'
  }
}

function choicesOf(property: Loose): { value: string; title: string }[] {
  const source = property['type'] === 'array' ? recordOf(property['items']) : property
  const names = listOf(source['enumNames'])
  const plain = listOf(source['enum']).map((value, index) => ({ value, title: names[index] ?? value }))
  const titled = [source['oneOf'], source['anyOf']].flatMap(listOf).map((item) => {
    const { const: value, title } = recordOf(item)
    return { value, title: title ?? value }
  })
  return [...plain, ...titled].flatMap(({ value, title }) =>
    typeof value === 'string' ? [{ value, title: typeof title === 'string' ? title : value }] : [],
  )
}

/** What is wrong with an answer, in words; empty if nothing is. */
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

function isChoice(choices: FormField['choices'], value: unknown): boolean {
  return choices.some((choice) => choice.value === value)
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

/** A value as a person types it, for its field. What can not be read is left as text, and found wrong there. */
export function readFormValue({ kind, choices }: FormField, text: string): FormValue {
  switch (kind) {
    case 'number':
    case 'integer':
      return text.trim() === '' || Number.isNaN(Number(text)) ? text : Number(text)
    case 'boolean':
      return YES.test(text) ? true : NO.test(text) ? false : text
    case 'choice':
      return valueOfChoice(choices, text)
    case 'choices':
      return text.split(',').map((part) => valueOfChoice(choices, part.trim()))
    case 'text':
    case 'unknown':
      return text
  }
}

const YES = /^(true|yes|y)$/i
const NO = /^(false|no|n)$/i

/** People say the title; the server wants the value. */
function valueOfChoice(choices: FormField['choices'], text: string): string {
  return isChoice(choices, text) ? text : (choices.find(({ title }) => title === text)?.value ?? text)
}

function recordOf(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
