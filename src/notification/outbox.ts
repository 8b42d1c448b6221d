/**
 * Sends the rows of the outbox, each channel on its own: one message at a time, with back-off. Delivery is at least
 * once: after a crash between sending and storing the receipt, the message is sent again with the same id.
 */

import type { Journal } from '../journal/journal.js'
import { AppendRefused } from '../journal/journal.js'
import { retryDelay } from '../lib/back-off.js'
import type { Clock } from '../lib/clock.js'
import { HubError } from '../protocol/error.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { Store } from '../store/port.js'
import { type ChannelPort, DeliveryError, type OutgoingMessage, type SettledMessage } from './channel/port.js'
import { isoTime, OUTBOX, type OutboxRow, saveRow } from './outbox-row.js'

export interface OutboxDeps {
  journal: Journal
  store: Store
  clock: Clock
  /** Null: there is no such channel, or it is paused. */
  channel(name: string): ChannelPort | null
  isOpen(matterId: string): boolean
  /** The messages that are still due for a row, and until when they must wait. */
  outlook(row: OutboxRow): Outlook
  /** Null: nothing is left to say, as when the session was deleted. */
  compose(row: OutboxRow, openMatters: readonly string[]): Promise<OutgoingMessage | null>
  composeSettled(row: OutboxRow): Promise<SettledMessage>
  /** Stores the row together with what its end means for its matters. */
  onEnded(row: OutboxRow, state: 'delivered' | 'failed'): Promise<void>
  /** A message was delivered after its matters were settled. */
  onLate(row: OutboxRow): Promise<void>
  /** The result of each attempt, for the state of the channel. */
  onAttempt(channel: string, error: DeliveryError | null): Promise<void>
  onFault(error: unknown): void
}

/** A message that could not be sent at once is subject to all that applies to a new one. */
export interface Outlook {
  /** Matters that are not settled. */
  readonly open: readonly string[]
  /** Quiet hours, an active user or a muted session; null: it may be sent now. */
  readonly heldUntil: number | null
}

const SEND_MS = 30_000
/** How long a failing channel is still tried when there is another one. */
const RETRY_MS = 60_000
const MAX_BACK_OFF_MS = 5 * 60_000
/** After a fault of the daemon itself, as while its storage fails. */
const FAULT_MS = 5_000

export class Outbox {
  readonly #deps: OutboxDeps
  /** By channel, oldest first. */
  readonly #queues = new Map<string, OutboxRow[]>()
  readonly #running = new Map<string, Promise<void>>()
  readonly #timers = new Map<string, () => void>()
  readonly #stop = new AbortController()

  constructor(deps: OutboxDeps) {
    this.#deps = deps
  }

  /** The rows that the previous run left. Read before new rows are planned, which would otherwise be in it, too. */
  async left(): Promise<OutboxRow[]> {
    return (await this.#deps.store.records(OUTBOX)).map(({ body }) => body as OutboxRow)
  }

  /** Continues with what the previous run has left. */
  async start(rows: readonly OutboxRow[]): Promise<void> {
    for (const row of rows.filter(({ state }) => state !== 'pending')) await this.#report(row)
    this.add(rows.filter(({ state }) => state === 'pending'))
  }

  add(rows: readonly OutboxRow[]): void {
    for (const row of rows) {
      const queue = this.#queues.get(row.channel) ?? []
      queue.push(row)
      this.#queues.set(row.channel, queue)
    }
    for (const channel of new Set(rows.map((row) => row.channel))) this.#wake(channel)
  }

  pending(channel: string): OutboxRow[] {
    return (this.#queues.get(channel) ?? []).filter(({ action }) => action === 'send')
  }

  /**
   * Channels were added or changed. The rows of the one that is named are tried at once, and a row that was on its last
   * channel gives way to the next one.
   */
  channelsChanged(name?: string): void {
    const now = this.#deps.clock.now()
    for (const [channel, queue] of this.#queues) {
      const next = queue.map((row) => ({
        ...row,
        ...(row.isLast &&
          row.attempts > 0 && { isLast: false, giveUpAt: Math.min(row.giveUpAt, now + RETRY_MS) }),
        ...(channel === name && { nextTryAt: Math.min(row.nextTryAt, now) }),
      }))
      this.#queues.set(channel, next)
      this.#wake(channel)
    }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const cancel of this.#timers.values()) cancel()
    this.#timers.clear()
    await Promise.all(this.#running.values())
  }

  #wake(channel: string): void {
    if (this.#stop.signal.aborted || this.#running.has(channel)) return
    this.#timers.get(channel)?.()
    this.#timers.delete(channel)
    const run = this.#run(channel)
      .then(() => 0)
      .catch((error: unknown) => {
        this.#deps.onFault(error)
        return FAULT_MS
      })
      .then((leastMs) => {
        this.#running.delete(channel)
        this.#sleep(channel, leastMs)
      })
    this.#running.set(channel, run)
  }

  /** Until the next row of the channel is due. */
  #sleep(channel: string, leastMs: number): void {
    const queue = this.#queues.get(channel) ?? []
    if (this.#stop.signal.aborted || queue.length === 0) return
    const { clock } = this.#deps
    const next = Math.min(...queue.map(({ nextTryAt }) => nextTryAt))
    // After the clock was set back the time may be far away.
    const left = Math.min(MAX_BACK_OFF_MS, Math.max(leastMs, next - clock.now()))
    this.#timers.set(
      channel,
      clock.after(left, () => this.#wake(channel)),
    )
  }

  async #run(channel: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const now = this.#deps.clock.now()
      const isDue = ({ nextTryAt }: OutboxRow) => nextTryAt <= now || nextTryAt > now + 2 * MAX_BACK_OFF_MS
      const row = (this.#queues.get(channel) ?? []).find(isDue)
      if (!row) return
      const rest = row.action === 'send' ? await this.#send(row) : await this.#withdraw(row)
      if (this.#stop.signal.aborted) return
      const queue = this.#queues.get(channel) ?? []
      this.#queues.set(
        channel,
        queue.flatMap((known) => (known.id === row.id ? (rest ?? []) : known)),
      )
    }
  }

  /** Resolves with the row as it stays in the queue; null if it is over. */
  async #send(row: OutboxRow): Promise<OutboxRow | null> {
    const { clock, outlook, compose } = this.#deps
    const now = clock.now()
    const { open, heldUntil } = outlook(row)
    if (open.length === 0) return this.#end({ ...row, state: 'withdrawn', isReported: true })
    if (now >= row.giveUpAt) return this.#giveUp(row)
    if (heldUntil !== null) return { ...row, nextTryAt: Math.min(heldUntil, now + MAX_BACK_OFF_MS) }
    const channel = this.#deps.channel(row.channel)
    const attempt = { ...row, attempts: row.attempts + 1, lastTryAt: now }
    let message: OutgoingMessage | null
    try {
      message = await compose(row, open)
    } catch (cause) {
      if (this.#stop.signal.aborted) return row
      this.#deps.onFault(cause)
      return this.#failed(row, attempt, INTERNAL)
    }
    if (!message) return this.#end({ ...row, state: 'withdrawn', isReported: true })
    try {
      if (!channel) throw new DeliveryError('never', 'The channel was removed or paused.')
      const { receipt } = await this.#limited((signal) => channel.send(message, signal))
      if (this.#stop.signal.aborted) return row
      await this.#deps.onAttempt(row.channel, null)
      return await this.#delivered({ ...attempt, receipt })
    } catch (cause) {
      if (this.#stop.signal.aborted) return row
      if (!(cause instanceof DeliveryError)) this.#deps.onFault(cause)
      const error = cause instanceof DeliveryError ? cause : INTERNAL
      if (channel) await this.#deps.onAttempt(row.channel, error)
      return this.#failed(row, attempt, error)
    }
  }

  #limited<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const timeout = new AbortController()
    const cancel = this.#deps.clock.after(SEND_MS, () => timeout.abort())
    return work(AbortSignal.any([this.#stop.signal, timeout.signal])).finally(cancel)
  }

  async #delivered(row: OutboxRow): Promise<null> {
    await this.#finish({ ...row, state: 'delivered', error: null }, 'delivered')
    if (!row.matterIds.some((id) => this.#deps.isOpen(id))) await this.#deps.onLate(row)
    return null
  }

  async #failed(before: OutboxRow, attempt: OutboxRow, error: DeliveryError): Promise<OutboxRow | null> {
    const { clock, store } = this.#deps
    const row = { ...attempt, error: error.message }
    const wait = error.retryAfterMs ?? retryDelay(row.attempts, { maxMs: MAX_BACK_OFF_MS })
    const nextTryAt = clock.now() + Math.ceil(Math.max(0, wait))
    const isHopeless = error.hope !== 'later' && !row.isLast
    if (isHopeless || error.hope === 'gone' || nextTryAt >= row.giveUpAt) {
      const isExpiry = row.isLast && error.hope !== 'gone'
      await this.#finish({ ...row, state: isExpiry ? 'expired' : 'failed' }, 'failed')
      return null
    }
    // The only channel: its settings may be corrected before the notification expires.
    const next = { ...row, nextTryAt: error.hope === 'later' ? nextTryAt : clock.now() + MAX_BACK_OFF_MS }
    await store.saveRecords(saveRow(next), { isPatient: true })
    // A channel may be down for days: the log has each reason once, and the end.
    if (before.error !== next.error) await this.#append(next)
    return next
  }

  async #giveUp(row: OutboxRow): Promise<null> {
    await this.#finish({ ...row, state: row.isLast ? 'expired' : 'failed' }, 'failed')
    return null
  }

  async #finish(row: OutboxRow, state: 'delivered' | 'failed'): Promise<void> {
    await this.#deps.onEnded(row, state)
    await this.#report(row)
  }

  async #end(row: OutboxRow): Promise<null> {
    await this.#deps.store.saveRecords(saveRow(row), { isPatient: true })
    return null
  }

  /** Writes the end of a row to the logs of its sessions, then moves it to the history. */
  async #report(row: OutboxRow): Promise<void> {
    await this.#append(row)
    await this.#end({ ...row, isReported: true })
  }

  /** Appends of one moment share one commit: all sessions of a notification get their events, or none. */
  async #append(row: OutboxRow): Promise<void> {
    const { journal } = this.#deps
    await Promise.all(
      row.subjects.map((subject) =>
        journal.append(subject.sessionId, [eventOf(row, subject)]).catch((error: unknown) => {
          if (!isGone(error)) throw error
        }),
      ),
    )
  }

  /** Best effort: a message that stays is out of date, and its buttons say so. */
  async #withdraw(row: OutboxRow): Promise<OutboxRow | null> {
    const { clock, composeSettled, store } = this.#deps
    const channel = this.#deps.channel(row.channel)
    try {
      if (clock.now() < row.giveUpAt && channel?.withdraw) {
        const message = await composeSettled(row)
        await this.#limited(async (signal) => channel.withdraw?.(message, signal))
      }
    } catch (error) {
      if (this.#stop.signal.aborted) return row
      const attempts = row.attempts + 1
      const hope = error instanceof DeliveryError ? error.hope : 'later'
      const nextTryAt = clock.now() + retryDelay(attempts, { maxMs: MAX_BACK_OFF_MS })
      if (hope === 'later' && nextTryAt < row.giveUpAt) {
        const next = { ...row, attempts, nextTryAt }
        await store.saveRecords(saveRow(next), { isPatient: true })
        return next
      }
    }
    return this.#end({ ...row, state: 'delivered', isReported: true })
  }
}

const INTERNAL = new DeliveryError('later', 'Internal error. See the log of the daemon.')

/** The session was deleted meanwhile. */
function isGone(error: unknown): boolean {
  return error instanceof AppendRefused || (error instanceof HubError && error.code === 'session_not_found')
}

function eventOf(row: OutboxRow, { kind, requestId }: OutboxRow['subjects'][number]): EventDraft {
  const notification = {
    notificationId: row.id,
    channel: row.channel,
    user: row.user,
    kind,
    ...(requestId !== null && { forRequest: requestId }),
    ...(row.isReminder && { isReminder: true as const }),
  }
  const { attempts, receipt, error, state } = row
  if (state === 'delivered')
    return {
      type: 'notification.delivered',
      data: {
        ...notification,
        attempts: Math.max(1, attempts),
        ...(receipt !== null && { receipt }),
        ...(row.subjects.length > 1 && { batch: row.subjects.length }),
      },
    }
  if (state === 'expired') return { type: 'notification.expired', data: { ...notification, attempts } }
  const nextTryAt = state === 'pending' ? isoTime(row.nextTryAt) : null
  return {
    type: 'notification.failed',
    data: { ...notification, attempts: Math.max(1, attempts), error: error ?? 'Not sent.', nextTryAt },
  }
}
