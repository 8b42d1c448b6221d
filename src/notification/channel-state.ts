/** How channels are doing: paused by a user, working, failing, or dead. Stored, so that a restart does not hide it. */

import type { Clock } from '../lib/clock.js'
import type { ChannelHealth } from '../protocol/notification/channel.js'
import type { Actor } from '../protocol/value.js'
import type { Store } from '../store/port.js'
import { changeEntry } from './audit.js'
import type { DeliveryError } from './channel/port.js'
import { isoTime } from './outbox-row.js'

const KIND = 'channel-state'

export interface ChannelState {
  readonly isPaused: boolean
  /** Failures since the last delivery. */
  readonly failures: number
  readonly isDead: boolean
  readonly error: string | null
  readonly lastDeliveredAt: number | null
  readonly lastFailedAt: number | null
}

const NEW: ChannelState = {
  isPaused: false,
  failures: 0,
  isDead: false,
  error: null,
  lastDeliveredAt: null,
  lastFailedAt: null,
}

const DEAD_AFTER = 5
/** After this time a dead channel is tried again, if a notification is due. */
const RETRY_MS = 10 * 60_000

export class ChannelStates {
  readonly #store: Store
  readonly #clock: Clock
  #states = new Map<string, ChannelState>()

  constructor({ store, clock }: { store: Store; clock: Clock }) {
    this.#store = store
    this.#clock = clock
  }

  async load(): Promise<void> {
    const rows = await this.#store.records(KIND)
    this.#states = new Map(rows.map(({ id, body }) => [id, body as ChannelState]))
  }

  of(name: string): ChannelState {
    return this.#states.get(name) ?? NEW
  }

  healthOf(name: string): ChannelHealth {
    const { failures, isDead, lastDeliveredAt } = this.of(name)
    if (isDead) return 'dead'
    if (failures > 0) return 'failing'
    return lastDeliveredAt === null ? 'unused' : 'ok'
  }

  /** Whether it is chosen for a notification while there are others. */
  isUsable(name: string): boolean {
    const { isPaused, isDead, lastFailedAt } = this.of(name)
    if (isPaused) return false
    const now = this.#clock.now()
    // A failure in the future: the clock was set back.
    return !isDead || lastFailedAt === null || lastFailedAt + RETRY_MS <= now || lastFailedAt > now
  }

  /** Null: it was delivered. */
  async note(name: string, error: DeliveryError | null): Promise<void> {
    const before = this.of(name)
    const now = this.#clock.now()
    if (!error) {
      const isNews = before.failures > 0 || before.lastDeliveredAt === null
      await this.#save(name, { ...NEW, isPaused: before.isPaused, lastDeliveredAt: now }, isNews)
      return
    }
    const failures = before.failures + 1
    const isDead = error.hope !== 'later' || failures >= DEAD_AFTER
    await this.#save(name, { ...before, failures, isDead, error: error.message, lastFailedAt: now })
  }

  /** Records that something works again which failed without a message, as polling does. */
  async recover(name: string): Promise<void> {
    const state = this.of(name)
    if (state.failures > 0) await this.#save(name, { ...state, failures: 0, isDead: false, error: null })
  }

  async pause(name: string, isPaused: boolean, actor: Actor): Promise<void> {
    const audit = changeEntry(
      'channel.changed',
      isoTime(this.#clock.now()),
      actor,
      `${name} (${isPaused ? 'paused' : 'resumed'})`,
    )
    const body = { ...this.of(name), isPaused }
    await this.#store.saveRecords([{ kind: KIND, id: name, body }], { audit })
    this.#states.set(name, body)
  }

  /** Its settings have changed: what went wrong before says nothing about it. */
  async reset(name: string): Promise<void> {
    const { isPaused } = this.of(name)
    await this.#save(name, { ...NEW, isPaused })
  }

  async remove(name: string): Promise<void> {
    await this.#store.saveRecords([{ kind: KIND, id: name, body: null }], { isPatient: true })
    this.#states.delete(name)
  }

  /** The time of a further delivery is not worth a write of its own. */
  async #save(name: string, state: ChannelState, isNews = true): Promise<void> {
    this.#states.set(name, state)
    if (isNews) await this.#store.saveRecords([{ kind: KIND, id: name, body: state }], { isPatient: true })
  }
}
