import { expect, onTestFinished, test } from 'vitest'
import { createSimulatedClock } from '../../../test/support/simulated-clock.js'
import { abortable } from '../../lib/abortable.js'
import { createMemoryStore } from '../../store/memory.js'
import { DeliveryError } from '../channel/port.js'
import type { BotApi } from './bot-api.js'
import { startPoller } from './poller.js'

const START = Date.UTC(2026, 10, 15, 12)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const update = (id: number) => ({
  update_id: id,
  callback_query: {
    id: `q${id}`,
    from: { id: 11, is_bot: false },
    data: `asba_${'A'.repeat(43)}`,
    message: { message_id: 5, date: START / 1_000, chat: { id: 11 } },
  },
})

function setup() {
  const clock = createSimulatedClock(START)
  const store = createMemoryStore({ newId: () => 'x' })
  const waiting: number[] = []
  const offsets: number[] = []
  const handled: number[] = []
  const notes: string[] = []
  const failures: Error[] = []
  let fails: unknown = null
  const api: BotApi = {
    async call(method, body, { signal }) {
      if (method !== 'getUpdates') return true
      const { offset } = body as { offset: number }
      offsets.push(offset)
      await abortable(new Promise<void>((resolve) => void clock.after(50_000, resolve)), signal)
      const failure = failures.shift()
      if (failure) throw failure
      return waiting.filter((id) => id >= offset).map(update)
    },
  }
  const poller = startPoller({
    api,
    token: '1:x',
    clock,
    store: {
      ...store,
      record: (kind, id) => store.record(kind, id),
      saveRecords: async (changes, options) => {
        if (fails) throw fails
        await store.saveRecords(changes, options)
      },
    },
    async handle(intent) {
      handled.push(intent.updateId)
      return null
    },
    onProblem: async ({ message }) => {
      notes.push(message)
      if (fails) throw fails
    },
    onRecovered: async () => notes.push('recovered'),
    onFault: (error) => notes.push(String(error)),
  })
  onTestFinished(() => poller.close())
  const pass = (ms: number) => clock.runUntil(clock.now() + ms)
  return {
    pass,
    waiting,
    offsets,
    handled,
    notes,
    failures,
    failStorage: (error: unknown) => (fails = error),
  }
}

test('polling survives a storage that fails, and continues when it works again', async () => {
  const { pass, waiting, handled, notes, failures, failStorage } = setup()
  failStorage(new Error('disk full'))
  failures.push(new DeliveryError('later', 'cut'))
  waiting.push(7)
  await pass(5 * MINUTE)
  expect(notes).toContain('Error: disk full')

  failStorage(null)
  handled.length = 0
  waiting.push(8)
  await pass(10 * MINUTE)
  expect(handled).toContain(8)
  expect(notes.at(-1)).toBe('recovered')
})

test('updates that are numbered anew after a week are taken', async () => {
  const { pass, waiting, offsets, handled } = setup()
  waiting.push(900)
  await pass(2 * MINUTE)
  expect(offsets.at(-1)).toBe(901)
  waiting.length = 0
  await pass(7 * DAY)
  waiting.push(20)
  await pass(2 * MINUTE)

  expect(handled).toEqual([900, 20])
})
