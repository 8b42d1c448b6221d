/** A served runtime with channels to local services, and what its tests wait for. */

import { expect } from 'vitest'
import { createGuardedClient, type GuardedClient } from '../../src/lib/net/guarded-client.js'
import type { DataOf } from '../../src/protocol/event/event.js'
import { NotificationSettings } from '../../src/protocol/notification/settings.js'
import { ids, permissionRequested } from './build.js'
import { startFakeService } from './fake-service.js'
import { createServedRuntime } from './served-runtime.js'

const SECRET = `whsec_${'A'.repeat(32)}`
/** The reason of a plain file write, which a button may allow. */
const MILD = { reason: 'Writes a.txt.', reasonParts: [{ code: 'file.write.plain' as const, params: {} }] }

interface Options {
  settings?: object
  users?: object
  /** Of the webhook. */
  hook?: object
  channels?: Record<string, object>
}

export interface HookEvent {
  id: string
  type: string
  data: {
    title: string
    body: string
    requestId: string | null
    count: number
    isReminder: boolean
    answerUrl: string | null
    url: string
    actions: { decision: string; token: string; url: string }[]
  }
}

export async function createNotifiedRuntime({
  settings = {},
  users = {},
  hook = {},
  channels,
}: Options = {}) {
  const service = await startFakeService(() => ({ status: 204 }))
  const given = channels ?? {
    hook: { kind: 'webhook', url: service.url, secret: SECRET, may: 'answer', ...hook },
  }
  const { ChannelSettings } = await import('../../src/protocol/notification/channel.js')
  const { UserSettings } = await import('../../src/protocol/notification/user.js')
  const parsed = Object.entries(given).map(([name, one]) => [name, ChannelSettings.parse(one)] as const)
  const { client: guarded, rest } = countingClient()
  const runtime = await createServedRuntime({
    notifications: {
      client: guarded,
      settings: NotificationSettings.parse({ privateAddresses: ['127.0.0.1'], ...settings }),
      users: Object.fromEntries(Object.entries(users).map(([name, one]) => [name, UserSettings.parse(one)])),
      channels: Object.fromEntries(parsed),
    },
  })
  const { journal, clock, createSession } = runtime
  const sent = (): HookEvent[] => service.requests.map(({ body }) => JSON.parse(body) as HookEvent)
  return {
    ...runtime,
    service,
    sent,
    notified: () => sent().filter(({ type }) => !type.endsWith('.settled')),
    /** A session whose agent asks. */
    async asking(data: Partial<DataOf<'permission.requested'>> = {}, mode: object = {}) {
      const session = await createSession(undefined, { title: 'Fix login', ...mode })
      const requestId = ids.next('per')
      await journal.append(session.id, [permissionRequested(requestId, { ...MILD, ...data })])
      return { sessionId: session.id, requestId }
    },
    /** Lets time pass in small steps until this holds: each step lets work come to rest. */
    async until(isReached: () => boolean | Promise<boolean>, { stepMs = 5_000, most = 60 } = {}) {
      for (let step = 0; step < most; step += 1) {
        await rest()
        if (await isReached()) return
        clock.advance(stepMs)
      }
      expect(await isReached()).toBe(true)
    },
    async pass(ms: number) {
      const stepMs = ms > 120_000 ? 15_000 : 5_000
      for (let left = ms; left > 0; left -= stepMs) {
        await rest()
        clock.advance(Math.min(stepMs, left))
      }
      await rest()
    },
    rest,
  }
}

/** Real requests go to loopback: work has come to rest when none is under way. Polling never rests, and is not counted. */
function countingClient(): { client: GuardedClient; rest(): Promise<void> } {
  const real = createGuardedClient({ privateAddresses: ['127.0.0.1'] })
  let pending = 0
  const isBusy = () => pending > 0
  const turns = async () => {
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    client: {
      async request(request) {
        if (request.url.endsWith('/getUpdates')) return real.request(request)
        pending += 1
        try {
          return await real.request(request)
        } finally {
          pending -= 1
        }
      },
    },
    async rest() {
      await turns()
      for (; isBusy(); ) await new Promise((resolve) => setTimeout(resolve, 1))
      await turns()
    },
  }
}
