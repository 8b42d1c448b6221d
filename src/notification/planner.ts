/**
 * Follows the journal, keeps the open matters, and puts notifications into the outbox when they are due. Matters and
 * outbox change in one transaction, so that a crash neither loses nor repeats a notification.
 */

import { type DurableSubscriber, followDurably } from '../journal/durable-subscriber.js'
import type { Journal } from '../journal/journal.js'
import type { Clock } from '../lib/clock.js'
import type { IdSource } from '../lib/id.js'
import { Sequencer } from '../lib/sequencer.js'
import type { EventType, SessionEvent } from '../protocol/event/event.js'
import type { NotificationSettings } from '../protocol/notification/settings.js'
import type { StoredEvent } from '../store/port/append.js'
import type { RecordChange } from '../store/port/record.js'
import type { Store } from '../store/port.js'
import { type ActivityLog, signOf } from './activity.js'
import { isSettledBy, type Matter, matterOfEnd, matterOfRequest } from './matter.js'
import type { Outlook } from './outbox.js'
import { MATTER, type OutboxRow, removeMatter, saveMatter, saveRow } from './outbox-row.js'
import type { Recipient } from './rule/decide.js'
import { planSends } from './rule/plan-sends.js'
import { quietUntil } from './rule/quiet-hours.js'

export interface PlannerDeps {
  journal: Journal
  store: Store
  clock: Clock
  ids: IdSource
  rules: NotificationSettings
  activity: ActivityLog
  /** Users with the channels that can be used now. */
  recipients(): readonly Recipient[]
  /** The user behind a name in the log. */
  userOf(who: string): string
  /** Rows to withdraw what was sent about matters that are settled now. */
  withdraw(settled: readonly Matter[], isOpen: (matterId: string) => boolean): Promise<OutboxRow[]>
  /** New rows are stored: the outbox sends them. */
  onPlanned(rows: readonly OutboxRow[]): void
  onFault(error: unknown): void
}

const TYPES: readonly EventType[] = [
  'permission.requested',
  'question.requested',
  'permission.resolved',
  'question.resolved',
  'turn.started',
  'turn.ended',
  'message.queued',
  'session.changed',
  'session.ended',
]

/** Timers count running time: after a suspend or a jump of the clock the wall clock is compared at least this often. */
const RECHECK_MS = 15_000
/** After a restart pages report again where their users are, before anything is sent. */
const START_MS = 10_000

export class Planner {
  readonly #deps: PlannerDeps
  readonly #matters = new Map<string, Matter>()
  readonly #muted = new Set<string>()
  readonly #work = new Sequencer()
  #subscriber: DurableSubscriber | null = null
  /** Changes of the batch that is being saved. */
  #pending: { added: Matter[]; settled: Matter[]; rows: OutboxRow[] } = { added: [], settled: [], rows: [] }
  #cancelTimer: (() => void) | null = null
  #readyAt = 0
  #isClosed = false

  constructor(deps: PlannerDeps) {
    this.#deps = deps
  }

  async start({ isRestart }: { isRestart: boolean }): Promise<void> {
    const { store, journal, clock, onFault } = this.#deps
    this.#readyAt = clock.now() + (isRestart ? START_MS : 0)
    await this.#load()
    this.#subscriber = await followDurably({
      name: 'notifications',
      journal,
      store,
      clock,
      types: TYPES,
      handle: (items) => this.#handle(items),
      onSaved: () => this.#applyPending(),
      onFault,
    })
    // Race: a request of the moment between the two is in both. A matter is known by its request.
    await this.#addPendingRequests()
    this.tick()
  }

  isOpen(matterId: string): boolean {
    return this.#matters.has(matterId)
  }

  matter(id: string): Matter | null {
    return this.#matters.get(id) ?? null
  }

  /** Whether a row, which may have waited for its channel, may be sent now. */
  outlook({ matterIds, user }: OutboxRow): Outlook {
    const { clock, rules, recipients, activity } = this.#deps
    const now = clock.now()
    const matters = matterIds.flatMap((id) => this.#matters.get(id) ?? [])
    const heard = matters.filter(({ sessionId }) => !this.#muted.has(sessionId))
    const quiet = recipients().find((recipient) => recipient.user === user)?.quiet ?? null
    const seen = heard.map(({ sessionId }) => (activity.onSession(sessionId) ?? 0) + rules.presenceMs)
    const held = [
      quietUntil(quiet, now) ?? 0,
      heard.length === 0 ? now + RECHECK_MS : Math.min(...seen),
      // Where users are is not known yet.
      rules.presenceMs > 0 ? Math.min(this.#readyAt, now + START_MS) : 0,
    ].filter((until) => until > now)
    // A message about several sessions leaves out those that are muted.
    const open = (heard.length === 0 ? matters : heard).map(({ id }) => id)
    return { open, heldUntil: held.length === 0 ? null : Math.max(...held) }
  }

  /** A notification has come to its end. Saved together with its row. */
  async stepEnded(row: OutboxRow, state: 'delivered' | 'failed'): Promise<void> {
    const { store, clock } = this.#deps
    await this.#work.run('matters', async () => {
      const changed = row.matterIds.flatMap((matterId) => {
        const matter = this.#matters.get(matterId)
        if (!matter) return []
        const sent = matter.sent.map((step) =>
          step.notificationId === row.id ? { ...step, state, at: clock.now() } : step,
        )
        return { ...matter, sent }
      })
      await store.saveRecords([...changed.map(saveMatter), ...saveRow(row)], { isPatient: true })
      for (const matter of changed) if (this.#matters.has(matter.id)) this.#matters.set(matter.id, matter)
    })
    this.tick()
  }

  /** Looks at all matters: something has changed, or time has passed. */
  tick(): void {
    if (this.#isClosed) return
    this.#work.run('matters', () => this.#plan()).catch(this.#deps.onFault)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#cancelTimer?.()
    await this.#subscriber?.close()
    await this.#work.idle()
  }

  /** Matters of the previous run, without those that were settled by a crash between two writes. */
  async #load(): Promise<void> {
    const { store } = this.#deps
    const gone: Matter[] = []
    for (const { body } of await store.records(MATTER)) {
      const matter = body as Matter // Only this class writes records of this kind.
      const request = matter.requestId === null ? null : await store.request(matter.requestId)
      const session = await store.session(matter.sessionId)
      const isGone = session === null || (matter.requestId !== null && request?.state !== 'pending')
      if (isGone) gone.push(matter)
      else {
        this.#matters.set(matter.id, matter)
        if (session.isMuted) this.#muted.add(session.id)
      }
    }
    await this.#settle(gone)
  }

  /** Removes matters, and withdraws what was sent about them. */
  async #settle(matters: readonly Matter[]): Promise<void> {
    if (matters.length === 0) return
    const { store, withdraw, onPlanned } = this.#deps
    const ids = new Set(matters.map(({ id }) => id))
    const rows = await withdraw(matters, (id) => this.#matters.has(id) && !ids.has(id))
    await store.saveRecords([...matters.map(({ id }) => removeMatter(id)), ...rows.flatMap(saveRow)], {
      isPatient: true,
    })
    for (const id of ids) this.#matters.delete(id)
    onPlanned(rows)
  }

  /** Requests that were raised before there was a channel. */
  async #addPendingRequests(): Promise<void> {
    const { store } = this.#deps
    for (let after: string | undefined; ; ) {
      const page = await store.requests({
        state: 'pending',
        limit: 200,
        ...(after !== undefined && { after }),
      })
      for (const request of page) {
        if (this.#matters.has(request.id)) continue
        const session = await store.session(request.sessionId)
        if (!session) continue
        if (session.isMuted) this.#muted.add(session.id)
        const matter = matterOfRequest(request, session.cwd)
        await store.saveRecords([saveMatter(matter)], { isPatient: true })
        // Race: it may have been answered while the record was written.
        if ((await store.request(request.id))?.state === 'pending') this.#matters.set(matter.id, matter)
        else await store.saveRecords([removeMatter(matter.id)], { isPatient: true })
      }
      after = page.at(-1)?.id
      if (after === undefined) return
    }
  }

  async #handle(items: readonly StoredEvent[]): Promise<RecordChange[]> {
    const { activity, userOf, withdraw } = this.#deps
    const open = new Map(this.#matters)
    const added: Matter[] = []
    const settled: Matter[] = []
    for (const { event } of items) {
      const sign = signOf(event)
      if (sign) activity.note({ ...sign, user: userOf(sign.who) })
      if (event.type === 'session.changed' && event.data.isMuted !== undefined) {
        if (event.data.isMuted) this.#muted.add(event.sessionId)
        else this.#muted.delete(event.sessionId)
      }
      for (const matter of open.values()) {
        if (!isSettledBy(matter, event)) continue
        open.delete(matter.id)
        settled.push(matter)
      }
      const matter = await this.#raisedBy(event)
      if (!matter || open.has(matter.id)) continue
      open.set(matter.id, matter)
      added.push(matter)
    }
    const rows = await withdraw(settled, (id) => open.has(id))
    this.#pending = { added: added.filter(({ id }) => open.has(id)), settled, rows }
    return [
      ...this.#pending.added.map(saveMatter),
      ...settled.map(({ id }) => removeMatter(id)),
      ...rows.flatMap(saveRow),
    ]
  }

  async #raisedBy(event: SessionEvent): Promise<Matter | null> {
    const { store, rules } = this.#deps
    switch (event.type) {
      case 'permission.requested':
      case 'question.requested': {
        const request = await store.request(event.data.requestId)
        const session = await store.session(event.sessionId)
        if (session?.isMuted) this.#muted.add(session.id)
        return request?.state === 'pending' && session ? matterOfRequest(request, session.cwd) : null
      }
      case 'turn.ended':
      case 'session.ended': {
        const session = await store.session(event.sessionId)
        if (session?.isMuted) this.#muted.add(session.id)
        return session && matterOfEnd(event, session, rules.finishedAfterMs)
      }
      default:
        return null
    }
  }

  #applyPending(): void {
    const { added, settled, rows } = this.#pending
    // Race: a message that was delivered while the batch was saved.
    const late = settled.flatMap((matter) => lateOf(matter, this.#matters.get(matter.id)))
    for (const { id } of settled) this.#matters.delete(id)
    if (late.length > 0) this.#work.run('matters', () => this.#settle(late)).catch(this.#deps.onFault)
    for (const matter of added) this.#matters.set(matter.id, matter)
    if (rows.length > 0) this.#deps.onPlanned(rows)
    this.tick()
  }

  async #plan(): Promise<void> {
    const { clock, store, ids, rules, activity, recipients, onPlanned, withdraw } = this.#deps
    this.#cancelTimer?.()
    if (this.#isClosed || this.#matters.size === 0) return
    const now = clock.now()
    this.#readyAt = Math.min(this.#readyAt, now + START_MS)
    if (now < this.#readyAt) return this.#wakeAt(this.#readyAt)
    this.#clamp(now)
    const plan = planSends(
      [...this.#matters.values()],
      { now, rules, recipients: recipients(), activity, isMuted: (id) => this.#muted.has(id) },
      () => ids.next('ntf'),
    )
    const isOpen = (id: string) => this.#matters.has(id) && !plan.settled.some((matter) => matter.id === id)
    const rows = [...plan.rows, ...(await withdraw(plan.settled, isOpen))]
    if (rows.length > 0 || plan.settled.length > 0) {
      await store.saveRecords(
        [
          ...plan.changed.map(saveMatter),
          ...plan.settled.map(({ id }) => removeMatter(id)),
          ...rows.flatMap(saveRow),
        ],
        { isPatient: true },
      )
      for (const matter of plan.changed)
        if (this.#matters.has(matter.id)) this.#matters.set(matter.id, matter)
      for (const { id } of plan.settled) this.#matters.delete(id)
      onPlanned(rows)
    }
    if (plan.nextAt !== null) this.#wakeAt(plan.nextAt)
  }

  /** The clock was set back: what seems to be in the future happened just now. */
  #clamp(now: number): void {
    this.#deps.activity.clamp(now)
    for (const matter of this.#matters.values()) {
      if (matter.raisedAt <= now && matter.sent.every(({ at }) => at <= now)) continue
      const sent = matter.sent.map((step) => ({ ...step, at: Math.min(step.at, now) }))
      this.#matters.set(matter.id, { ...matter, raisedAt: Math.min(matter.raisedAt, now), sent })
    }
  }

  #wakeAt(at: number): void {
    if (this.#isClosed) return
    const { clock } = this.#deps
    this.#cancelTimer?.()
    const left = Math.min(RECHECK_MS, Math.max(0, at - clock.now()))
    this.#cancelTimer = clock.after(left, () => this.tick())
  }
}

/** The matter with the messages alone that were delivered since it was looked at. */
function lateOf(before: Matter, now: Matter | undefined): Matter[] {
  const isKnown = (id: string) =>
    before.sent.some(({ notificationId, state }) => notificationId === id && state === 'delivered')
  const sent = (now?.sent ?? []).filter(
    ({ notificationId, state }) => state === 'delivered' && !isKnown(notificationId),
  )
  return sent.length === 0 ? [] : [{ ...before, sent }]
}
