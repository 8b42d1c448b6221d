/**
 * Days of a user who comes and goes, with agents that ask, channels that fail and a daemon that is killed: the real
 * planner and outbox on a store that survives, with simulated time.
 */

import { createJournal, type Journal } from '../../src/journal/journal.js'
import { createIdSource } from '../../src/lib/id.js'
import { ActivityLog } from '../../src/notification/activity.js'
import { type ChannelPort, DeliveryError, type OutgoingMessage } from '../../src/notification/channel/port.js'
import { createEngine, type Engine } from '../../src/notification/engine.js'
import { NotificationSettings } from '../../src/protocol/notification/settings.js'
import { createMemoryStore } from '../../src/store/memory.js'
import { permissionRequested, permissionResolved, sessionCreated } from './build.js'
import { mortalStore } from './mortal-store.js'
import { type Asked, findProblems, type Shown, type SimulatedHistory } from './notification-oracle.js'
import { comeToRest, createSimulatedClock, randomFrom } from './simulated-clock.js'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const START = Date.UTC(2026, 0, 5)
const NIGHT = { from: '23:00', to: '06:30', timeZone: 'UTC' }
const SESSIONS = 6
export interface SimulationResult {
  asked: Asked[]
  shown: Shown[]
  kills: number
  repeated: number
  problems: string[]
}

/** The daemon from a start to its kill. */
interface Life {
  engine: Engine
  journal: Journal
  activity: ActivityLog
  kill(): void
}

export async function simulate({
  days,
  kills,
  seed,
}: {
  days: number
  kills: number
  seed: number
}): Promise<SimulationResult> {
  const random = randomFrom(seed)
  const between = (low: number, high: number) => low + random() * (high - low)
  const clock = createSimulatedClock(START)
  const ids = createIdSource(() => clock.now())
  const store = createMemoryStore({ newId: () => ids.next('evt') })
  const rules = NotificationSettings.parse({ quiet: NIGHT })
  const end = START + days * DAY

  const asked: Asked[] = []
  const byId = new Map<string, Asked>()
  const shown: Shown[] = []
  const received = new Set<string>()
  const signs: { sessionId: string | null; at: number }[] = []
  const outages: Record<string, [number, number][]> = { phone: [], chat: [], mail: [] }
  const downs: [number, number][] = []
  const faults: unknown[] = []
  let repeated = 0
  let killed = 0
  const daemon: { life: Life | null } = { life: null }

  /** The user answers on the device, later or never. */
  const fromDevice = (requestId: string) => {
    if (random() < 0.3) return
    const delay = between(5 * SECOND, 25 * MINUTE)
    clock.after(delay, () => void answer(requestId).catch((error: unknown) => faults.push(error)))
  }

  const isOut = (channel: string, at: number) =>
    (outages[channel] ?? []).some(([from, to]) => at >= from && at < to)

  const channelOf = (name: string, user: string, isAlive: () => boolean): ChannelPort => ({
    isPrivate: async () => true,
    async send(message: OutgoingMessage) {
      if (isOut(name, clock.now()))
        throw new DeliveryError(
          'later',
          'Down.',
          random() < 0.3 ? { retryAfterMs: between(SECOND, 20 * SECOND) } : {},
        )
      if (received.has(message.id)) repeated += 1
      else {
        received.add(message.id)
        for (const requestId of message.body.split(' ')) {
          const { isReminder } = message
          const key = [requestId, user, name, isReminder].join('|')
          shown.push({ key, requestId, at: clock.now(), user, channel: name, isReminder })
          fromDevice(requestId)
        }
      }
      // Cut: the message has arrived, its receipt has not.
      if (random() < 0.02) throw new DeliveryError('later', 'Cut.')
      if (!isAlive()) return new Promise(() => {})
      return { receipt: 'r' }
    },
  })

  async function start(): Promise<void> {
    let isAlive = true
    let deathIn = -1
    const cancels = new Set<() => void>()
    const own: Life = {
      kill() {
        isAlive = false
        for (const cancel of cancels) cancel()
      },
    } as Life
    const die = () => {
      own.kill()
      if (daemon.life === own) restartSoon()
    }
    const onWrite = () => {
      if (deathIn < 0 || (deathIn -= 1) >= 0) return null
      deathIn = -1
      const kind = random() < 0.5 ? 'before' : 'after'
      queueMicrotask(die)
      return kind
    }
    const ownClock = {
      now: () => clock.now(),
      after(ms: number, action: () => void) {
        const cancel = clock.after(ms, () => {
          if (isAlive) action()
        })
        cancels.add(cancel)
        return cancel
      },
    }
    const ownStore = mortalStore(store, { onWrite, isAlive: () => isAlive })
    own.activity = new ActivityLog()
    own.journal = createJournal({ store: ownStore, clock: ownClock, ids })
    const ports: Record<string, ChannelPort> = {
      phone: channelOf('phone', 'kim', () => isAlive),
      chat: channelOf('chat', 'kim', () => isAlive),
      mail: channelOf('mail', 'sato', () => isAlive),
    }
    const recipient = (user: string, names: string[]) => ({
      user,
      quiet: NIGHT,
      minSeverity: null,
      kinds: rules.kinds,
      channels: names.map((name) => ({ name })),
    })
    own.engine = createEngine({
      journal: own.journal,
      store: ownStore,
      clock: ownClock,
      ids,
      rules,
      activity: own.activity,
      recipients: () => [recipient('kim', ['phone', 'chat']), recipient('sato', ['mail'])],
      userOf: () => 'kim',
      channel: (name) => ports[name] ?? null,
      compose: async (row, matters) =>
        ({
          id: row.id,
          isReminder: row.isReminder,
          body: matters.map(({ id }) => id).join(' '),
        }) as OutgoingMessage,
      composeSettled: async () => ({
        id: '',
        receipt: null,
        title: '',
        text: '',
        language: 'en',
        requestId: null,
      }),
      onAttempt: async () => {},
      onFault: (error) => {
        if (isAlive) faults.push(error)
      },
    })
    daemon.life = own
    await Promise.race([own.engine.start({ isRestart: true }), comeToRest()])
    // Some deaths come within a write of the next minutes, others between two.
    nextDeath = () => {
      if (random() < 0.7) deathIn = Math.floor(between(0, 4))
      else die()
    }
    // The page that is open reports again.
    clock.after(between(SECOND, 5 * SECOND), () => {
      const last = signs.at(-1)
      if (isAlive && last && last.at > clock.now() - rules.presenceMs && present) note(last.sessionId)
    })
  }

  let nextDeath = () => {}
  function restartSoon(): void {
    killed += 1
    daemon.life = null
    const down = between(2 * SECOND, 2 * MINUTE)
    downs.push([clock.now(), clock.now() + down])
    clock.after(down, () => void start().catch((error: unknown) => faults.push(error)))
  }

  const sessionIds: string[] = []
  await start()
  for (let index = 0; index < SESSIONS; index += 1) {
    const id = ids.next('ses')
    sessionIds.push(id)
    await daemon.life?.journal.append(id, [sessionCreated()])
  }

  async function ask(sessionId: string): Promise<void> {
    const { life } = daemon
    if (!life) return
    const id = ids.next('per')
    const request: Asked = { id, sessionId, at: clock.now(), answeredAt: null }
    const journal = life.journal
    // A request that a crash swallowed was never raised.
    await Promise.race([journal.append(sessionId, [permissionRequested(id)]), comeToRest()])
    if (!(await store.request(id))) return
    asked.push(request)
    byId.set(id, request)
  }

  async function answer(requestId: string): Promise<void> {
    const request = byId.get(requestId)
    if (!request || request.answeredAt !== null) return
    const { life } = daemon
    if (!life) {
      clock.after(
        between(5 * SECOND, MINUTE),
        () => void answer(requestId).catch((error: unknown) => faults.push(error)),
      )
      return
    }
    const resolution = permissionResolved(requestId, { via: 'api' })
    await Promise.race([life.journal.append(request.sessionId, [resolution]).catch(() => {}), comeToRest()])
    if ((await store.request(requestId))?.state === 'resolved') request.answeredAt = clock.now()
    else
      clock.after(
        between(5 * SECOND, MINUTE),
        () => void answer(requestId).catch((error: unknown) => faults.push(error)),
      )
  }

  let present = false
  function note(sessionId: string | null): void {
    signs.push({ sessionId, at: clock.now() })
    daemon.life?.activity.note({ user: 'kim', sessionId, at: clock.now() })
    daemon.life?.engine.tick()
  }

  /** At the desk: looks at one session after the other, and answers what it sees there. */
  function sit(until: number): void {
    present = true
    let sessionId: string | null = sessionIds[Math.floor(random() * SESSIONS)] ?? null
    const look = () => {
      if (clock.now() >= until) {
        present = false
        return
      }
      if (random() < 0.1)
        sessionId = random() < 0.2 ? null : (sessionIds[Math.floor(random() * SESSIONS)] ?? null)
      note(sessionId)
      for (const { id, sessionId: of, answeredAt, at } of asked.slice(-40)) {
        const isSeen = of === sessionId || clock.now() - at > 30 * SECOND
        if (answeredAt === null && isSeen && random() < 0.4)
          void answer(id).catch((error: unknown) => faults.push(error))
      }
      clock.after(between(8 * SECOND, 40 * SECOND), look)
    }
    look()
  }

  // The days: when the user sits down, when agents ask, when channels fail, when the daemon is killed.
  for (let day = 0; day < days; day += 1) {
    const midnight = START + day * DAY
    for (let hour = 9 + random(); hour < 18; hour += between(1, 2.5)) {
      const [from, to] = [midnight + hour * HOUR, midnight + (hour + between(0.2, 1)) * HOUR]
      clock.after(from - clock.now(), () => sit(to))
    }
    for (let count = 0; count < 14; count += 1) {
      const at = midnight + (random() < 0.85 ? between(8, 22) : between(0, 24)) * HOUR
      clock.after(at - clock.now(), () => {
        const many = random() < 0.2 ? 3 : 1
        for (let one = 0; one < many; one += 1)
          void ask(sessionIds[Math.floor(random() * SESSIONS)] ?? '').catch((error: unknown) =>
            faults.push(error),
          )
      })
    }
    for (const [name, list] of Object.entries(outages)) {
      if (random() > (name === 'phone' ? 0.4 : 0.1)) continue
      const from = midnight + between(0, 24) * HOUR
      list.push([from, from + between(MINUTE, 3 * HOUR)])
    }
    await clock.runUntil(midnight)
    while (killed < Math.floor((kills * (day + 1)) / days)) {
      // Near something that happens, where a crash hurts most.
      const at = midnight + between(8, 22) * HOUR
      const before = killed
      await clock.runUntil(Math.max(at, clock.now()))
      await ask(sessionIds[0] ?? '')
      await clock.runUntil(clock.now() + between(0, 90 * SECOND))
      nextDeath()
      await clock.runUntil(clock.now() + 20 * MINUTE)
      if (killed === before && daemon.life) {
        daemon.life.kill()
        restartSoon()
        await clock.runUntil(clock.now() + 5 * MINUTE)
      }
    }
  }
  await clock.runUntil(end)

  const history: SimulatedHistory = { asked, shown, signs, outages, downs, rules, quiet: NIGHT, end }
  const problems = [...faults.map((fault) => `fault: ${String(fault)}`), ...findProblems(history)]
  return { asked, shown, kills: killed, repeated, problems }
}
