/** Composes the messages of the outbox from what is known at the moment of sending. */

import type { NotificationSettings } from '../protocol/notification/settings.js'
import type { Language } from '../protocol/notification/user.js'
import type { Store } from '../store/port.js'
import type { AnswerTokens } from './answer-token.js'
import type { ChannelPort, OutgoingMessage, SettledMessage } from './channel/port.js'
import { type Audience, composeMessage, composeSettled, type Subject } from './compose.js'
import type { Directory, KnownChannel } from './directory.js'
import type { Matter } from './matter.js'
import type { OutboxRow } from './outbox-row.js'

export interface ComposerDeps {
  store: Store
  directory: Directory
  tokens: AnswerTokens
  settings: NotificationSettings
  /** The address of the dashboard, without a slash at its end. */
  base(): string
  portOf(channel: KnownChannel): ChannelPort
  redact(text: string): Promise<string>
  signal: AbortSignal
}

export class Composer {
  readonly #deps: ComposerDeps

  constructor(deps: ComposerDeps) {
    this.#deps = deps
  }

  languageOf(user: string, channel: KnownChannel | null = null): Language {
    const { directory, settings } = this.#deps
    return channel?.device?.language ?? directory.user(user)?.language ?? settings.language
  }

  async message(row: OutboxRow, matters: readonly Matter[]): Promise<OutgoingMessage | null> {
    const { directory, tokens, redact } = this.#deps
    const channel = directory.channel(row.channel)
    return composeMessage(row, await this.#subjectsOf(matters), await this.#audienceOf(row, channel), {
      redact,
      issue: (request, decisions) =>
        tokens.issue(
          request,
          { user: row.user, channel: row.channel, isForPresses: channel?.kind === 'telegram' },
          decisions,
        ),
    })
  }

  async settled(row: OutboxRow): Promise<SettledMessage> {
    const { store, directory } = this.#deps
    const [subject] = row.subjects
    const session = subject ? await store.session(subject.sessionId) : null
    const requestId = row.settled?.requestId ?? subject?.requestId ?? null
    const request = requestId === null ? null : await store.request(requestId)
    const language = this.languageOf(row.user, directory.channel(row.channel))
    return composeSettled(row, { session, request }, language, this.#deps)
  }

  /** Sessions that were deleted meanwhile are left out. */
  async #subjectsOf(matters: readonly Matter[]): Promise<Subject[]> {
    const { store } = this.#deps
    const found = await Promise.all(
      matters.map(async (matter) => {
        const session = await store.session(matter.sessionId)
        const request = matter.requestId === null ? null : await store.request(matter.requestId)
        return session && (matter.requestId === null || request) ? [{ matter, session, request }] : []
      }),
    )
    return found.flat()
  }

  async #audienceOf({ user }: OutboxRow, channel: KnownChannel | null): Promise<Audience> {
    const { settings, directory, portOf, base, signal } = this.#deps
    const isTitlesOnly = settings.isTitlesOnly || channel?.settings?.isTitlesOnly === true
    // Fail closed: who reads the channel is unknown until the service has said so.
    const isPrivate =
      channel !== null &&
      !isTitlesOnly &&
      (await portOf(channel)
        .isPrivate(signal)
        .catch(() => false))
    return {
      language: this.languageOf(user, channel),
      may: channel ? directory.may(channel) : 'see',
      isTitlesOnly: !isPrivate,
      base: base(),
    }
  }
}
