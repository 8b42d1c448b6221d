/** Messages to a Telegram chat. Plain text: nothing that an agent writes becomes markup. */

import { cutText } from '../../lib/text/truncate.js'
import type { SettingsOf } from '../../protocol/notification/channel.js'
import type { ChannelPort, OutgoingMessage } from '../channel/port.js'
import type { BotApi } from './bot-api.js'

const MAX_TEXT = 4_000

export function createTelegram({ chat }: Pick<SettingsOf<'telegram'>, 'chat'>, api: BotApi): ChannelPort {
  return {
    async send(message, signal) {
      const result = await api.call('sendMessage', { chat_id: chat, ...contentOf(message) }, { signal })
      const { message_id: id } = (result ?? {}) as { message_id?: unknown }
      return { receipt: typeof id === 'number' ? String(id) : null }
    },
    async withdraw({ receipt, title, text }, signal) {
      if (receipt === null) return
      // Without a keyboard: the buttons are gone.
      const body = {
        chat_id: chat,
        message_id: Number(receipt),
        text: cutText(`${title}\n${text}`, MAX_TEXT),
      }
      await api.call('editMessageText', body, { signal })
    },
    // Members of the chat read it; who may press a button is checked for each press.
    isPrivate: async () => true,
  }
}

/** The link needs a login: all members of a chat can follow it, and only some may answer. */
function contentOf({ title, body, url, actions, openLabel }: OutgoingMessage): object {
  const buttons = actions.map(({ decision, label, token }) => ({
    text: label,
    callback_data: `${decision === 'allow' ? 'a' : 'd'}${token}`,
  }))
  // Telegram refuses buttons with addresses that only this machine or a network knows.
  const open = /^https:\/\/[^/]+\.[a-z]/i.test(url) ? [{ text: openLabel, url }] : []
  const keyboard = [buttons, open].filter((row) => row.length > 0)
  return {
    text: cutText(body === '' ? title : `${title}\n\n${body}`, MAX_TEXT),
    link_preview_options: { is_disabled: true },
    ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
  }
}
