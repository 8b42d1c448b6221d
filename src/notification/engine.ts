/** The planner and the outbox, joined: from events of the journal to messages of channels. */

import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import type { NotificationSettings } from '../protocol/notification/settings.js'
import type { Store } from '../store/port.js'
import type { ActivityLog } from './activity.js'
import type { ChannelPort, DeliveryError, OutgoingMessage, SettledMessage } from './channel/port.js'
import type { Matter } from './matter.js'
import { Outbox } from './outbox.js'
import { HISTORY, type OutboxRow, saveRow } from './outbox-row.js'
import { Planner, type PlannerDeps } from './planner.js'

export interface EngineDeps {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  rules: NotificationSettings
  activity: ActivityLog
  recipients: PlannerDeps['recipients']
  userOf(who: string): string
  channel(name: string): ChannelPort | null
  compose(row: OutboxRow, matters: readonly Matter[]): Promise<OutgoingMessage | null>
  composeSettled(row: OutboxRow): Promise<SettledMessage>
  onAttempt(channel: string, error: DeliveryError | null): Promise<void>
  onFault(error: unknown): void
}

export interface Engine {
  /** `isRestart`: with the daemon, not with the first channel. */
  start(options: { isRestart: boolean }): Promise<void>
  /** Something outside of the journal has changed: activity, users, channels. */
  tick(): void
  /** Channels were added or changed. */
  channelsChanged(name?: string): void
  pending(channel: string): readonly OutboxRow[]
  close(): Promise<void>
}

/** How long it is tried to remove a message that is out of date. */
const WITHDRAW_MS = 10 * 60_000

export function createEngine(deps: EngineDeps): Engine {
  const { store, clock, ids } = deps

  const outbox = new Outbox({
    ...deps,
    isOpen: (matterId) => planner.isOpen(matterId),
    outlook: (row) => planner.outlook(row),
    compose: (row, open) =>
      deps.compose(
        row,
        open.flatMap((id) => planner.matter(id) ?? []),
      ),
    onEnded: (row, state) => planner.stepEnded(row, state),
    async onLate(row) {
      const rows = [withdrawalOf(row, null)]
      await store.saveRecords(rows.flatMap(saveRow), { isPatient: true })
      outbox.add(rows)
    },
  })

  const planner: Planner = new Planner({
    ...deps,
    withdraw: async (settled, isOpen) =>
      (await Promise.all(settled.map((one) => withdrawals(one, isOpen)))).flat(),
    onPlanned: (rows) => outbox.add(rows),
  })

  /** A message about several matters stays until the last of them is settled. */
  async function withdrawals(matter: Matter, isOpen: (id: string) => boolean): Promise<OutboxRow[]> {
    const rows: OutboxRow[] = []
    for (const { notificationId, state } of matter.sent) {
      if (state !== 'delivered') continue
      const sent = (await store.record(HISTORY, notificationId)) as OutboxRow | null
      if (sent && !sent.matterIds.some(isOpen)) rows.push(withdrawalOf(sent, matter))
    }
    return rows
  }

  function withdrawalOf(sent: OutboxRow, matter: Matter | null): OutboxRow {
    const now = clock.now()
    return {
      ...sent,
      id: ids.next('ntf'),
      action: 'withdraw',
      state: 'pending',
      isReported: false,
      attempts: 0,
      createdAt: now,
      nextTryAt: now,
      giveUpAt: now + WITHDRAW_MS,
      settled: { notificationId: sent.id, requestId: matter?.requestId ?? null },
    }
  }

  return {
    async start(options) {
      const left = await outbox.left()
      await planner.start(options)
      await outbox.start(left)
    },
    tick: () => planner.tick(),
    channelsChanged(name) {
      outbox.channelsChanged(name)
      planner.tick()
    },
    pending: (channel) => outbox.pending(channel),
    async close() {
      await planner.close()
      await outbox.close()
    },
  }
}
