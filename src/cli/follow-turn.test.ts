import { expect, test } from 'vitest'
import {
  ids,
  permissionRequested,
  permissionResolved,
  turnEnded,
  turnStarted,
} from '../../test/support/build.js'
import type { Client } from '../client/client.js'
import type { EventDraft } from '../protocol/event/event.js'
import { followTurn, noteOutage } from './follow-turn.js'
import type { Terminal } from './output/terminal.js'

test('a daemon that does not answer is reported once for each outage, not for a connection that is resumed at once', () => {
  const notes: string[] = []
  const color = { dim: (text: string) => text } as Terminal['color'] // Nothing else of it is used.
  const onState = noteOutage({ note: (text) => notes.push(text), color })

  for (const state of ['connecting', 'live', 'waiting', 'connecting', 'live'] as const) onState(state)
  expect(notes).toEqual([])
  for (const state of ['waiting', 'connecting', 'waiting', 'connecting', 'waiting', 'live'] as const)
    onState(state)

  expect(notes).toEqual(['The daemon is not responding. Retrying.'])
})

const [messageId, requestId] = [ids.next('msg'), ids.next('per')]
const begun: EventDraft[] = [
  turnStarted('one', [messageId]),
  { type: 'message.delivered', data: { messageId, turnId: 'one' } },
  permissionRequested(requestId),
  turnEnded('one', { outcome: 'failed', stopReason: 'daemon_restarted', errors: ['Stopped.'] }),
]

async function follow(events: readonly EventDraft[]) {
  const notes: string[] = []
  // Casts: what `followTurn` uses of a client and of a terminal that cannot ask.
  const client = {
    async *events() {
      for (const event of events) yield { event }
    },
  } as unknown as Client
  const plain = (text: string) => text
  const terminal = {
    note: (text: string) => notes.push(text),
    stream: () => {},
    columns: null,
    isInteractive: false,
    color: { dim: plain, red: plain, yellow: plain },
  } as unknown as Terminal
  const code = await followTurn(
    { client, sessionId: 's', cwd: '/', messageId, after: 0, isJson: false },
    terminal,
  )
  return { code, notes: notes.join('\n') }
}

test('a turn that a restart has cut off while a request is pending is followed until its answer has ended it', async () => {
  const { code, notes } = await follow([
    ...begun,
    permissionResolved(requestId),
    turnStarted('two'),
    turnEnded('two'),
  ])

  expect(code).toBe(0)
  expect(notes).toContain('an answer continues the turn')
  expect(notes).not.toContain('Failed')
})

test('it has failed where nothing is pending any more', async () => {
  const withdrawn = permissionResolved(requestId, { decision: 'deny', by: 'shutdown', who: null, via: null })
  for (const events of [[...begun, withdrawn], begun.filter(({ type }) => type !== 'permission.requested')]) {
    const { code, notes } = await follow(events)
    expect(code).toBe(1)
    expect(notes).toContain('Failed (daemon_restarted).')
  }
})
