/** The list of notifications: those on their way, and the latest that have ended. */

import type { Notification } from '../protocol/notification/notification.js'
import type { RecordStore } from '../store/port/record.js'
import { HISTORY, notificationOf, OUTBOX, type OutboxRow } from './outbox-row.js'

/** Ended notifications that are kept. */
export const MAX_HISTORY = 1_000

/** Newest first. */
export async function listNotifications(
  store: RecordStore,
  { before, limit }: { before?: string | undefined; limit: number },
): Promise<Notification[]> {
  const ended = await store.records(HISTORY, { before, limit })
  const open = before === undefined ? await store.records(OUTBOX, { limit }) : []
  return [...open, ...ended]
    .map(({ body }) => body as OutboxRow)
    .filter(({ action }) => action === 'send')
    .toSorted((one, other) => (one.id < other.id ? 1 : -1))
    .slice(0, limit)
    .map(notificationOf)
}

/** Deletes the oldest ones, so that a daemon that runs for years does not keep them all. */
export async function pruneHistory(store: RecordStore): Promise<void> {
  const [last] = (await store.records(HISTORY, { limit: MAX_HISTORY })).slice(MAX_HISTORY - 1)
  if (!last) return
  const old = await store.records(HISTORY, { before: last.id })
  if (old.length === 0) return
  await store.saveRecords(
    old.map(({ id }) => ({ kind: HISTORY, id, body: null })),
    { isPatient: true },
  )
}
