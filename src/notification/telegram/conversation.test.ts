import { describe, expect, test } from 'vitest'
import { BOT_TOKEN, startFakeTelegram } from '../../../test/support/fake-telegram.js'
import { createNotifiedRuntime } from '../../../test/support/notified-runtime.js'
import { createClient } from '../../client/client.js'

/** A chat with kim (11), or a group with sato (12) in it. */
async function setup({
  may = 'answer',
  users = {},
  more = {},
  pollMs = 30,
}: {
  may?: string
  users?: object
  more?: object
  pollMs?: number
} = {}) {
  const telegram = await startFakeTelegram({ pollMs })
  const settings = {
    kind: 'telegram',
    token: BOT_TOKEN,
    chat: 11,
    user: 'kim',
    may,
    url: telegram.url,
    ...more,
  }
  const runtime = await createNotifiedRuntime({
    users: { kim: { may: 'answer' }, sato: { may: 'see' }, ...users },
    channels: { tg: settings },
  })
  const asked = await runtime.asking()
  await runtime.until(() => telegram.sent().length > 0)
  const message = telegram.sent()[0] as {
    reply_markup?: { inline_keyboard: { callback_data?: string }[][] }
  }
  const data =
    message.reply_markup?.inline_keyboard.flat().map(({ callback_data: button }) => button ?? '') ?? []
  const [allow = '', deny = ''] = data
  const request = () => runtime.inbox.request(asked.requestId)
  const answered = () =>
    telegram.calls.filter(({ method }) => method === 'answerCallbackQuery').map(({ body }) => body['text'])
  /** The poller pauses between polls that bring nothing new. */
  const poll = <Value>(read: () => Value) =>
    expect.poll(
      () => {
        runtime.clock.advance(1_000)
        return read()
      },
      { timeout: 10_000, interval: 10 },
    )
  const settled = () => poll(async () => (await request()).state).toBe('resolved')
  /** The poller has taken everything that was there. */
  const taken = async () => {
    const before = telegram.polls()
    await poll(() => telegram.polls()).toBeGreaterThan(before + 2)
  }
  const queued = async () =>
    (await runtime.events(asked.sessionId)).flatMap((event) =>
      event.type === 'message.queued' ? [{ text: event.data.text, from: event.data.from }] : [],
    )
  return { ...runtime, ...asked, telegram, allow, deny, request, answered, poll, settled, taken, queued }
}

const FIRST = 101

describe('a press', () => {
  test('by its user answers the request, and says so', async () => {
    const { telegram, allow, settled, request, answered, poll } = await setup()
    telegram.press(allow)
    await settled()
    expect((await request()).resolution).toMatchObject({
      decision: 'allow',
      who: 'kim',
      via: 'channel',
      channel: 'tg',
    })
    await poll(answered).toEqual(['Allowed.'])
  })

  test('by a stranger, in another chat, or of a forwarded message does nothing and gets no word', async () => {
    const { telegram, allow, taken, request, answered } = await setup()
    telegram.press(allow, { user: 99 })
    telegram.press(allow, { chat: 99, user: 99 })
    telegram.press(allow, { chat: 99 })
    telegram.press(allow, { message: { forward_origin: { type: 'user' } } })
    telegram.press('aGARBAGE')
    await taken()

    expect((await request()).state).toBe('pending')
    expect(new Set(answered())).toEqual(new Set([undefined]))
  })

  test('that comes again, and again after a restart of polling, is one answer', async () => {
    const { telegram, deny, settled, taken, types, sessionId, store } = await setup()
    telegram.press(deny)
    telegram.press(deny)
    telegram.repeatUpdates()
    await settled()
    await taken()

    expect((await types(sessionId)).filter((type) => type === 'permission.resolved')).toHaveLength(1)
    expect(await store.records('telegram-offset')).toMatchObject([{ body: { offset: 503 } }])
  })

  test('survives a service that fails in between', async () => {
    const { telegram, allow, settled } = await setup()
    telegram.service.planned.push({ status: 500 }, 'cut', { status: 429, body: '{}' })
    telegram.press(allow)
    await settled()
  })
})

describe('in a group', () => {
  const group = { chat: -100, users: { '11': 'kim', '12': 'sato' } }

  test('each member answers in the own name and with the own rights', async () => {
    const { telegram, allow, taken, settled, request, answered } = await setup({ more: group })
    telegram.press(allow, { chat: -100, user: 12 })
    telegram.press(allow, { chat: -100, user: 99 })
    await taken()
    expect((await request()).state).toBe('pending')
    expect(answered()).toContain('Not done: you may not do this through this channel.')

    telegram.press(allow, { chat: -100, user: 11 })
    await settled()
    expect((await request()).resolution).toMatchObject({ who: 'kim' })
  })
})

test('the token of a button answers nothing without the press of a member', async () => {
  const { allow, request, url } = await setup({ more: { chat: -100, users: { '11': 'kim' } } })
  const token = allow.slice(1)
  const stranger = createClient({ url, token: 'none' })
  const invalid = { code: 'answer_token_invalid' }

  await expect(stranger.lookAnswer({ body: { token } })).rejects.toMatchObject(invalid)
  await expect(stranger.answerByToken({ body: { token, decision: 'allow' } })).rejects.toMatchObject(invalid)
  expect((await request()).state).toBe('pending')
})

describe('a reply', () => {
  test('goes to the session of the message, once', async () => {
    const { telegram, taken, queued } = await setup()
    telegram.reply('use the other port', FIRST)
    telegram.repeatUpdates()
    await taken()

    expect(await queued()).toEqual([
      {
        text: 'use the other port',
        from: { who: 'kim', via: 'channel', channel: 'tg', role: 'operator' },
      },
    ])
  })

  test('of who may only see, to no message of ours, forwarded or old goes nowhere', async () => {
    const see = await setup({ may: 'see' })
    see.telegram.reply('do it', FIRST)
    await see.taken()
    expect(await see.queued()).toEqual([])

    const { telegram, taken, queued } = await setup()
    telegram.reply('do it', 77)
    telegram.reply('do it', FIRST, { user: 99 })
    telegram.reply('do it', FIRST, { message: { forward_origin: {} } })
    telegram.reply('do it', FIRST, { message: { date: 1_000 } })
    await taken()
    expect(await queued()).toEqual([])
  })

  test('may be all that is allowed: who may chat may not thereby approve', async () => {
    const { telegram, allow, taken, queued, request } = await setup({ may: 'message' })
    expect(allow).toBe('')
    telegram.reply('go on', FIRST)
    await taken()
    expect(await queued()).toHaveLength(1)
    expect((await request()).resolution?.decision).not.toBe('allow')
  })
})

test('a bot that another program polls is shown as failing, with the fix', async () => {
  const { telegram, client, poll } = await setup()
  telegram.service.planned.push({ status: 409, body: '{"ok":false,"description":"Conflict"}' })
  await poll(async () => (await client.listChannels()).channels[0]).toMatchObject({
    health: 'failing',
    error: expect.stringContaining('Use a bot of its own'),
  })
})

test('a service that has nothing new is not asked again without a pause', async () => {
  const { telegram, client } = await setup({ pollMs: 0 })
  const before = telegram.polls()
  // Time does not pass here: a poll takes as long as one of these.
  for (let call = 0; call < 20; call += 1) await client.listChannels()
  expect(telegram.polls()).toBeLessThanOrEqual(before + 1)
})

test('the largest messages of strangers do not keep a press from being read', async () => {
  const { telegram, allow, settled } = await setup()
  for (let number = 0; number < 100; number += 1)
    telegram.reply('\u{1f600}'.repeat(2_048), 1, { chat: 99, user: 99 })
  telegram.press(allow)
  await settled()
})
