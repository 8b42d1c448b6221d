/** Parses updates of Telegram. Pure. Fails closed: whatever is not plainly a press or a reply is ignored. */

import { z } from 'zod'

const Chat = z.looseObject({ id: z.int() })
const From = z.looseObject({ id: z.int(), is_bot: z.boolean().optional() })

const Message = z.looseObject({
  message_id: z.int(),
  date: z.int(),
  chat: Chat,
  from: From.optional(),
  text: z.string().optional(),
  reply_to_message: z.looseObject({ message_id: z.int() }).optional(),
})

const Update = z.looseObject({
  update_id: z.int(),
  message: Message.optional(),
  callback_query: z
    .looseObject({ id: z.string(), from: From, data: z.string().optional(), message: Message.optional() })
    .optional(),
})

export type Intent =
  | {
      kind: 'press'
      updateId: number
      queryId: string
      chat: number
      from: number
      decision: 'allow' | 'deny'
      token: string
    }
  | { kind: 'reply'; updateId: number; chat: number; from: number; messageId: string; text: string }
  | { kind: 'none'; updateId: number | null; queryId?: string }

/** A message that lay at Telegram for longer than this, as while the daemon was down, is not acted on. */
const MAX_AGE_MS = 10 * 60_000
const FORWARDED = [
  'forward_origin',
  'forward_from',
  'forward_from_chat',
  'forward_date',
  'via_bot',
  'sender_chat',
]

export function intentOf(value: unknown, now: number): Intent {
  const parsed = Update.safeParse(value)
  if (!parsed.success) return { kind: 'none', updateId: idIn(value) }
  const { update_id: updateId, message, callback_query: query } = parsed.data
  if (query) return pressOf(query, updateId)
  const text = message?.text?.trim() ?? ''
  const isPlain = message?.from !== undefined && !message.from.is_bot && text !== '' && !isForwarded(message)
  if (!message?.from || !isPlain || !message.reply_to_message || message.date * 1_000 < now - MAX_AGE_MS)
    return { kind: 'none', updateId }
  const messageId = String(message.reply_to_message.message_id)
  return { kind: 'reply', updateId, chat: message.chat.id, from: message.from.id, messageId, text }
}

/** The age of a press does not matter: its token expires. */
function pressOf(query: NonNullable<z.infer<typeof Update>['callback_query']>, updateId: number): Intent {
  const { id: queryId, from, data = '', message } = query
  const [, letter, token] = /^([ad])(sba_[\w-]{43})$/.exec(data) ?? []
  if (!message || from.is_bot || token === undefined || isForwarded(message))
    return { kind: 'none', updateId, queryId }
  const decision = letter === 'a' ? 'allow' : 'deny'
  return { kind: 'press', updateId, queryId, chat: message.chat.id, from: from.id, decision, token }
}

function isForwarded(message: z.infer<typeof Message>): boolean {
  return FORWARDED.some(
    (field) => message[field] !== undefined && !(field === 'sender_chat' && isOwnChat(message)),
  )
}

/** Telegram names the chat itself as the sender of a bot's message in a channel. */
function isOwnChat({ sender_chat: sender, chat }: z.infer<typeof Message>): boolean {
  return (sender as { id?: unknown } | undefined)?.id === chat.id
}

function idIn(value: unknown): number | null {
  const { update_id: id } = (value ?? {}) as { update_id?: unknown }
  return Number.isInteger(id) ? (id as number) : null
}
