/** A tool: a function of ours, with a schema, that an agent may call. */

import { z } from 'zod'
import type { Log } from '../lib/log.js'
import { asRecord } from '../lib/read-json.js'
import { HubError } from '../protocol/error.js'
import { ToolAnnotations } from '../protocol/tool.js'
import type { Completion } from '../protocol/value.js'

/** Passed to a running tool besides its input. */
export interface ToolContext {
  readonly sessionId: string
  /** The folder that the session works in. */
  readonly workspace: string
  /** The call in the session's log; null where the agent does not send it. */
  readonly toolUseId: string | null
  /** Aborts when the call is interrupted, its time is up or its session ends. */
  readonly signal: AbortSignal
  /** Reports progress to users. The agent does not see it. */
  progress(text: string): void
  /** Records what the task came to, and asks for its end. */
  complete(completion: Completion): Promise<void>
  readonly log: Log
}

/** The definition of a tool. The value that `run` returns is turned into text, JSON or images; see `output.ts`. */
export interface ToolDefinition<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string
  readonly description: string
  /** A tool without one can be registered, but agents do not see it. */
  readonly input?: Input
  readonly annotations?: ToolAnnotations
  readonly timeoutMs?: number
  /**
   * Whether a call may be run again from its start after a restart of the daemon cut it off. Otherwise the agent gets an error
   * that says so.
   */
  readonly isRepeatable?: boolean
  run(args: z.output<Input>, context: ToolContext): unknown
}

/** A tool that has been checked. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly input?: z.ZodObject | undefined
  readonly annotations: ToolAnnotations
  readonly timeoutMs: number
  readonly isRepeatable?: boolean | undefined
  run(args: unknown, context: ToolContext): unknown
}

export type JsonSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>

/** A failure that the agent should read and can do something about. Everything else that is thrown is a fault. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/** By its name: a tool of a user's project may come with its own copy of this package. */
export function isToolFailure(error: unknown): boolean {
  return error instanceof Error && error.name === 'ToolFailure'
}

const DEFAULT_TIMEOUT_MS = 60_000
const NAME = /^[a-zA-Z][a-zA-Z0-9_-]{0,63}$/

const Shape = z.strictObject({
  name: z
    .string()
    .regex(NAME, 'A name starts with a letter and has letters, digits, "_" and "-", 64 at most.'),
  description: z.string().trim().min(1, 'The agent needs a description to know when to use it.').max(4_000),
  input: z
    .custom<z.ZodObject>(isZodObject, 'Expected an object schema of zod 4: write input: z.object({ … }).')
    .optional(),
  annotations: ToolAnnotations.default({}),
  timeoutMs: z.int().min(1).max(86_400_000).default(DEFAULT_TIMEOUT_MS),
  isRepeatable: z.boolean().optional(),
  run: z.custom<Tool['run']>((value) => typeof value === 'function', 'Expected a function.'),
})

/** Checks a tool. Throws an error that names the tool and what is wrong with it. */
export function defineTool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  return checkTool(definition)
}

/** The same for an untyped value, such as one from a user's file. */
export function checkTool(value: unknown): Tool {
  const shape = Shape.safeParse(value)
  if (!shape.success) throw invalid(nameOf(value), z.prettifyError(shape.error))
  jsonSchemaOf(shape.data)
  return shape.data
}

/** The input as an agent reads it; null for a tool without one. */
export function jsonSchemaOf({ name, input }: Pick<Tool, 'name' | 'input'>): JsonSchema | null {
  if (input === undefined) return null
  try {
    const { $schema: _, ...json } = z.toJSONSchema(input, { io: 'input' })
    return { ...json, type: 'object' }
  } catch (error) {
    throw invalid(name, `Its input has no JSON Schema: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}

/** Structural, as the schema of a user's file may come from another copy of zod. */
function isZodObject(value: unknown): value is z.ZodObject {
  const { def } = asRecord(asRecord(value)['_zod'])
  return asRecord(def)['type'] === 'object' && typeof asRecord(value)['safeParseAsync'] === 'function'
}

function nameOf(value: unknown): string {
  const name = typeof value === 'object' && value !== null && 'name' in value ? value.name : null
  return typeof name === 'string' && name !== '' ? name : 'without a name'
}

function invalid(name: string, problem: string): HubError {
  return new HubError('config_invalid', `The tool ${name} is invalid.\n${problem}`, { tool: name })
}
