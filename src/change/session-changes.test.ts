/** The recording of changes around the calls of one session. */

import { expect, test } from 'vitest'
import { createManualClock } from '../../test/support/manual-clock.js'
import { makeWorkspace } from '../../test/support/workspace.js'
import type { EventDraft } from '../protocol/event/event.js'
import { SessionChanges } from './session-changes.js'

async function setup() {
  const { workspace, write } = await makeWorkspace()
  write('a', 'a\n')
  await workspace.changes.look()
  const session = new SessionChanges({
    sessionId: 'ses_1',
    workspace,
    clock: createManualClock(),
    write: () => {},
  })
  const ended = (toolUseId: string) =>
    session.note({
      type: 'tool.ended',
      data: { toolUseId, name: 'Bash', outcome: 'cancelled', durationMs: null },
    } satisfies EventDraft)
  return { session, changes: workspace.changes, ended }
}

const aWritingCall = (toolUseId: string) => ({ toolUseId, paths: [], outside: [], isExact: false })

test('a call that is interrupted while the state before it is recorded does not count as running', async () => {
  const { session, changes, ended } = await setup()

  const before = session.before(aWritingCall('one'))
  ended('one')
  await before

  await expect.poll(() => changes.running).toEqual([])
})

test('a call counts as running from its state before until it has ended', async () => {
  const { session, changes, ended } = await setup()

  await session.before(aWritingCall('one'))
  expect(changes.running.map(({ toolUseId }) => toolUseId)).toEqual(['one'])
  ended('one')

  await expect.poll(() => changes.running).toEqual([])
})
