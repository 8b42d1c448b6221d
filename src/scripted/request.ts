/** A request to the Messages API, as far as the scripted model reads it, and what a rule can ask about it. */

import { z } from 'zod'

const Block = z.looseObject({ type: z.string() })
export type Block = z.infer<typeof Block>

const Message = z.looseObject({
  // The CLI also sends "system" messages between the others.
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(Block)]),
})
export type Message = z.infer<typeof Message>

export const MessagesRequest = z.looseObject({
  model: z.string().min(1),
  max_tokens: z.int().min(1),
  messages: z.array(Message).min(1),
  system: z.union([z.string(), z.array(Block)]).optional(),
  tools: z.array(z.looseObject({ name: z.string().optional() })).optional(),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
})
export type MessagesRequest = z.infer<typeof MessagesRequest>

export interface RequestFacts {
  model: string
  system: string
  firstUser: string
  user: string
  injected: string
  /** All messages of the user, oldest first. */
  history: string
  /** The folder that the session works in, as the CLI names it to the model. */
  cwd: string
  toolResults: readonly { name: string; isError: boolean; text: string }[]
}

export function readFacts(request: MessagesRequest): RequestFacts {
  const { messages } = request
  const lastUser = messages.findLastIndex((message) => message.role === 'user')
  const firstUser = messages.find((message) => message.role === 'user')
  const latest = messages[lastUser]
  const latestText = latest ? textOf(latest.content) : ''
  const behind = messages.slice(lastUser + 1).filter((message) => message.role === 'system')
  return {
    model: request.model,
    system: textOf(request.system ?? ''),
    firstUser: firstUser ? textOf(firstUser.content) : '',
    user: latestText.replaceAll(INJECTED, '').trim(),
    injected: [latestText, ...behind.map((message) => textOf(message.content))]
      .flatMap(injectedIn)
      .join('\n'),
    history: messages
      .filter((message) => message.role === 'user')
      .map((message) => textOf(message.content))
      .filter((text) => text !== '')
      .join(' | '),
    cwd: findFolder(request),
    toolResults: latest ? readToolResults(latest, toolNames(messages)) : [],
  }
}

// How the CLI (2.1.325) hands over a message that was sent during a turn: behind the tool result, or in a system message.
const INJECTED = 'The user sent a new message while you were working:\n'
const EXPLAINED = '\n\nThis is how Claude Code surfaces'

function injectedIn(text: string): string[] {
  const start = text.indexOf(INJECTED)
  if (start < 0) return []
  const message = text.slice(start + INJECTED.length)
  const end = message.indexOf(EXPLAINED)
  return [end < 0 ? message : message.slice(0, end)]
}

/** The text as a user would read it: text blocks only, without the parts that the CLI adds for the model. */
function textOf(content: string | readonly Block[]): string {
  const text = without(rawText(content), '<system-reminder>', '</system-reminder>')
  return without(text, '[Request interrupted by user', ']').trim()
}

/** The text without each part from `start` to `end`; a part that does not end stays. */
function without(text: string, start: string, end: string): string {
  let result = ''
  let copied = 0
  for (let from = text.indexOf(start); from >= 0; from = text.indexOf(start, copied)) {
    const to = text.indexOf(end, from)
    if (to < 0) break
    result += text.slice(copied, from)
    copied = to + end.length
  }
  return result + text.slice(copied)
}

function rawText(content: string | readonly Block[]): string {
  if (typeof content === 'string') return content
  return content
    .filter((block) => block.type === 'text' && typeof block['text'] === 'string')
    .map((block) => block['text'])
    .join('\n')
}

function findFolder({ system, messages }: MessagesRequest): string {
  const texts = [system ?? '', ...messages.map((message) => message.content)].map(rawText)
  return (
    texts.map((text) => /working directory: (.+)/i.exec(text)?.[1] ?? '').find((folder) => folder !== '') ??
    ''
  )
}

function toolNames(messages: readonly Message[]): Map<string, string> {
  const names = new Map<string, string>()
  for (const message of messages) {
    for (const block of blocksOf(message)) {
      if (block.type === 'tool_use') names.set(String(block['id']), String(block['name']))
    }
  }
  return names
}

function readToolResults(message: Message, names: Map<string, string>): RequestFacts['toolResults'] {
  return blocksOf(message)
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      name: names.get(String(block['tool_use_id'])) ?? '',
      isError: block['is_error'] === true,
      text: resultText(block['content']),
    }))
}

function resultText(content: unknown): string {
  if (typeof content === 'string') return textOf(content)
  const blocks = z.array(Block).safeParse(content)
  return blocks.success ? textOf(blocks.data) : ''
}

export function blocksOf(message: Message): readonly Block[] {
  return typeof message.content === 'string' ? [] : message.content
}
