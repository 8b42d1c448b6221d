import { expect, test } from 'vitest'
import { BOT_TOKEN, startFakeTelegram } from '../../../test/support/fake-telegram.js'
import { createGuardedClient } from '../../lib/net/guarded-client.js'
import { aMessage, anAnswerable, aSettled, calm, channelSuite, TOKEN } from '../channel/channel-suite.js'
import { createBotApi } from './bot-api.js'
import { createTelegram } from './telegram.js'
import { intentOf } from './update.js'

const client = createGuardedClient({ privateAddresses: ['127.0.0.1'] })

async function open() {
  const telegram = await startFakeTelegram()
  const port = createTelegram({ chat: 11 }, createBotApi(client, { url: telegram.url, token: BOT_TOKEN }))
  return {
    port,
    telegram,
    service: telegram.service,
    received: () => telegram.sent().map(() => aMessage().id),
  }
}

channelSuite('telegram', open)

test('a message is plain text with buttons, and is replaced when it is settled', async () => {
  const { port, telegram } = await open()

  const { receipt } = await port.send(anAnswerable({ body: '<b>*bold*</b> [x](https://evil.example)' }), calm)
  await port.withdraw?.(aSettled({ receipt }), calm)

  expect(telegram.calls).toEqual([
    {
      method: 'sendMessage',
      body: {
        chat_id: 11,
        text: 'Fix login needs permission\n\n<b>*bold*</b> [x](https://evil.example)',
        link_preview_options: { is_disabled: true },
        reply_markup: {
          inline_keyboard: [
            [
              { text: 'Allow', callback_data: `a${TOKEN}` },
              { text: 'Deny', callback_data: `d${TOKEN}` },
            ],
            // The link answers nothing: all members of a chat can follow it.
            [{ text: 'Open', url: 'https://box.example.com/requests/per_1' }],
          ],
        },
      },
    },
    {
      method: 'editMessageText',
      body: { chat_id: 11, message_id: Number(receipt), text: 'Fix login\nAllowed by kim.' },
    },
  ])
})

test('a link that only this machine knows is left out: Telegram would refuse the whole message', async () => {
  const { port, telegram } = await open()
  await port.send(aMessage({ url: 'http://127.0.0.1:4747/requests/per_1' }), calm)
  expect(telegram.sent()[0]).not.toHaveProperty('reply_markup')
})

test('the token of the bot is in no error', async () => {
  const api = createBotApi(client, {
    url: (await startFakeTelegram()).url,
    token: '1:wrong-wrong-wrong-wrong',
  })
  const error = await api.call('sendMessage', {}, { signal: calm }).catch((problem: unknown) => problem)
  expect(String(error)).toContain('401')
  expect(String(error)).not.toContain('wrong')
})

const NOW = Date.UTC(2026, 10, 15, 12)
const chat = { id: 11 }
const from = { id: 11, is_bot: false }
const message = { message_id: 5, date: NOW / 1_000, chat }
const reply = { ...message, from, text: ' hi ', reply_to_message: { message_id: 4 } }
const press = { id: 'q', from, data: `a${TOKEN}`, message }

test('a press and a reply are understood', () => {
  expect(intentOf({ update_id: 7, callback_query: press }, NOW)).toEqual({
    kind: 'press',
    updateId: 7,
    queryId: 'q',
    chat: 11,
    from: 11,
    decision: 'allow',
    token: TOKEN,
  })
  expect(intentOf({ update_id: 7, callback_query: { ...press, data: `d${TOKEN}` } }, NOW)).toMatchObject({
    decision: 'deny',
  })
  expect(intentOf({ update_id: 8, message: reply }, NOW)).toEqual({
    kind: 'reply',
    updateId: 8,
    chat: 11,
    from: 11,
    messageId: '4',
    text: 'hi',
  })
})

test.each([
  ['no reply', { message: { ...reply, reply_to_message: undefined } }],
  ['forwarded', { message: { ...reply, forward_origin: { type: 'user' } } }],
  ['forwarded, in the old form', { message: { ...reply, forward_date: 1 } }],
  ['through another bot', { message: { ...reply, via_bot: { id: 3 } } }],
  ['in the name of a channel', { message: { ...reply, sender_chat: { id: 99 } } }],
  ['from a bot', { message: { ...reply, from: { id: 11, is_bot: true } } }],
  ['without a sender', { message: { ...reply, from: undefined } }],
  ['without text', { message: { ...reply, text: undefined } }],
  ['old', { message: { ...reply, date: NOW / 1_000 - 601 } }],
  ['edited', { edited_message: reply }],
  [
    'a press below a forwarded message',
    { callback_query: { ...press, message: { ...message, forward_origin: {} } } },
  ],
  ['a press without its message', { callback_query: { ...press, message: undefined } }],
  ['a press with other data', { callback_query: { ...press, data: 'allow' } }],
  ['a press with more than a token', { callback_query: { ...press, data: `a${TOKEN} ` } }],
  ['something new', { poll: {} }],
])('what is %s is ignored', (_, update) => {
  expect(intentOf({ update_id: 9, ...update }, NOW)).toMatchObject({ kind: 'none', updateId: 9 })
})

test.each([null, 7, {}, { update_id: 'x' }, []])('%j is no update', (value) => {
  expect(intentOf(value, NOW)).toEqual({ kind: 'none', updateId: null })
})
