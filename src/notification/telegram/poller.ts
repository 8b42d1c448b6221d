/**
 * Listens to a bot by long polling: presses of buttons and replies to messages. Needs no address that Telegram can
 * reach. The offset is stored after each batch, so that an update is handled at least once; its effects are idempotent.
 */

import { retryDelay } from '../../lib/back-off.js'
import type { Clock } from '../../lib/clock.js'
import { digest } from '../../lib/digest.js'
import type { Store } from '../../store/port.js'
import { DeliveryError } from '../channel/port.js'
import type { BotApi } from './bot-api.js'
import { type Intent, intentOf } from './update.js'

export interface PollerDeps {
  api: BotApi
  /** Of the bot. Only a digest is stored. */
  token: string
  store: Store
  clock: Clock
  /** Resolves with the text for the user who pressed a button, or wrote; null: no reply. Must not reject. */
  handle(intent: Intent & { kind: 'press' | 'reply' }): Promise<string | null>
  onProblem(error: DeliveryError): Promise<unknown>
  /** Polling works again. */
  onRecovered(): Promise<unknown>
  onFault(error: unknown): void
}

export interface Poller {
  close(): Promise<void>
}

const OFFSET = 'telegram-offset'
const POLL_SECONDS = 50
const MIN_POLL_MS = 1_000
/** After a week without updates Telegram numbers them anew, perhaps below those that were taken. */
const FORGET_MS = 6 * 24 * 60 * 60_000
/** Strangers can write to a bot, too: the largest messages that they can send must not make a response too large to be read. */
const MAX_UPDATES = 20
const MAX_UPDATE_BYTES = 128 * 1024

export function startPoller(deps: PollerDeps): Poller {
  const { api, store, clock, token } = deps
  const stop = new AbortController()
  const id = digest(token)
  let endPause: (() => void) | null = null
  /** Of the last update. */
  let newestAt = 0

  async function run(): Promise<void> {
    let offset: number | null = null
    for (let failures = 0; !stop.signal.aborted; ) {
      try {
        offset ??= await knownOffset()
        if (clock.now() > newestAt + FORGET_MS) offset = 0
        offset = await poll(offset)
        if (failures > 0) await deps.onRecovered()
        failures = 0
      } catch (error) {
        if (stop.signal.aborted) return
        failures += 1
        // Anything else, as while the storage fails, says nothing about the service.
        if (error instanceof DeliveryError) await deps.onProblem(error).catch(deps.onFault)
        else deps.onFault(error)
        const asked = error instanceof DeliveryError ? error.retryAfterMs : null
        await pause(asked ?? retryDelay(failures, { maxMs: 60_000 }))
      }
    }
  }

  async function knownOffset(): Promise<number> {
    const { offset = 0, at = 0 } = ((await store.record(OFFSET, id)) ?? {}) as {
      offset?: number
      at?: number
    }
    newestAt = at
    return offset
  }

  async function poll(offset: number): Promise<number> {
    const startedAt = clock.now()
    const body = {
      offset,
      timeout: POLL_SECONDS,
      limit: MAX_UPDATES,
      allowed_updates: ['message', 'callback_query'],
    }
    const options = {
      signal: stop.signal,
      timeoutMs: (POLL_SECONDS + 15) * 1_000,
      maxBytes: MAX_UPDATES * MAX_UPDATE_BYTES,
    }
    const updates = await api.call('getUpdates', body, options)
    let next = offset
    for (const update of Array.isArray(updates) ? (updates as unknown[]) : []) {
      const intent = intentOf(update, clock.now())
      // A repetition was handled before.
      if (intent.updateId === null || intent.updateId < next) continue
      await act(intent)
      next = intent.updateId + 1
    }
    if (next !== offset) {
      newestAt = clock.now()
      await store.saveRecords([{ kind: OFFSET, id, body: { offset: next, at: newestAt } }], {
        isPatient: true,
      })
    }
    // A service that answers at once with nothing new would be asked without a pause.
    else if (clock.now() < startedAt + MIN_POLL_MS) await pause(MIN_POLL_MS)
    return next
  }

  async function act(intent: Intent): Promise<void> {
    const text = intent.kind === 'none' ? null : await deps.handle(intent)
    const { signal } = stop
    // Best effort: the answer itself is stored.
    if (intent.kind === 'press' || intent.kind === 'none') {
      if (intent.queryId !== undefined)
        await api
          .call(
            'answerCallbackQuery',
            { callback_query_id: intent.queryId, ...(text !== null && { text }) },
            { signal },
          )
          .catch(() => {})
    } else if (text !== null)
      await api.call('sendMessage', { chat_id: intent.chat, text }, { signal }).catch(() => {})
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = clock.after(ms, resolve)
      endPause = () => {
        cancel()
        resolve()
      }
      if (stop.signal.aborted) endPause()
    })
  }

  const running = run()
  return {
    async close() {
      stop.abort()
      endPause?.()
      await running.catch(() => {})
    },
  }
}
