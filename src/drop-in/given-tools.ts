/** Tools as programs bring them along: made with `defineTool`, in the shape of the Agent SDK, or as an executor with a definition. */

import { z } from 'zod'
import { asList, asRecord, asText } from '../lib/read-json.js'
import { HubError } from '../protocol/error.js'
import { ToolRegistry } from '../tool/registry.js'
import { checkTool, type Tool, type ToolContext } from '../tool/tool.js'

/** Passed to executors besides their input. */
export interface ExecutorContext {
  session?: unknown
  context?: unknown
  agentConfig?: unknown
}

export interface GivenToolsDeps {
  bound: ExecutorContext
  /** Those of our own: an executor that is called like one of them and brings no schema has its schema. */
  builtIn: readonly Tool[]
  /** A tool without a schema cannot be published and is left out. */
  onLeftOut(name: string): void
}

/** A list, a map by name, a record by name or a registry. Throws for what is no tool: a tool left out would be missed later. */
export function toolsIn(given: unknown, deps: GivenToolsDeps): Tool[] {
  if (given === null || given === undefined) return []
  if (given instanceof ToolRegistry) return toolsIn(given.list(), deps)
  if (isSdkServer(given)) throw serverGiven()
  return entriesOf(given).flatMap(([key, value]) => {
    const { name, tool } = toolOf(key, value, deps)
    if (tool?.input !== undefined) return [tool]
    deps.onLeftOut(name)
    return []
  })
}

/** As `createSdkMcpServer` of the Agent SDK returns it. */
function isSdkServer(given: unknown): boolean {
  const { type, instance } = asRecord(given)
  return type === 'sdk' && instance !== undefined
}

function entriesOf(given: unknown): [string | null, unknown][] {
  if (given instanceof Map) return [...given].map(([name, tool]) => [String(name), tool])
  if (Array.isArray(given) || Symbol.iterator in Object(given))
    return asList(Array.isArray(given) ? given : [...(given as Iterable<unknown>)]).map((tool) => [
      null,
      tool,
    ])
  return Object.entries(asRecord(given))
}

/** Null for a tool that has no schema of zod. */
function toolOf(
  key: string | null,
  given: unknown,
  { bound, builtIn }: GivenToolsDeps,
): { name: string; tool: Tool | null } {
  const tool = asRecord(given)
  const definition = asRecord(tool['definition'])
  const name = asText(tool['name']) ?? asText(definition['name']) ?? key ?? ''
  if (typeof tool['run'] === 'function') return { name, tool: checkTool(given) }
  const { handler, executor } = tool
  if (typeof handler !== 'function' && typeof executor !== 'function') throw unusable(name)
  const known = builtIn.find((ours) => ours.name === name)
  const input =
    schemaOf(tool['inputSchema'] ?? tool['schema'] ?? definition['inputSchema'] ?? definition['schema']) ??
    known?.input
  if (!input) return { name, tool: null }
  const description = asText(tool['description']) ?? asText(definition['description']) ?? name
  const run =
    typeof handler === 'function'
      ? (args: unknown, context: ToolContext) => handler(args, context) as unknown
      : async (args: unknown) =>
          executed(await callable(executor)(args, bound.session, bound.context, bound.agentConfig))
  return { name, tool: checkTool({ name, description, input, run }) }
}

type Executor = (...args: unknown[]) => unknown

function callable(value: unknown): Executor {
  return value as Executor // Checked before it is chosen.
}

/** An object schema of zod 4, or the fields of one. */
function schemaOf(value: unknown): z.ZodObject | null {
  if (typeof value !== 'object' || value === null) return null
  if ('_zod' in value) return value as unknown as z.ZodObject // Checked with the rest of the tool.
  const fields = Object.values(value)
  if (!fields.every((field) => typeof field === 'object' && field !== null && '_zod' in field)) return null
  return z.object(value as z.ZodRawShape)
}

/** Executors report failure as `isError` with `error`; any other value is the result. */
function executed(result: unknown): unknown {
  const { isError, error, content } = asRecord(result)
  if (isError === true && !Array.isArray(content))
    return { content: [{ type: 'text', text: asText(error) ?? 'The tool failed.' }], isError: true }
  return Array.isArray(content) ? { content, isError: isError === true } : (content ?? result)
}

function serverGiven(): HubError {
  const message =
    'A server made with createSdkMcpServer(…) was given as tools. Give the list of tools that it was made from.'
  return new HubError('config_invalid', message)
}

function unusable(name: string): HubError {
  return new HubError(
    'config_invalid',
    `The tool ${name || 'without a name'} cannot be used. Make it with defineTool({ name, description, input, run }), or give { name, description, inputSchema, handler } or { definition, schema, executor } with schemas of zod 4.`,
    { tool: name },
  )
}
