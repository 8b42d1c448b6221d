/** The Bot API of Telegram, as far as it is used: long polling, messages, edits, answers to presses. */

import { json, type PlannedReply, startFakeService } from './fake-service.js'

export const BOT_TOKEN = `7000:${'B'.repeat(35)}`

interface Update {
  update_id: number
  [field: string]: unknown
}

export async function startFakeTelegram({ pollMs = 30 } = {}) {
  const updates: Update[] = []
  const calls: { method: string; body: Record<string, unknown> }[] = []
  let nextUpdate = 500
  let nextMessage = 100
  /** Updates come again although they were confirmed. */
  let repeats = false
  let polls = 0

  const service = await startFakeService(async ({ path, body }): Promise<PlannedReply> => {
    const method = path.replace(`/bot${BOT_TOKEN}/`, '')
    if (method === path) return json({ ok: false, error_code: 401, description: 'Unauthorized' }, 401)
    const given = JSON.parse(body) as Record<string, unknown>
    if (method === 'getUpdates') {
      polls += 1
      const waiting = () => updates.filter(({ update_id: id }) => repeats || id >= Number(given['offset']))
      if (waiting().length === 0) await new Promise((resolve) => setTimeout(resolve, pollMs))
      // As Telegram does: at most this many, with everything beyond ASCII escaped.
      return {
        status: 200,
        body: escaped({ ok: true, result: waiting().slice(0, Number(given['limit'] ?? 100)) }),
      }
    }
    calls.push({ method, body: given })
    const result = method === 'sendMessage' ? { message_id: (nextMessage += 1) } : true
    return json({ ok: true, result })
  })

  const from = (id: number) => ({ id, is_bot: false, first_name: 'x' })
  const add = (update: object) => {
    updates.push({ update_id: (nextUpdate += 1), ...update })
    return nextUpdate
  }
  return {
    url: service.url,
    service,
    calls,
    polls: () => polls,
    sent: () => calls.filter(({ method }) => method === 'sendMessage').map(({ body }) => body),
    repeatUpdates: () => {
      repeats = true
    },
    add,
    /** A press of the button with this data, below a message of a chat. */
    press(
      data: string,
      { chat = 11, user = 11, message = {} }: { chat?: number; user?: number; message?: object } = {},
    ) {
      return add({
        callback_query: {
          id: `q${nextUpdate}`,
          from: from(user),
          data,
          message: {
            message_id: nextMessage,
            date: Math.floor(Date.now() / 1_000),
            chat: { id: chat },
            ...message,
          },
        },
      })
    },
    reply(
      text: string,
      to: number,
      { chat = 11, user = 11, message = {} }: { chat?: number; user?: number; message?: object } = {},
    ) {
      return add({
        message: {
          message_id: (nextMessage += 1),
          date: Math.floor(Date.now() / 1_000),
          chat: { id: chat },
          from: from(user),
          text,
          reply_to_message: { message_id: to },
          ...message,
        },
      })
    },
  }
}

function escaped(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
