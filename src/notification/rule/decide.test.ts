import { describe, expect, test } from 'vitest'
import { NotificationSettings } from '../../protocol/notification/settings.js'
import type { Matter, SentStep } from '../matter.js'
import { type Circumstances, type Decision, decide, type Recipient } from './decide.js'
import { planSends } from './plan-sends.js'
import { quietUntil } from './quiet-hours.js'

const T = Date.UTC(2026, 10, 15, 12)
const SECOND = 1_000
const MINUTE = 60 * SECOND
const rules = NotificationSettings.parse({})

function aMatter(more: Partial<Matter> = {}): Matter {
  return {
    id: 'per_1',
    kind: 'needs_you',
    sessionId: 'ses_1',
    requestId: 'per_1',
    cwd: '/srv/shop',
    severity: null,
    raisedAt: T,
    text: null,
    sent: [],
    ...more,
  }
}

function aRecipient(user: string, channels: readonly (string | Recipient['channels'][number])[]): Recipient {
  return {
    user,
    quiet: null,
    minSeverity: null,
    kinds: rules.kinds,
    channels: channels.map((channel) => (typeof channel === 'string' ? { name: channel } : channel)),
  }
}

interface Given extends Partial<Omit<Circumstances, 'activity'>> {
  onSession?: number
  atDesk?: number
}

function judge(matter: Matter, at: number, given: Given = {}): Decision {
  return decide(matter, circumstances(at, given))
}

function circumstances(at: number, { onSession, atDesk, ...given }: Given = {}): Circumstances {
  return {
    now: at,
    rules,
    recipients: [aRecipient('kim', ['phone', 'chat']), aRecipient('sato', ['mail'])],
    activity: { onSession: () => onSession ?? null, ofUser: () => atDesk ?? null },
    isMuted: () => false,
    ...given,
  }
}

const sent = (channel: string, at: number, more: Partial<SentStep> = {}): SentStep => ({
  notificationId: `ntf_${channel}`,
  user: 'kim',
  channel,
  isReminder: false,
  at,
  state: 'delivered',
  ...more,
})

const phone = { user: 'kim', channel: 'phone', isReminder: false }

describe('the first notification', () => {
  test('of a user who is away comes after a moment', () => {
    expect(judge(aMatter(), T)).toEqual({ kind: 'wait', step: phone, until: T + 15 * SECOND })
    expect(judge(aMatter(), T + 15 * SECOND)).toEqual({
      kind: 'send',
      step: phone,
      due: T + 15 * SECOND,
      hasNext: true,
    })
  })

  test('of a user at the desk comes a minute later, so that there is time to answer there', () => {
    const atDesk = T - 30 * SECOND
    expect(judge(aMatter(), T + 20 * SECOND, { atDesk })).toMatchObject({ kind: 'wait', until: T + MINUTE })
    expect(judge(aMatter(), T + MINUTE, { atDesk })).toMatchObject({ kind: 'send' })
  })

  test('waits while a user is active on that session', () => {
    const onSession = T + 5 * MINUTE
    expect(judge(aMatter(), T + 6 * MINUTE, { onSession })).toMatchObject({
      kind: 'wait',
      until: T + 7 * MINUTE,
    })
    expect(judge(aMatter(), T + 7 * MINUTE, { onSession })).toMatchObject({ kind: 'send' })
  })

  test('is not sent about a muted session', () => {
    expect(judge(aMatter(), T + MINUTE, { isMuted: () => true })).toEqual({
      kind: 'wait',
      step: null,
      until: null,
    })
  })
})

describe('one message at a time', () => {
  const steps = (matter: Matter, at: number) => judge(matter, at)
  const toPhone = sent('phone', T)

  test('then a reminder, then the next channel, then the next user, then nothing', () => {
    const reminder = { ...phone, isReminder: true }
    expect(steps(aMatter({ sent: [toPhone] }), T + MINUTE)).toMatchObject({
      step: reminder,
      until: T + 10 * MINUTE,
    })
    const reminded = [toPhone, sent('phone', T + 10 * MINUTE, { isReminder: true })]
    expect(steps(aMatter({ sent: reminded }), T + 20 * MINUTE)).toMatchObject({
      kind: 'send',
      step: { user: 'kim', channel: 'chat' },
      hasNext: true,
    })
    const passedOn = [...reminded, sent('chat', T + 20 * MINUTE)]
    expect(steps(aMatter({ sent: passedOn }), T + 30 * MINUTE)).toMatchObject({
      kind: 'send',
      step: { user: 'sato', channel: 'mail' },
    })
    const all = [...passedOn, sent('mail', T + 30 * MINUTE, { user: 'sato' })]
    // The reminder of the last user's only channel is the last step.
    expect(steps(aMatter({ sent: all }), T + 60 * MINUTE)).toMatchObject({
      kind: 'send',
      step: { user: 'sato', isReminder: true },
      hasNext: false,
    })
    const over = [...all, sent('mail', T + 40 * MINUTE, { user: 'sato', isReminder: true })]
    expect(steps(aMatter({ sent: over }), T + 24 * 60 * MINUTE)).toEqual({
      kind: 'wait',
      step: null,
      until: null,
    })
  })

  test('nothing follows while a message is on its way', () => {
    const sending = [sent('phone', T, { state: 'pending' })]
    expect(steps(aMatter({ sent: sending }), T + 60 * MINUTE)).toEqual({
      kind: 'wait',
      step: null,
      until: null,
    })
  })

  test('a channel that failed is followed by the next one at once, and gets no reminder', () => {
    const failed = [sent('phone', T + MINUTE, { state: 'failed' })]
    expect(steps(aMatter({ sent: failed }), T + MINUTE)).toMatchObject({
      kind: 'send',
      step: { channel: 'chat' },
    })
  })
})

describe('news of a turn that ended', () => {
  const news = (more: Partial<Matter> = {}) => aMatter({ kind: 'finished', requestId: null, ...more })

  test('is sent once', () => {
    expect(judge(news(), T + MINUTE)).toMatchObject({ kind: 'send', step: phone })
    const once = news({ sent: [sent('phone', T + MINUTE)] })
    expect(judge(once, T + 60 * MINUTE)).toEqual({ kind: 'wait', step: null, until: null })
  })

  test('is settled when a user has looked at the session since, or after a day', () => {
    expect(judge(news(), T + 5 * SECOND, { onSession: T + SECOND })).toEqual({ kind: 'settled' })
    expect(judge(news(), T + 24 * 60 * MINUTE)).toEqual({ kind: 'settled' })
  })
})

describe('what a user wants', () => {
  const only = (more: Partial<Recipient>) => ({ recipients: [{ ...aRecipient('kim', ['phone']), ...more }] })
  const isSent = (matter: Partial<Matter>, given: Given) =>
    judge(aMatter(matter), T + 5 * MINUTE, given).kind === 'send'

  test('a threshold hides what is less serious', () => {
    const given = only({ minSeverity: 'serious' })
    const seen = ([null, 'notice', 'serious', 'destructive'] as const).map((severity) =>
      isSent({ severity }, given),
    )
    expect(seen).toEqual([false, false, true, true])
  })

  test('kinds, folders and sessions narrow a channel', () => {
    expect(isSent({ kind: 'finished' }, only({ kinds: ['needs_you'] }))).toBe(false)
    const inFolder = only({ channels: [{ name: 'phone', folders: ['/srv/shop/'] }] })
    expect(
      ['/srv/shop', '/srv/shop/api', '/srv/shopping', '/srv'].map((cwd) => isSent({ cwd }, inFolder)),
    ).toEqual([true, true, false, false])
    const oneSession = only({ channels: [{ name: 'phone', sessions: ['ses_2'] }] })
    expect(isSent({}, oneSession)).toBe(false)
  })
})

describe('quiet hours', () => {
  const night = { from: '22:00', to: '07:00', timeZone: 'UTC' }
  const at = (hour: number, minute = 0) => Date.UTC(2026, 10, 15, hour, minute)

  test('span midnight, and end on the minute', () => {
    expect(quietUntil(night, at(21, 59))).toBeNull()
    expect(quietUntil(night, at(22) + 5_432)).toBe(at(31))
    expect(quietUntil(night, at(30, 59))).toBe(at(31))
    expect(quietUntil(night, at(31))).toBeNull()
    expect(quietUntil({ from: '07:00', to: '07:00' }, at(7))).toBeNull()
    expect(quietUntil({ from: '12:00', to: '13:00', timeZone: 'UTC' }, at(12, 30))).toBe(at(13))
    expect(quietUntil({ from: '22:00', to: '07:00', timeZone: 'Asia/Tokyo' }, at(14))).toBe(at(22))
  })

  test('put a message off until they end, or pass it to the next user who is awake', () => {
    const asleep = { ...aRecipient('kim', ['phone']), quiet: night }
    const late = aMatter({ raisedAt: at(23) })
    expect(judge(late, at(23, 5), { recipients: [asleep] })).toEqual({
      kind: 'wait',
      step: phone,
      until: at(31),
    })
    expect(judge(late, at(31), { recipients: [asleep] })).toMatchObject({ kind: 'send' })
    expect(judge(late, at(23, 5), { recipients: [asleep, aRecipient('sato', ['mail'])] })).toMatchObject({
      kind: 'send',
      step: { user: 'sato' },
    })
  })
})

test('what is due for the same channel at about the same time becomes one notification', () => {
  const matters = [0, 2, 4, 30].map((seconds, index) =>
    aMatter({ id: `per_${index}`, requestId: `per_${index}`, raisedAt: T + seconds * SECOND }),
  )
  const plan = planSends(matters, circumstances(T + 20 * SECOND), () => 'ntf_1')
  const sooner = planSends(matters, circumstances(T + 19 * SECOND), () => 'ntf_1')

  expect([sooner.rows, sooner.nextAt]).toEqual([[], T + 20 * SECOND])

  expect(plan.rows).toMatchObject([{ id: 'ntf_1', channel: 'phone', matterIds: ['per_0', 'per_1', 'per_2'] }])
  expect(plan.changed.map(({ sent: steps }) => steps)).toEqual(
    Array.from({ length: 3 }, () => [
      { notificationId: 'ntf_1', ...phone, at: T + 20 * SECOND, state: 'pending' },
    ]),
  )
  expect(plan.nextAt).toBe(T + 45 * SECOND)
})
