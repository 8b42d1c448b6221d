/** Acts on presses and replies in Telegram: checks who it is, each time, and what that user may do. */

import type { Hub } from '../../hub/port.js'
import { HubError } from '../../protocol/error.js'
import type { SettingsOf } from '../../protocol/notification/channel.js'
import { type Language, leastOf, type May, mayAtLeast } from '../../protocol/notification/user.js'
import { sessionName } from '../../protocol/view/session-name.js'
import type { AnswerTokens } from '../answer-token.js'
import { say } from '../text/text.js'
import type { Intent } from './update.js'

export interface ConversationDeps {
  hub: Hub
  tokens: AnswerTokens
  /** Channels of the bot that are in use. */
  channels(): readonly TelegramChannel[]
  mayOf(user: string): May
  languageOf(user: string): Language
  /** The session that a delivered message was about. */
  sessionOf(channel: string, messageId: string): Promise<string | null>
  onFault(error: unknown): void
}

export interface TelegramChannel {
  name: string
  may: May
  settings: SettingsOf<'telegram'>
}

export function createConversation(deps: ConversationDeps) {
  const { hub, tokens, channels, mayOf, languageOf, sessionOf, onFault } = deps

  /** The user behind a Telegram account in this chat; null for a stranger. */
  function findSender({ chat, from }: { chat: number; from: number }) {
    for (const { name, may, settings } of channels()) {
      if (settings.chat !== chat) continue
      // The id of a private chat is that of its user.
      const user = settings.users ? settings.users[String(from)] : chat === from ? settings.user : undefined
      if (user !== undefined) return { channel: name, user, may: leastOf(may, mayOf(user)) }
    }
    return null
  }

  /** Null: a stranger gets no reply. */
  return async (intent: Intent & { kind: 'press' | 'reply' }): Promise<string | null> => {
    const sender = findSender(intent)
    if (!sender) return null
    const language = languageOf(sender.user)
    const refuse = (reason: string) => say(language, 'reply_refused', { reason })
    try {
      if (!mayAtLeast(sender.may, intent.kind === 'press' ? 'answer' : 'message'))
        return refuse(say(language, 'reply_no_right'))
      if (intent.kind === 'press') {
        await tokens.answer(intent.token, intent.decision, { channel: sender.channel, who: sender.user })
        return say(language, intent.decision === 'allow' ? 'reply_allowed' : 'reply_denied')
      }
      const sessionId = await sessionOf(sender.channel, intent.messageId)
      const session = sessionId === null ? null : await hub.session(sessionId)
      if (!session) return refuse(say(language, 'reply_unknown'))
      // An order to an agent that runs without asking needs an admin.
      if (session.permissionMode === 'bypassPermissions') return refuse(say(language, 'reply_no_right'))
      await hub.send(
        session.id,
        { text: intent.text, idempotencyKey: `telegram ${intent.chat} ${intent.updateId}` },
        { who: sender.user, via: 'channel', channel: sender.channel, role: 'operator' },
      )
      return say(language, 'reply_sent', { name: sessionName(session) })
    } catch (error) {
      if (!(error instanceof HubError)) onFault(error)
      return refuse(error instanceof HubError ? error.message : 'internal error.')
    }
  }
}
