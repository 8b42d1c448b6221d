/** Converts the return value of a tool to the content that the agent reads: text, JSON as text, and images. */

import { z } from 'zod'
import { cutText, wellFormed } from '../lib/text/truncate.js'

const MAX_TEXT = 1_000_000
const MAX_IMAGE_BYTES = 3_750_000

const ImageType = z.enum(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
export type ImageType = z.infer<typeof ImageType>

const Text = z.strictObject({ type: z.literal('text'), text: z.string() })
const Image = z.strictObject({
  type: z.literal('image'),
  data: z.union([z.base64().min(1), z.instanceof(Uint8Array)]),
  mimeType: ImageType,
})
const Part = z.discriminatedUnion('type', [Text, Image])
const Whole = z.strictObject({ content: z.array(Part).min(1), isError: z.boolean().optional() })

/** A part of a result, as MCP has it. */
export type ToolContent =
  | { type: 'text'; text: string }
  | { type: 'image'; data: string; mimeType: ImageType }

export interface ToolResult {
  content: ToolContent[]
  isError: boolean
}

/**
 * A string is text; a part, a list of parts and `{ content, isError }` are used as they are; every other
 * value is JSON. A value without JSON, such as undefined or a function, makes a failed result that says so.
 */
export function resultOf(output: unknown): ToolResult {
  const whole = Whole.safeParse(output)
  if (whole.success) return fromParts(whole.data.content, whole.data.isError ?? false)
  const parts = z.union([Part.transform((part) => [part]), z.array(Part).min(1)]).safeParse(output)
  if (parts.success) return fromParts(parts.data, false)
  if (typeof output === 'string') return fromParts([{ type: 'text', text: output }], false)
  const json = jsonOf(output)
  if (json === null) return failedResult(`The tool returned ${describe(output)}, which cannot be shown.`)
  return fromParts([{ type: 'text', text: json }], false)
}

export function failedResult(text: string): ToolResult {
  return { content: [{ type: 'text', text: bounded(text) }], isError: true }
}

function fromParts(parts: readonly z.infer<typeof Part>[], isError: boolean): ToolResult {
  const content = parts.map(contentOf)
  const tooLarge = content.some((part) => part === null)
  if (tooLarge) return failedResult(`The tool returned an image of more than ${MAX_IMAGE_BYTES} bytes.`)
  // An empty text is refused by the model's API.
  const visible = content.filter((part) => part !== null && !(part.type === 'text' && part.text === ''))
  return {
    content: visible.length > 0 ? (visible as ToolContent[]) : [{ type: 'text', text: '(no output)' }],
    isError,
  }
}

function contentOf(part: z.infer<typeof Part>): ToolContent | null {
  if (part.type === 'text') return { type: 'text', text: bounded(part.text) }
  const data = typeof part.data === 'string' ? part.data : Buffer.from(part.data).toString('base64')
  return data.length > (MAX_IMAGE_BYTES * 4) / 3 ? null : { ...part, data }
}

function jsonOf(value: unknown): string | null {
  if (value instanceof Uint8Array) return null
  try {
    // The type declaration is wrong: undefined, functions and symbols have no JSON at all.
    const json: string | undefined = JSON.stringify(value, null, 2)
    return json ?? null
  } catch {
    return null
  }
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value instanceof Uint8Array) return 'bytes'
  return typeof value === 'object' ? 'an object without a JSON form' : `a ${typeof value}`
}

function bounded(text: string): string {
  const shown = wellFormed(cutText(text, MAX_TEXT))
  return text.length <= MAX_TEXT ? shown : `${shown}\n[cut: ${text.length - MAX_TEXT} more characters]`
}
