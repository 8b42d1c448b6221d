/** The bots of all Telegram channels: one poller for each token, since Telegram accepts no second one. */

import type { Hub } from '../../hub/port.js'
import type { Clock } from '../../lib/clock.js'
import type { GuardedClient } from '../../lib/net/guarded-client.js'
import type { Language } from '../../protocol/notification/user.js'
import type { Store } from '../../store/port.js'
import type { AnswerTokens } from '../answer-token.js'
import type { DeliveryError } from '../channel/port.js'
import type { ChannelStates } from '../channel-state.js'
import type { Directory } from '../directory.js'
import { HISTORY, type OutboxRow } from '../outbox-row.js'
import { createBotApi } from './bot-api.js'
import { createConversation, type TelegramChannel } from './conversation.js'
import { type Poller, startPoller } from './poller.js'

export interface TelegramBotsDeps {
  hub: Hub
  tokens: AnswerTokens
  directory: Directory
  states: ChannelStates
  store: Store
  clock: Clock
  client: GuardedClient
  languageOf(user: string): Language
  onFault(error: unknown): void
}

/** Messages among which the one that a reply belongs to is looked for. */
const MAX_SEARCHED = 500

export class TelegramBots {
  readonly #deps: TelegramBotsDeps
  readonly #pollers = new Map<string, Poller>()

  constructor(deps: TelegramBotsDeps) {
    this.#deps = deps
  }

  /** Starts and stops pollers as the channels say. */
  sync(): void {
    const channels = this.#channels()
    for (const [key, poller] of this.#pollers) {
      if (channels.some(({ settings }) => keyOf(settings) === key)) continue
      this.#pollers.delete(key)
      poller.close().catch(this.#deps.onFault)
    }
    for (const { settings } of channels)
      if (!this.#pollers.has(keyOf(settings))) this.#pollers.set(keyOf(settings), this.#start(settings))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pollers.values()].map((poller) => poller.close()))
    this.#pollers.clear()
  }

  /** Those that are in use. */
  #channels(): TelegramChannel[] {
    const { directory, states } = this.#deps
    return directory.channels().flatMap((channel) => {
      const { name, settings } = channel
      const isUsed = settings?.kind === 'telegram' && !states.of(name).isPaused
      return isUsed ? [{ name, may: channel.may, settings }] : []
    })
  }

  #start({ url, token }: TelegramChannel['settings']): Poller {
    const { client, clock, store, directory } = this.#deps
    const ofBot = () => this.#channels().filter(({ settings }) => settings.token === token)
    return startPoller({
      api: createBotApi(client, { url, token }),
      token,
      store,
      clock,
      handle: createConversation({
        ...this.#deps,
        channels: ofBot,
        mayOf: (user) => directory.user(user)?.may ?? 'see',
        sessionOf: (channel, messageId) => this.#sessionOf(channel, messageId),
      }),
      // Buttons and replies do not work meanwhile, which users should see.
      onProblem: (error) => this.#note(token, error),
      onRecovered: () => this.#note(token, null),
      onFault: this.#deps.onFault,
    })
  }

  async #note(token: string, error: DeliveryError | null): Promise<void> {
    const { states } = this.#deps
    for (const { name, settings } of this.#channels())
      if (settings.token === token) await (error ? states.note(name, error) : states.recover(name))
  }

  async #sessionOf(channel: string, messageId: string): Promise<string | null> {
    const rows = await this.#deps.store.records(HISTORY, { limit: MAX_SEARCHED })
    const sent = rows
      .map(({ body }) => body as OutboxRow)
      .find((row) => row.channel === channel && row.receipt === messageId && row.subjects.length === 1)
    return sent?.subjects[0]?.sessionId ?? null
  }
}

function keyOf({ url, token }: TelegramChannel['settings']): string {
  return `${url} ${token}`
}
