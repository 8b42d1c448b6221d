import { expect, test } from 'vitest'
import { aPerson } from '../../test/support/build.js'
import { Outbox, type OutgoingMessage } from './outbox.js'

function setup() {
  const state = { isBusy: false, log: [] as string[], cancelled: new Set<string>() }
  const outbox = new Outbox({
    isBusy: () => state.isBusy,
    hasTurn: () => state.isBusy,
    interrupt: async () => {
      state.log.push('interrupt')
    },
    isCancelled: (messageId) => state.cancelled.has(messageId),
    handOver: ({ text }) => {
      state.log.push(text)
      state.isBusy = true
    },
  })
  const send = (text: string, whenBusy: OutgoingMessage['whenBusy']) =>
    outbox.add({ messageId: text, text, whenBusy, from: aPerson })
  const finish = () => {
    state.isBusy = false
    outbox.release()
  }
  return { state, outbox, send, finish }
}

test('an idle session gets every message at once', async () => {
  for (const whenBusy of ['inject', 'queue', 'replace'] as const) {
    const { state, send } = setup()
    await send('a', whenBusy)
    expect(state.log).toEqual(['a'])
  }
})

test('inject goes into the running turn, queue waits for its end, replace stops it first', async () => {
  const { state, send, finish } = setup()
  await send('first', 'inject')
  await send('later', 'queue')
  await send('also', 'inject')
  await send('instead', 'replace')
  expect(state.log).toEqual(['first', 'also', 'interrupt', 'instead'])

  finish()
  expect(state.log.at(-1)).toBe('later')
})

test('messages that wait get a turn each, in their order', async () => {
  const { state, send, finish } = setup()
  await send('first', 'inject')
  await send('a', 'queue')
  await send('b', 'queue')
  finish()
  expect(state.log).toEqual(['first', 'a'])
  await send('c', 'queue')
  finish()
  finish()
  finish()
  expect(state.log).toEqual(['first', 'a', 'b', 'c'])
})

test('a message that was cancelled while it waited is not sent, and the next one gets its turn', async () => {
  const { state, send, finish, outbox } = setup()
  await send('first', 'inject')
  await send('a', 'queue')
  await send('b', 'queue')
  expect([outbox.isHeld('a'), outbox.isHeld('first')]).toEqual([true, false])

  state.cancelled.add('a')
  finish()
  expect(state.log).toEqual(['first', 'b'])
})

test('a message that is cancelled while the turn before it is being stopped is not sent', async () => {
  const { state, send } = setup()
  await send('first', 'inject')
  const replacing = send('instead', 'replace')
  state.cancelled.add('instead')
  await replacing
  expect(state.log).toEqual(['first', 'interrupt'])
})

test('a message that is forgotten can be sent again', async () => {
  const { state, send, finish, outbox } = setup()
  await send('first', 'inject')
  await send('a', 'queue')
  outbox.forget('a')
  finish()
  await send('a', 'queue')
  expect(state.log).toEqual(['first', 'a'])
})

test('the same message twice is sent once', async () => {
  const { state, send } = setup()
  await send('a', 'inject')
  await send('a', 'inject')
  expect(state.log).toEqual(['a'])
})
