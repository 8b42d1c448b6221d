import { expect, test } from 'vitest'
import { z } from 'zod'
import { defineTool, type Tool } from '../tool/tool.js'
import { toolsIn } from './given-tools.js'

const datetime = defineTool({
  name: 'datetime',
  description: 'Ours',
  input: z.object({ format: z.string().optional() }),
  run: () => 'ours',
})

function read(given: unknown) {
  const leftOut: string[] = []
  const tools = toolsIn(given, { bound: {}, builtIn: [datetime], onLeftOut: (name) => leftOut.push(name) })
  return { tools: tools.map(({ name }) => name), leftOut, first: tools[0] as Tool }
}

test('an executor that is called like a built-in tool is the tool, with the schema of the built-in one', async () => {
  const { first } = read(new Map([['datetime', { definition: {}, executor: () => 'theirs' }]]))
  expect(first.input).toBe(datetime.input)
  expect(await first.run({}, {} as never)).toBe('theirs')
})

test('tools without a schema of zod are left out by name, whatever shape they have', () => {
  const run = () => 1
  const given = {
    bare: { definition: {}, executor: run },
    json: { name: 'json', inputSchema: { type: 'object', properties: {} }, handler: run },
    parameters: { definition: { parameters: { type: 'object' } }, executor: run },
    defined: defineTool({ name: 'defined', description: 'Without input', run }),
    good: { description: 'Good', inputSchema: { city: z.string() }, handler: run },
  }
  expect(read(given)).toMatchObject({
    tools: ['good'],
    leftOut: ['bare', 'json', 'parameters', 'defined'],
  })
})

test('a server in place of its tools, and what is no tool at all, are refused with what to give', () => {
  const server = { type: 'sdk', name: 'kit', instance: {} }
  expect(() => read(server)).toThrow('Give the list of tools')
  expect(() => read([{ name: 'weather', description: 'nothing to call' }])).toThrow('defineTool')
})
