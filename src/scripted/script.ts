/** The format of scripts, and how they are read. A script is YAML, JSON or the same as values. */

import { parse as parseYaml } from 'yaml'
import { z } from 'zod'

const Milliseconds = z.number().min(0).max(600_000)

const Usage = z.strictObject({
  input_tokens: z.int().min(0).optional(),
  output_tokens: z.int().min(0).optional(),
  cache_read_input_tokens: z.int().min(0).optional(),
  cache_creation_input_tokens: z.int().min(0).optional(),
})

const Pace = {
  /** Characters in one delta. */
  chunk: z.int().min(1).optional(),
  /** Wait before each delta. On a step of its own: wait once. */
  delayMs: Milliseconds.optional(),
}

const TextStep = z.strictObject({ text: z.string(), ...Pace })
const ThinkingStep = z.strictObject({ thinking: z.string(), ...Pace })
const ToolStep = z.strictObject({
  tool: z.string().min(1),
  input: z.unknown().optional(),
  id: z.string().min(1).optional(),
  ...Pace,
})
const ErrorStep = z.strictObject({
  /** An HTTP status, or after the first block an `error` event in the stream. */
  error: z.int().min(400).max(599),
  message: z.string().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})
const CutStep = z.strictObject({ cut: z.literal(true) })
const WaitStep = z.strictObject({ delayMs: Milliseconds })
const StopStep = z.strictObject({
  stop: z.enum(['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal']),
})

export const Step = z.union([TextStep, ThinkingStep, ToolStep, ErrorStep, CutStep, StopStep, WaitStep])
export type Step = z.infer<typeof Step>

const When = z.strictObject({
  /** In the text of the latest user message. */
  user: z.string().optional(),
  /** The latest user message carries a result of this tool; "*": of any tool. */
  toolResult: z.string().optional(),
  /** Narrows `toolResult` to failed or successful results. */
  isError: z.boolean().optional(),
  /** In a message that was put into the running turn. */
  injected: z.string().optional(),
  /** In the system prompt or the first message: distinguishes subagents. */
  agent: z.string().optional(),
  model: z.string().optional(),
  /** The n-th request to the server. */
  call: z.int().min(1).optional(),
})
export type When = z.infer<typeof When>

const Rule = z.strictObject({
  when: When.default({}),
  times: z.int().min(1).optional(),
  reply: z.array(Step),
  usage: Usage.optional(),
})
export type Rule = z.infer<typeof Rule>

export const Script = z.strictObject({
  name: z.string().optional(),
  defaults: z.strictObject({ ...Pace, usage: Usage.optional() }).default({}),
  rules: z.array(Rule).min(1),
})
export type Script = z.infer<typeof Script>
/** A script as one writes it: defaults may be left out. */
export type ScriptInput = z.input<typeof Script>

/** Reads a script from text. Throws an error that names the place and what is expected there. */
export function readScript(text: string): Script {
  return checkScript(parseYaml(text))
}

export function checkScript(value: unknown): Script {
  const result = Script.safeParse(value)
  if (result.success) return result.data
  throw new Error(
    `Not a valid script for the scripted model (docs/scripted-model.md describes the format):\n${z.prettifyError(result.error)}`,
  )
}
