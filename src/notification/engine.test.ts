import { expect, onTestFinished, test } from 'vitest'
import { permissionRequested, permissionResolved, sessionCreated } from '../../test/support/build.js'
import { createSimulatedClock } from '../../test/support/simulated-clock.js'
import { createJournal } from '../journal/journal.js'
import { createIdSource } from '../lib/id.js'
import { NotificationSettings } from '../protocol/notification/settings.js'
import { createMemoryStore } from '../store/memory.js'
import { ActivityLog } from './activity.js'
import { type ChannelPort, DeliveryError, type OutgoingMessage, type SettledMessage } from './channel/port.js'
import { createEngine } from './engine.js'
import type { Recipient } from './rule/decide.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Noon. */
const START = Date.UTC(2026, 10, 15, 12)

/** A home whose daemon can be restarted, with channels that fail as a test says. */
async function setup(settings: object = {}) {
  const clock = createSimulatedClock(START)
  const ids = createIdSource(() => clock.now())
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const rules = NotificationSettings.parse(settings)
  const sent: { channel: string; body: string; at: number }[] = []
  const withdrawn: string[] = []
  const faults: unknown[] = []
  const down = new Set<string>()
  let names = ['phone']
  let composing: () => Promise<void> = async () => {}

  const portOf = (name: string): ChannelPort => ({
    isPrivate: async () => true,
    async send({ body }: OutgoingMessage) {
      if (down.has(name)) throw new DeliveryError('later', 'Down.')
      sent.push({ channel: name, body, at: clock.now() })
      return { receipt: name }
    },
    async withdraw({ receipt }) {
      withdrawn.push(receipt ?? '')
    },
  })

  const recipients = (): Recipient[] => [
    {
      user: 'kim',
      quiet: rules.quiet ?? null,
      minSeverity: null,
      kinds: rules.kinds,
      channels: names.map((name) => ({ name })),
    },
  ]

  async function start(isRestart: boolean) {
    const journal = createJournal({ store, clock, ids })
    const activity = new ActivityLog()
    const engine = createEngine({
      journal,
      store,
      clock,
      ids,
      rules,
      activity,
      recipients,
      userOf: () => 'kim',
      channel: (name) => (names.includes(name) ? portOf(name) : null),
      async compose(row, matters) {
        await composing()
        return { id: row.id, body: matters.map(({ id }) => id).join(' ') } as OutgoingMessage
      },
      composeSettled: async ({ receipt }) => ({ receipt }) as SettledMessage,
      onAttempt: async () => {},
      onFault: (error) => faults.push(error),
    })
    await engine.start({ isRestart })
    onTestFinished(() => engine.close())
    return { engine, journal, activity }
  }

  const pass = (ms: number) => clock.runUntil(clock.now() + ms)
  const sessionId = ids.next('ses')
  const scribe = createJournal({ store, clock, ids })
  await scribe.append(sessionId, [sessionCreated()])
  return {
    clock,
    store,
    start,
    pass,
    sessionId,
    sent,
    withdrawn,
    faults,
    down,
    /** Raised while the daemon is down. */
    scribe,
    useChannels: (next: string[]) => {
      names = next
    },
    failComposing: (times: number) => {
      let left = times
      composing = async () => {
        left -= 1
        if (left >= 0) throw new Error('no')
      }
    },
    async ask({ journal }: { journal: Pick<typeof scribe, 'append'> }) {
      const id = ids.next('per')
      await journal.append(sessionId, [permissionRequested(id)])
      return id
    },
    reported: async () =>
      (await store.readSession(sessionId))
        .map(({ event }) => event.type)
        .filter((type) => type.startsWith('notification.')),
  }
}

test('a message that is answered while the daemon is down is withdrawn by the next one', async () => {
  const { start, ask, pass, sent, withdrawn, scribe, sessionId } = await setup()
  const first = await start(true)
  const requestId = await ask(first)
  await pass(MINUTE)
  expect(sent).toHaveLength(1)
  await first.engine.close()

  await scribe.append(sessionId, [permissionResolved(requestId, { via: 'api' })])
  await start(true)
  await pass(MINUTE)

  expect(withdrawn).toEqual(['phone'])
})

test('the first channel gets what waits since before once', async () => {
  const { start, ask, pass, sent, scribe } = await setup()
  for (let one = 0; one < 5; one += 1) await ask({ journal: scribe })
  await pass(HOUR)

  await start(false)
  await pass(5 * MINUTE)

  expect(sent).toHaveLength(1)
  expect(sent[0]?.body.split(' ')).toHaveLength(5)
})

test('a message that could not be sent before the quiet hours waits for their end', async () => {
  const { start, ask, pass, sent, down } = await setup({
    quiet: { from: '12:30', to: '14:00', timeZone: 'UTC' },
  })
  const daemon = await start(true)
  down.add('phone')
  await ask(daemon)
  await pass(40 * MINUTE)
  down.clear()
  await pass(3 * HOUR)

  expect(sent[0]?.at).toBeGreaterThanOrEqual(START + 2 * HOUR)
  expect(sent[0]?.at).toBeLessThan(START + 2 * HOUR + MINUTE)
})

test('a message that could not be sent is not sent while its user looks at the session', async () => {
  const { start, ask, pass, sent, down, sessionId, clock } = await setup()
  const daemon = await start(true)
  down.add('phone')
  await ask(daemon)
  await pass(4 * MINUTE)
  down.clear()
  for (let minute = 0; minute < 10; minute += 1) {
    daemon.activity.note({ user: 'kim', sessionId, at: clock.now() })
    await pass(MINUTE)
  }
  expect(sent).toEqual([])

  await pass(3 * MINUTE)
  expect(sent).toHaveLength(1)
})

test('a message that could not be sent is not sent about a session that was muted since', async () => {
  const { start, ask, pass, sent, down, sessionId } = await setup()
  const daemon = await start(true)
  down.add('phone')
  await ask(daemon)
  await pass(2 * MINUTE)
  await daemon.journal.append(sessionId, [{ type: 'session.changed', data: { isMuted: true } }])
  down.clear()
  await pass(30 * MINUTE)
  expect(sent).toEqual([])

  await daemon.journal.append(sessionId, [{ type: 'session.changed', data: { isMuted: false } }])
  await pass(MINUTE)
  expect(sent).toHaveLength(1)
})

test('what no channel could deliver is tried again, also after a change to other channels', async () => {
  const { start, ask, pass, sent, down } = await setup()
  const daemon = await start(true)
  down.add('phone')
  await ask(daemon)
  await pass(2 * MINUTE)
  daemon.engine.channelsChanged()
  await pass(2 * HOUR)
  expect(sent).toEqual([])

  down.clear()
  await pass(6 * MINUTE)
  expect(sent).toHaveLength(1)
})

test('all channels are tried again in turn, whichever works first', async () => {
  const { start, ask, pass, sent, down, useChannels } = await setup()
  useChannels(['phone', 'chat'])
  const daemon = await start(true)
  down.add('phone').add('chat')
  await ask(daemon)
  await pass(10 * MINUTE)
  // The last of them is gone, and with it the message that waited for it.
  useChannels(['phone'])
  daemon.engine.channelsChanged('chat')
  await pass(20 * MINUTE)
  down.clear()
  await pass(6 * MINUTE)

  expect(sent).toMatchObject([{ channel: 'phone' }])
})

test('a channel that is down for a day writes its reason once', async () => {
  const { start, ask, pass, down, reported } = await setup()
  const daemon = await start(true)
  down.add('phone')
  await ask(daemon)
  await pass(26 * HOUR)

  expect(await reported()).toEqual(['notification.failed', 'notification.expired'])
})

test('a message that cannot be composed is tried again with a pause, and holds up no other', async () => {
  const { start, ask, pass, sent, faults, failComposing } = await setup()
  const daemon = await start(true)
  failComposing(3)
  await ask(daemon)
  await pass(2 * MINUTE)

  expect(faults).toHaveLength(3)
  expect(sent).toHaveLength(1)
})
