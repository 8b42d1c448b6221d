import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { loadTools } from './load.js'
import { ToolRegistry } from './registry.js'
import { checkTool, defineTool, jsonSchemaOf } from './tool.js'

const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody',
  input: z.object({ who: z.string().describe('Whom') }),
  run: ({ who }) => `Hello, ${who}`,
})
const hidden = defineTool({ name: 'hidden', description: 'Has no schema', run: () => 'x' })

test('tools are found by name and listed in the order of their registration', () => {
  const registry = new ToolRegistry([hidden, greet])
  expect(registry.list().map(({ name }) => name)).toEqual(['hidden', 'greet'])
  expect(registry.get('greet')).toBeDefined()
  expect(registry.get('nobody')).toBeUndefined()
})

test('only tools with a schema are published, and of these only the chosen ones', () => {
  const other = defineTool({ ...greet, name: 'other' })
  const registry = new ToolRegistry([hidden, greet, other])
  expect(registry.published().map(({ name }) => name)).toEqual(['greet', 'other'])
  expect(registry.published(['other', 'hidden']).map(({ name }) => name)).toEqual(['other'])
})

test.each(['greet', 'Greet'])('a name can be taken once: %s', (name) => {
  const registry = new ToolRegistry([greet])
  expect(() => registry.register(defineTool({ ...greet, name }))).toThrow(
    `The tool ${name} cannot be registered: a tool greet exists already. Rename one of them.`,
  )
})

test.each(['', '1st', 'with space', 'dot.ted', 'é', 'a'.repeat(65), 'a/b', '-x'])(
  'the name %j is refused',
  (name) => {
    expect(() => defineTool({ ...greet, name })).toThrow(/A name starts with a letter/)
  },
)

test.each([
  [{ ...greet, description: ' ' }, 'greet', 'The agent needs a description'],
  [{ ...greet, input: { who: z.string() } }, 'greet', 'Expected an object schema of zod 4'],
  [{ ...greet, input: z.string() }, 'greet', 'Expected an object schema of zod 4'],
  [{ ...greet, input: z.object({ at: z.date() }) }, 'greet', 'has no JSON Schema'],
  [{ ...greet, run: 'text' }, 'greet', 'Expected a function'],
  [{ ...greet, timeoutMs: 0 }, 'greet', 'at timeoutMs'],
  [{ ...greet, annotations: { readonly: true } }, 'greet', 'Unrecognized key'],
  [{ ...greet, handler: () => 1 }, 'greet', 'Unrecognized key'],
  [null, 'without a name', 'expected object'],
  [7, 'without a name', 'expected object'],
])('what is wrong with a tool is named: %o', (tool, name, problem) => {
  expect(() => checkTool(tool)).toThrow(`The tool ${name} is invalid.`)
  expect(() => checkTool(tool)).toThrow(problem)
})

test('the agent reads the schema with its descriptions', () => {
  expect(jsonSchemaOf(greet)).toEqual({
    type: 'object',
    properties: { who: { type: 'string', description: 'Whom' } },
    required: ['who'],
  })
  expect(jsonSchemaOf(hidden)).toBeNull()
})

describe('tools from files', () => {
  const TOOL = (name: string) => `{ name: '${name}', description: 'd', run: () => '${name}' }`

  async function load(source: string, name = 'tools.mjs') {
    const folder = await temporaryFolder()
    await writeFile(join(folder, name), source)
    return loadTools([`./${name}`], folder)
  }

  test.each([
    ['a default', `export default ${TOOL('a')}`, ['a']],
    ['a default list', `export default [${TOOL('a')}, ${TOOL('b')}]`, ['a', 'b']],
    [
      'named ones and lists, each once',
      `export const x = ${TOOL('a')}; export const tools = [x, ${TOOL('b')}]; export const version = 3`,
      ['b', 'a'],
    ],
    [
      'what a function makes of what it is given',
      `export default ({ z, defineTool }) => defineTool({ ...${TOOL('a')}, input: z.object({}) })`,
      ['a'],
    ],
  ])('are %s', async (_, source, names) => {
    expect((await load(source)).map(({ tool }) => tool.name).toSorted()).toEqual(names.toSorted())
  })

  test.each([
    ['has a mistake', 'export default {', /The tools in .*tools\.mjs cannot be loaded/],
    ['throws', `throw new Error('no key')`, /cannot be loaded: no key/],
    ['throws when it is asked for its tools', `export default () => { throw new Error('later') }`, /: later/],
    ['exports nothing', 'export const version = 3', /exports no tools/],
    [
      'has a bad tool',
      `export default [${TOOL('a')}, { name: 'b', description: 'd' }]`,
      /The tool b is invalid/,
    ],
  ])('a file that %s is an error that names it', async (_, source, problem) => {
    await expect(load(source)).rejects.toThrow(problem)
    await expect(load(source)).rejects.toThrow('tools.mjs')
  })

  test('a file that every user of the machine may change is not run', async () => {
    const folder = await temporaryFolder()
    const file = join(folder, 'tools.mjs')
    await writeFile(file, `globalThis.hasRun = true; export default ${TOOL('a')}`)

    await chmod(file, 0o666)
    await expect(loadTools([file], folder)).rejects.toThrow('Every user of this machine may change it.')
    await chmod(file, 0o644)
    await chmod(folder, 0o777)
    await expect(loadTools([file], folder)).rejects.toThrow('Every user of this machine may change it.')
    expect('hasRun' in globalThis).toBe(false)

    await chmod(folder, 0o1777)
    expect((await loadTools(['./tools.mjs'], folder)).map(({ file: source }) => source)).toEqual([file])
  })

  test('a file that is not there is an error that names it', async () => {
    await expect(loadTools(['gone.mjs'], await temporaryFolder())).rejects.toThrow(
      /gone\.mjs cannot be loaded/,
    )
  })
})
