/** Refuses what the real Messages API refuses, so that a test fails here and not in production. */

import { z } from 'zod'
import { type Block, blocksOf, type Message, MessagesRequest } from './request.js'

export interface Refusal {
  status: number
  type: string
  message: string
}

export type Checked = { request: MessagesRequest } | { refusal: Refusal }

export function checkRequest(body: unknown): Checked {
  const parsed = MessagesRequest.safeParse(body)
  if (!parsed.success) return { refusal: invalid(describe(parsed.error)) }
  const problem = findProblem(parsed.data)
  return problem ? { refusal: invalid(problem) } : { request: parsed.data }
}

export function checkHeaders(headers: Readonly<Record<string, unknown>>): Refusal | null {
  if (!headers['x-api-key'] && !headers['authorization']) {
    return { status: 401, type: 'authentication_error', message: 'x-api-key header is required' }
  }
  if (!headers['anthropic-version']) return invalid('anthropic-version: header is required')
  return null
}

function invalid(message: string): Refusal {
  return { status: 400, type: 'invalid_request_error', message }
}

function describe(error: z.ZodError): string {
  const [issue] = error.issues
  return issue ? `${issue.path.join('.') || 'body'}: ${issue.message}` : 'body: not a request'
}

function findProblem({ messages, tools }: MessagesRequest): string | null {
  const first = messages.find((message) => message.role !== 'system')
  if (first?.role !== 'user') return 'messages: first message must use the "user" role'
  return findBadTool(tools ?? []) ?? findBadContent(messages) ?? findUnpairedTool(messages)
}

function findBadTool(tools: NonNullable<MessagesRequest['tools']>): string | null {
  const names = tools.map((tool) => tool.name ?? '')
  const bad = names.findIndex((name) => !/^[a-zA-Z0-9_-]{1,128}$/.test(name))
  if (bad >= 0) return `tools.${bad}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`
  if (new Set(names).size < names.length) return 'tools: Tool names must be unique.'
  return null
}

function findBadContent(messages: readonly Message[]): string | null {
  for (const [index, message] of messages.entries()) {
    const isLastAssistant = message.role === 'assistant' && index === messages.length - 1
    if (message.content.length === 0 && !isLastAssistant)
      return `messages.${index}: must have non-empty content`
    for (const [place, block] of blocksOf(message).entries()) {
      const problem = blockProblem(block)
      if (problem) return `messages.${index}.content.${place}.${problem}`
    }
  }
  return null
}

function blockProblem(block: Block): string | null {
  switch (block.type) {
    case 'text':
      if (typeof block['text'] !== 'string') return 'text.text: Field required'
      return block['text'] === '' ? 'text: text content blocks must be non-empty' : null
    case 'tool_use':
      if (!isText(block['id']) || !isText(block['name'])) return 'tool_use: id and name are required'
      return isRecord(block['input']) ? null : 'tool_use.input: Input should be a valid dictionary'
    case 'tool_result':
      return isText(block['tool_use_id']) ? null : 'tool_result.tool_use_id: Field required'
    case 'image':
      return isRecord(block['source']) ? null : 'image.source: Field required'
    default:
      return null
  }
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Each tool call is answered in the next user message, and each answer has its call. */
function findUnpairedTool(messages: readonly Message[]): string | null {
  const seen = new Set<string>()
  let open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system') continue
    if (message.role === 'user') {
      for (const block of blocksOf(message)) {
        if (block.type !== 'tool_result') continue
        const id = String(block['tool_use_id'])
        if (!open.delete(id)) return unexpectedResult(index, id)
      }
    }
    if (open.size > 0) return missingResult(index - 1, open)
    if (message.role !== 'assistant') continue
    for (const block of blocksOf(message)) {
      if (block.type !== 'tool_use') continue
      const id = String(block['id'])
      if (seen.has(id)) return `messages.${index}: \`tool_use\` ids must be unique: ${id}`
      seen.add(id)
      open = open.add(id)
    }
  }
  return null
}

function unexpectedResult(index: number, id: string): string {
  return `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
}

function missingResult(index: number, open: ReadonlySet<string>): string {
  return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...open].join(', ')}.`
}
