/** The Bot API of Telegram, as far as it is used here. The token is part of the address: it never shows in an error. */

import { type GuardedClient, OutboundError, type OutboundReply } from '../../lib/net/guarded-client.js'
import { withoutTrailingSlash } from '../../lib/text/trailing-slash.js'
import { outboundProblem } from '../channel/http.js'
import { DeliveryError } from '../channel/port.js'

export interface BotApi {
  /** Resolves with `result`. Rejects with a `DeliveryError`. */
  call(
    method: string,
    body: object,
    options: { signal: AbortSignal; timeoutMs?: number; maxBytes?: number },
  ): Promise<unknown>
}

export function createBotApi(client: GuardedClient, { url, token }: { url: string; token: string }): BotApi {
  const base = `${withoutTrailingSlash(url)}/bot${token}`
  return {
    async call(method, body, { signal, timeoutMs, maxBytes }) {
      const reply = await client
        .request({
          method: 'POST',
          url: `${base}/${method}`,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          signal,
          ...(timeoutMs !== undefined && { timeoutMs }),
          ...(maxBytes !== undefined && { maxBytes }),
        })
        .catch((error: unknown) => {
          throw error instanceof OutboundError ? outboundProblem(error) : error
        })
      const said = parse(reply.body)
      if (reply.status === 200 && said?.ok === true) return said.result
      throw problemOf(reply, said)
    },
  }
}

interface Said {
  ok?: unknown
  result?: unknown
  description?: unknown
  parameters?: { retry_after?: unknown }
}

function problemOf({ status }: OutboundReply, said: Said | null): DeliveryError {
  const words = typeof said?.description === 'string' ? `: ${said.description.slice(0, 200)}` : ''
  const text = `Telegram answered ${status}${words}.`
  const seconds = said?.parameters?.retry_after
  if (status === 429)
    return new DeliveryError('later', text, {
      retryAfterMs: typeof seconds === 'number' ? Math.min(3_600, Math.max(1, seconds)) * 1_000 : null,
    })
  if (status === 401 || status === 404)
    return new DeliveryError('never', `${text} Check the token of the bot.`)
  if (status === 403)
    return new DeliveryError('never', `${text} Open the chat with the bot in Telegram and press Start.`)
  if (status === 400) return new DeliveryError('never', `${text} Check the id of the chat.`)
  if (status === 409)
    return new DeliveryError(
      'later',
      `${text} Another program uses this bot. Use a bot of its own for Signalbox.`,
    )
  return new DeliveryError('later', text)
}

function parse(body: Buffer): Said | null {
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? value : null
  } catch {
    return null
  }
}
