/** The limits of what one MCP client can hold open. */

import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { expect, test } from 'vitest'
import { createManualClock } from '../../../test/support/manual-clock.js'
import type { SubscribeOptions } from '../../journal/subscriber.js'
import { PostTransport } from './post-transport.js'
import { Subscriptions } from './subscriptions.js'

const request = (id: number): JSONRPCMessage => ({ jsonrpc: '2.0', id, method: 'tools/list' })
const never = () => new AbortController().signal

test('requests of a connection that is closed are forgotten', async () => {
  const transport = new PostTransport()
  const gone = new AbortController()
  const replies = transport.receive([request(1)], {}, gone.signal)
  expect(transport.isBusy).toBe(true)
  gone.abort()
  expect(await replies).toMatchObject([{ id: 1, error: { message: 'The connection was closed.' } }])
  expect(transport.isBusy).toBe(false)
})

test('a cancelled request is answered, so that its POST ends', async () => {
  const transport = new PostTransport()
  const replies = transport.receive([request(7)], {}, never())
  const cancel: JSONRPCMessage = {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 7 },
  }
  await transport.receive([cancel], {}, never())
  expect(await replies).toMatchObject([{ id: 7, error: { message: 'Cancelled.' } }])
})

test('the seventeenth request at a time is refused', async () => {
  const transport = new PostTransport()
  for (let id = 0; id < 16; id += 1) void transport.receive([request(id)], {}, never())
  await expect(transport.receive([request(16)], {}, never())).rejects.toMatchObject({
    code: 'requests_limited',
  })
  await transport.close()
  expect(transport.isBusy).toBe(false)
})

test('changes wait, each once, for a client that does not read', () => {
  const clock = createManualClock()
  const notified: string[] = []
  let deliver: SubscribeOptions['deliver'] = () => {}
  let canNotify = false
  const subscriptions = new Subscriptions({
    journal: {
      subscribe(options) {
        deliver = options.deliver
        return { close: () => {} }
      },
    },
    clock,
    canNotify: () => canNotify,
    notify: (uri) => notified.push(uri),
  })
  subscriptions.add('signalbox://inbox')
  const event = { type: 'permission.requested', sessionId: 'ses_1' }
  // Cast: only type and session are looked at.
  for (let position = 1; position < 1_000; position += 1) {
    deliver([{ position, event }] as never)
    clock.advance(250)
  }
  expect(notified).toEqual([])
  canNotify = true
  subscriptions.flushSoon()
  clock.advance(250)
  expect(notified).toEqual(['signalbox://inbox'])
  subscriptions.close()
})
