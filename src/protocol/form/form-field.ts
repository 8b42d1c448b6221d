/**
 * The fields of a form, and the parsing of what a user types into them. Has no zod schemas, so that CLI commands start
 * quickly.
 */

import type { Form, FormValue } from './form.js'

export interface FormField {
  readonly name: string
  readonly title: string
  readonly description: string | null
  /** `unknown`: the schema is of an unsupported kind. Any value is accepted and sent; the server validates it. */
  readonly kind: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices' | 'unknown'
  readonly isRequired: boolean
  readonly choices: readonly { value: string; title: string }[]
  readonly format: string | null
  /** Bounds of a number, of the length of a text, or of the number of choices. */
  readonly min: number | null
  readonly max: number | null
  readonly initial: FormValue | null
}

type Loose = Readonly<Record<string, unknown>>

/** The fields in the server's order. An invalid schema has none. */
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
      initial: initialOf(property['default']),
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

function initialOf(value: unknown): FormValue | null {
  switch (typeof value) {
    case 'string':
    case 'number':
    case 'boolean':
      return value
    default:
      return Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : null
  }
}

/** Parses a value as a user types it. Invalid input stays text and fails validation. */
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

export function isChoice(choices: FormField['choices'], value: unknown): boolean {
  return choices.some((choice) => choice.value === value)
}

/** Users type the title, the server expects the value. */
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
