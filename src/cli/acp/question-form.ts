/** Questions, and forms of MCP servers, as forms of an editor. Pure. */

import type {
  CreateElicitationResponse,
  ElicitationPropertySchema,
  ElicitationSchema,
} from '@agentclientprotocol/sdk'
import { printable } from '../../lib/text/printable.js'
import type { Form, FormContent } from '../../protocol/form/form.js'
import { type FormField, formFields } from '../../protocol/form/form-field.js'
import type { Answers, Question } from '../../protocol/value.js'

/** Behind the field of a question with options: an answer of one's own. */
const OWN = '_other'

export function schemaOf(questions: readonly Question[]): ElicitationSchema {
  const fields = questions.flatMap((question, index): [string, ElicitationPropertySchema][] => {
    const name = fieldName(index)
    const title = printable(question.question)
    const { options = [], multiSelect } = question
    const choices = options.map(({ label, description }) => ({
      const: label,
      title: printable(label),
      ...(description !== undefined && { description: printable(description) }),
    }))
    if (choices.length === 0) return [[name, { type: 'string', title }]]
    return [
      multiSelect
        ? [name, { type: 'array', title, items: { anyOf: choices } }]
        : [name, { type: 'string', title, oneOf: choices }],
      [`${name}${OWN}`, { type: 'string', title: 'Another answer' }],
    ]
  })
  return { type: 'object', properties: Object.fromEntries(fields) }
}

/** Null if a question has no answer. */
export function answersIn(questions: readonly Question[], content: FormContent): Answers | null {
  const answers: Answers = {}
  for (const [index, { question, multiSelect }] of questions.entries()) {
    const name = fieldName(index)
    const own = textOf(content[`${name}${OWN}`])
    const chosen = content[name]
    const list = Array.isArray(chosen) ? chosen : textOf(chosen) === '' ? [] : [textOf(chosen)]
    const all = own === '' ? list : multiSelect ? [...list, own] : [own]
    const [first] = all
    if (first === undefined) return null
    answers[question] = multiSelect ? all : first
  }
  return answers
}

/** Null if it has a field that editors do not know. */
export function formOf(form: Form): ElicitationSchema | null {
  const fields = formFields(form)
  const required = fields.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  const properties: [string, ElicitationPropertySchema][] = []
  for (const field of fields) {
    const property = propertyOf(field)
    if (property) properties.push([field.name, property])
    else if (field.isRequired) return null
  }
  return { type: 'object', properties: Object.fromEntries(properties), required }
}

function propertyOf(field: FormField): ElicitationPropertySchema | null {
  const { kind, title, description, choices, format, min, max, initial } = field
  const base = {
    title: printable(title),
    ...(description !== null && { description: printable(description) }),
  }
  const options = choices.map(({ value, title: name }) => ({ const: value, title: printable(name) }))
  switch (kind) {
    case 'text':
      return {
        type: 'string',
        ...base,
        ...bounds('minLength', min, 'maxLength', max),
        ...(isFormat(format) && { format }),
        ...(typeof initial === 'string' && { default: initial }),
      }
    case 'number':
    case 'integer':
      return {
        type: kind,
        ...base,
        ...bounds('minimum', min, 'maximum', max),
        ...(typeof initial === 'number' && { default: initial }),
      }
    case 'boolean':
      return { type: 'boolean', ...base, ...(typeof initial === 'boolean' && { default: initial }) }
    case 'choice':
      return {
        type: 'string',
        ...base,
        oneOf: options,
        ...(typeof initial === 'string' && { default: initial }),
      }
    case 'choices':
      return {
        type: 'array',
        ...base,
        ...bounds('minItems', min, 'maxItems', max),
        items: { anyOf: options },
      }
    case 'unknown':
      return null
  }
}

/** Whether the form was sent, with values of known types. */
export function isFilled(
  reply: CreateElicitationResponse,
): reply is CreateElicitationResponse & { action: 'accept'; content: FormContent } {
  if (reply.action !== 'accept' || !('content' in reply)) return false
  const { content } = reply
  return typeof content === 'object' && content !== null && Object.values(content).every(isValue)
}

function isValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

const FORMATS = ['email', 'uri', 'date', 'date-time'] as const

function isFormat(format: string | null): format is (typeof FORMATS)[number] {
  return FORMATS.some((known) => known === format)
}

function bounds<Low extends string, High extends string>(
  low: Low,
  min: number | null,
  high: High,
  max: number | null,
): { [Name in Low | High]?: number } {
  // Cast: made of these two names alone.
  return { ...(min !== null && { [low]: min }), ...(max !== null && { [high]: max }) } as {
    [Name in Low | High]?: number
  }
}

function fieldName(index: number): string {
  return `question_${index + 1}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
