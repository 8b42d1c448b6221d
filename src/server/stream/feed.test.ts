/** A reader that is slow, and one that never reads. */

import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { ids, notice, permissionRequested } from '../../../test/support/build.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { openFeed, type StreamFilter } from './feed.js'
import { sseGap } from './frame.js'
import { FlushScheduler } from './write-batcher.js'

/** A socket whose reader reads nothing until it is released. */
class StuckSocket extends EventEmitter {
  destroyed = false
  written: Buffer[] = []
  #taken = 0
  #bytes = 0

  get writableLength(): number {
    return this.#bytes - this.#taken
  }
  get writableNeedDrain(): boolean {
    return this.writableLength > 16 * 1024
  }
  write(data: Buffer): boolean {
    this.written.push(data)
    this.#bytes += data.byteLength
    return !this.writableNeedDrain
  }
  cork(): void {}
  uncork(): void {}
  destroy(): void {
    this.destroyed = true
    this.emit('close')
  }
  take(bytes = this.writableLength): void {
    this.#taken += bytes
    if (this.writableLength === 0) this.emit('drain')
  }
  ids(): number[] {
    return [
      ...Buffer.concat(this.written)
        .toString()
        .matchAll(/^id: (\d+)$/gm),
    ].map((match) => Number(match[1]))
  }
}

async function setup(filter: Partial<StreamFilter> = {}, stalledMs = 30_000) {
  const runtime = await createTestRuntime()
  const { id: sessionId } = await runtime.createSession()
  const open = (socket: StuckSocket) =>
    openFeed(socket, runtime.journal, new FlushScheduler(), {
      sessionIds: [sessionId],
      after: 0,
      hasDeltas: true,
      ...filter,
      format: { encoding: 'sse', cursor: 'seq' },
      gapFrame: sseGap,
      stalledMs,
    })
  return { ...runtime, sessionId, open }
}

const LINE = 'x'.repeat(100 * 1024)
const upTo = (last: number) => Array.from({ length: last }, (_, n) => n + 1)

test('a reader that never reads holds at most a megabyte and what one event adds, and is let go', async () => {
  const { journal, sessionId, open } = await setup({}, 50)
  const socket = new StuckSocket()
  open(socket)

  for (let n = 0; n < 60; n += 1) await journal.append(sessionId, [notice(LINE)])

  expect(socket.writableLength).toBeLessThan(1.3 * 1024 * 1024)
  await expect.poll(() => socket.destroyed).toBe(true)
})

test('a slow reader is not let go while it takes something, and gets everything once', async () => {
  const { journal, sessionId, open } = await setup({}, 40)
  const socket = new StuckSocket()
  open(socket)
  for (let n = 0; n < 30; n += 1) await journal.append(sessionId, [notice(LINE)])

  const taking = setInterval(() => socket.take(Math.min(200 * 1024, socket.writableLength)), 10)
  await expect.poll(() => socket.ids().length, { timeout: 10_000 }).toBe(31)
  clearInterval(taking)

  expect(socket.destroyed).toBe(false)
  expect(socket.ids()).toEqual(upTo(31))
})

test('all readers are given the very same bytes', async () => {
  const { journal, sessionId, open } = await setup({ after: 1 })
  const [one, other] = [new StuckSocket(), new StuckSocket()]
  open(one)
  open(other)
  await new Promise((resolve) => setImmediate(resolve))
  await journal.append(sessionId, [notice('a')])
  await expect.poll(() => [one.written.length, other.written.length]).toEqual([1, 1])

  expect(one.written[0]).toBe(other.written[0])
})

test('only the types that are wanted come, replayed and live', async () => {
  const { journal, sessionId, open } = await setup({ types: ['permission.requested'] })
  const socket = new StuckSocket()
  await journal.append(sessionId, [notice('a'), permissionRequested(ids.next('per')), notice('b')])
  open(socket)
  await expect.poll(() => socket.ids()).toEqual([3])
  journal.publish(sessionId, { type: 'text.delta', data: { messageId: 'm', index: 0, offset: 0, text: 'x' } })
  await journal.append(sessionId, [permissionRequested(ids.next('per'))])

  // Between the two, the session has changed its state.
  await expect.poll(() => socket.ids()).toEqual([3, 6])
  expect(Buffer.concat(socket.written).toString()).not.toContain('text.delta')
})

test('a gap is told where events are gone, and only there', async () => {
  const { journal, store, sessionId, open } = await setup()
  await journal.append(sessionId, [notice('a'), notice('b'), notice('c')])
  const whole = new StuckSocket()
  open(whole)
  await expect.poll(() => whole.ids()).toEqual([1, 2, 3, 4])
  await journal.append(sessionId, [
    { type: 'session.ended', data: { outcome: 'completed', reason: 'Done.' } },
  ])
  await expect.poll(() => whole.ids()).toEqual([1, 2, 3, 4, 5, 6])
  await store.trim('2099-01-01T00:00:00.000Z')
  const trimmed = new StuckSocket()
  open(trimmed)
  await expect.poll(() => trimmed.written.length).toBe(1)
  await journal.append(sessionId, [notice('d'), notice('e')])

  await expect.poll(() => trimmed.ids()).toEqual([7, 8])
  expect(Buffer.concat(trimmed.written).toString()).toMatch(
    /^event: gap\ndata: \{"after":0,"next":7\}\n\nid: 7\n/,
  )
  expect(Buffer.concat(whole.written).toString()).not.toContain('gap')
})
