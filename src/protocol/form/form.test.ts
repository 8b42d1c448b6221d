import { describe, expect, test } from 'vitest'
import { type Form, type FormContent, problemOfField, problemsOfForm } from './form.js'
import { formFields, readFormValue } from './form-field.js'

const form = (properties: Record<string, unknown>, required: string[] = []): Form => ({
  server: 'kit',
  message: 'Tell me',
  schema: { type: 'object', properties, required },
})

test('fields come in the server’s order, with what a person needs to know of them', () => {
  const fields = formFields(
    form(
      {
        name: { type: 'string', title: 'Your name', description: 'As in your passport', maxLength: 5 },
        colours: { type: 'array', items: { anyOf: [{ const: 'r', title: 'Red' }] }, minItems: 1 },
        size: { type: 'string', enum: ['s', 'm'], enumNames: ['Small', 'Medium'], default: 's' },
        strange: { type: 'object' },
      },
      ['name'],
    ),
  )

  expect(fields).toMatchObject([
    { name: 'name', title: 'Your name', description: 'As in your passport', isRequired: true, max: 5 },
    { kind: 'choices', choices: [{ value: 'r', title: 'Red' }], min: 1, isRequired: false },
    { kind: 'choice', choices: [{ title: 'Small' }, { value: 'm', title: 'Medium' }], initial: 's' },
    { kind: 'unknown' },
  ])
})

describe('an answer fits its form or is told why not', () => {
  test.each<[Record<string, unknown>, FormContent[string], FormContent[string], string]>([
    [{ type: 'string', minLength: 2 }, 'ab', 'a', 'at least 2 characters'],
    [{ type: 'string', minLength: 2, maxLength: 3 }, 'abc', 'abcd', 'from 2 to 3 characters'],
    [{ type: 'string' }, '', 5, 'must be a text'],
    [{ type: 'string', format: 'email' }, 'kim@example.com', 'kim', 'must be a email'],
    [{ type: 'string', format: 'date' }, '2026-11-16', '16.11.', 'must be a date'],
    [{ type: 'string', format: 'uri' }, 'https://example.com', 'nowhere', 'must be a uri'],
    [{ type: 'number', maximum: 1.5 }, 1.5, 1.6, 'at most 1.5'],
    [{ type: 'integer' }, 1, 1.5, 'whole number'],
    [{ type: 'boolean' }, false, 'false', 'true or false'],
    [{ type: 'string', enum: ['a', 'b'] }, 'a', 'c', 'one of a, b'],
    [{ type: 'array', items: { enum: ['a', 'b'] }, maxItems: 1 }, ['a'], ['a', 'b'], 'at most 1 choices'],
    [{ type: 'array', items: { enum: ['a', 'b'] } }, [], ['c'], 'some of a, b'],
  ])('%j', (schema, right, wrong, problem) => {
    const asked = form({ field: schema })
    expect(problemsOfForm(asked, { field: right })).toEqual([])
    expect(problemsOfForm(asked, { field: wrong })).toEqual([expect.stringContaining(problem)])
  })

  test('what is missing and what nobody asked for', () => {
    const asked = form({ name: { type: 'string' } }, ['name'])
    expect(problemsOfForm(asked, { other: 'x' })).toEqual(['It has no field "other".', 'name is missing.'])
  })

  test('the problem of one field is a value, for clients with their own words', () => {
    const asked = form({ name: { type: 'string', minLength: 2 } }, ['name'])
    const contents: FormContent[] = [{}, { name: 'a' }, { name: 'ab' }]
    const problems = contents.map((content) =>
      formFields(asked).map((field) => problemOfField(field, content)),
    )
    expect(problems).toEqual([[{ kind: 'missing' }], [{ kind: 'length', min: 2, max: null }], [null]])
  })

  test('names that every object has are no fields', () => {
    const asked = form({ constructor: { type: 'string' } }, ['constructor'])
    expect(problemsOfForm(asked, {})).toEqual(['constructor is missing.'])
    expect(problemsOfForm(form({}), JSON.parse('{"__proto__":"x"}') as FormContent)).toHaveLength(1)
  })
})

test('a schema that makes no sense has no fields', () => {
  for (const schema of [
    {},
    { properties: 5 },
    { properties: [1] },
    { properties: { a: null }, required: 'a' },
  ]) {
    expect(() => formFields({ server: 'kit', message: '', schema })).not.toThrow()
  }
})

test('what a person types is read for its field', () => {
  const [number, flag, size, colours] = formFields(
    form({
      number: { type: 'integer' },
      flag: { type: 'boolean' },
      size: { type: 'string', oneOf: [{ const: 's', title: 'Small' }] },
      colours: { type: 'array', items: { enum: ['red', 'blue'] } },
    }),
  )
  if (!number || !flag || !size || !colours) throw new Error('unreachable')

  expect(['7', 'seven', ''].map((text) => readFormValue(number, text))).toEqual([7, 'seven', ''])
  expect(['Yes', 'no', 'maybe'].map((text) => readFormValue(flag, text))).toEqual([true, false, 'maybe'])
  expect(['Small', 's', 'x'].map((text) => readFormValue(size, text))).toEqual(['s', 's', 'x'])
  expect(readFormValue(colours, 'red, blue')).toEqual(['red', 'blue'])
})
