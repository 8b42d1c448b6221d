/** Bodies that a route takes, made from its schema: each field in turn, with what else the body needs. */

import { z } from 'zod'
import type { FieldRoles } from '../../src/protocol/option/field-role.js'
import { ids } from './build.js'

interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  minItems?: number
  minLength?: number
  minimum?: number
  exclusiveMinimum?: number
  pattern?: string
  format?: string
  additionalProperties?: Schema | boolean
  propertyNames?: Schema
}

const TEXTS = [
  'text',
  '/tmp',
  '2026-11-15T12:00:00.000Z',
  '00000000-0000-4000-8000-000000000000',
  'https://example.com',
  ids.next('msg'),
  ids.next('ses'),
  ids.next('per'),
  ids.next('chg'),
  `whsec_${'A'.repeat(32)}`,
  `123:${'A'.repeat(30)}`,
  '12:30',
]

/** The paths of the fields of a body, as deep as the roles go: `title`, `options.env`. */
export function fieldsOf(body: z.ZodType, roles: FieldRoles = {}): string[] {
  return [...new Set(shapesOf(schemaOf(body)).flatMap((shape) => pathsIn(shape, roles)))]
}

function pathsIn({ properties = {} }: Schema, roles: FieldRoles): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const inner = roles[name]
    if (typeof inner !== 'object' || inner === null) return [name]
    return shapesOf(schema).flatMap((shape) => pathsIn(shape, inner).map((path) => `${name}.${path}`))
  })
}

/** A body with this field; without one, the smallest. */
export function sampleWith(body: z.ZodType, path: string | null): unknown {
  const [name] = (path ?? '').split('.')
  const shapes = shapesOf(schemaOf(body))
  const shape = shapes.find(({ properties = {} }) => path === null || (name ?? '') in properties) ?? {}
  const sample = sampleOf(shape, path)
  body.parse(sample) // A sample that is refused for its shape would show nothing.
  return sample
}

function sampleOf(schema: Schema, path: string | null = null): unknown {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return sampleOf(choice, path)
  switch (schema.type) {
    case 'string':
      return textFor(schema)
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, (schema.exclusiveMinimum ?? -1) + 1)
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: schema.minItems ?? 1 }, () => sampleOf(schema.items ?? {}))
    case 'object':
      return objectOf(schema, path)
    default:
      return {}
  }
}

function objectOf({ properties, required = [], additionalProperties }: Schema, path: string | null): unknown {
  if (!properties) {
    return typeof additionalProperties === 'object' ? { text: sampleOf(additionalProperties) } : {}
  }
  const [first, ...rest] = path === null ? [] : path.split('.')
  const names = new Set([...required, ...(first === undefined ? [] : [first])])
  const inner = (name: string) => (name === first && rest.length > 0 ? rest.join('.') : null)
  return Object.fromEntries([...names].map((name) => [name, sampleOf(properties[name] ?? {}, inner(name))]))
}

function textFor({ pattern, format, minLength = 0 }: Schema): string {
  const fits = (text: string) => {
    if (format === 'uuid') return text.includes('0000-4000')
    if (format === 'date-time') return text.endsWith('Z')
    if (format === 'uri') return text.startsWith('https:')
    return pattern === undefined || new RegExp(pattern, 'u').test(text)
  }
  const found = TEXTS.find((text) => fits(text) && text.length >= minLength)
  if (found === undefined) throw new Error(`No text fits ${pattern ?? format}.`)
  return found
}

function shapesOf(schema: Schema): Schema[] {
  const choices = schema.anyOf ?? schema.oneOf
  return choices ? choices.flatMap(shapesOf) : [schema]
}

function schemaOf(schema: z.ZodType): Schema {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema
}
