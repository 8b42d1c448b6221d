/** Changes belong to the calls that ran when they were made. */

import { lstatSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { aCall, makeWorkspace } from '../../test/support/workspace.js'

async function setup() {
  const made = await makeWorkspace()
  made.write('a', 'a\n')
  made.write('b', 'b\n')
  await made.workspace.changes.look()
  /** Changes with their makers, in short. */
  const recorded = () =>
    made.records.map(
      ({ sessionId, data }) =>
        `${sessionId} ${data.source} ${data.toolUseIds.join('+')}: ${data.files.map(({ path, change }) => `${path} ${change}`).join(', ')}`,
    )
  return { ...made, changes: made.workspace.changes, recorded }
}

const key = (toolUseId: string, sessionId = 'ses_1') => ({ sessionId, toolUseId })

test('a call is given what changed while it ran, and nothing that changed before or after', async () => {
  const { changes, write, remove, recorded } = await setup()
  write('a', 'by a user\n')

  await changes.before(aCall('one'))
  write('b', 'by the call\n')
  write('c', 'new\n')
  await changes.after(key('one'))
  remove('a')
  await changes.look()

  expect(recorded()).toEqual(['ses_1 call one: b changed, c added'])
})

test('an edit is given its own file alone, also while others change files', async () => {
  const { changes, write, recorded } = await setup()

  await changes.before(aCall('edit', { targets: ['a'] }))
  write('a', 'edited\n')
  write('b', 'by a user meanwhile\n')
  await changes.after(key('edit'))
  await changes.settled()

  expect(recorded()).toEqual(['ses_1 call edit: a changed'])
})

test('an edit with hooks is given what they change too', async () => {
  const { changes, write, recorded } = await setup()

  await changes.before(aCall('edit', { targets: ['a'] }))
  write('a', 'edited\n')
  write('b', 'formatted\n')
  await changes.after(key('edit'), true)

  expect(recorded()).toEqual(['ses_1 call edit: a changed, b changed'])
})

test('what two calls can have made at the same time belongs to both, also of two sessions', async () => {
  const { changes, write, recorded, records } = await setup()

  await changes.before(aCall('one'))
  await changes.before(aCall('two', { sessionId: 'ses_2' }))
  await changes.before(aCall('three', { agentId: 'agent', targets: ['c'] }))
  write('a', 'by one of them\n')
  write('c', 'by the third\n')
  await changes.after(key('one'))
  await changes.after(key('two', 'ses_2'))

  expect(recorded()).toEqual([
    'ses_1 call one: a changed',
    'ses_2 call two: a changed',
    'ses_1 call three: c added',
  ])
  const [first, second] = records
  expect(first?.data.changeId).toBe(second?.data.changeId)
  expect(first?.data.isShared).toBe(true)
})

test('a call whose tool has run does not share what the next call of its agent changes', async () => {
  const { changes, write, recorded } = await setup()

  await changes.before(aCall('one'))
  write('a', 'by one\n')
  changes.ran(key('one'))
  await changes.before(aCall('two'))
  write('b', 'by two\n')
  await changes.after(key('one'))
  await changes.after(key('two'))

  expect(recorded()).toEqual(['ses_1 call one: a changed', 'ses_1 call two: b changed'])
})

test('a command in the background is given only what changes while no call runs', async () => {
  const { changes, write, recorded } = await setup()

  await changes.before(aCall('server'))
  write('a', 'by the server\n')
  changes.background(key('server'))
  await changes.before(aCall('one'))
  write('b', 'by the call\n')
  await changes.after(key('one'))
  write('c', 'later\n')
  await changes.after(key('server'))

  expect(recorded()).toEqual([
    'ses_1 background server: a changed',
    'ses_1 call one: b changed',
    'ses_1 background server: c added',
  ])
})

test('looks that wait are answered by one, and each call waits for a look that began after it was asked', async () => {
  const { changes, write, recorded } = await setup()
  const first = changes.look()
  const calls = [changes.before(aCall('one')), changes.before(aCall('two')), changes.look()]
  write('a', 'before any call\n')

  const states = await Promise.all([first, ...calls])
  write('b', 'by both\n')
  await Promise.all([changes.after(key('one')), changes.after(key('two'))])

  expect(new Set(states.slice(1).map(({ tree }) => tree)).size).toBe(1)
  expect(recorded()).toEqual(['ses_1 call one+two: b changed'])
})

test('the state after a turn is that of everything, looked at once', async () => {
  const { changes, write } = await setup()
  await changes.before(aCall('edit', { targets: ['a'] }))
  write('a', 'edited\n')
  write('b', 'by a user\n')
  const afterEdit = await changes.after(key('edit'))

  const settled = await changes.settled()

  expect(settled).not.toEqual(afterEdit)
  expect(await changes.settled()).toBe(settled)
})

test('an edit does not wait for git if its file is as it was when the user was asked', async () => {
  const { workspace, changes, write, recorded } = await setup()
  const folder = workspace.store.workspace
  const anHourAgo = new Date(Date.now() - 3_600_000)
  utimesSync(join(folder, 'a'), anHourAgo, anHourAgo)
  await expect.poll(() => Date.now() - lstatSync(join(folder, 'a')).ctimeMs).toBeGreaterThan(150)
  await changes.prepare(['a', 'new'])
  const listed = vi.spyOn(workspace.store.git, 'run')

  await changes.before(aCall('edit', { targets: ['a', 'new'] }))
  expect(listed).not.toHaveBeenCalled()
  write('a', 'edited\n')
  write('new', 'made\n')
  await changes.after(key('edit'))

  expect(recorded()).toEqual(['ses_1 call edit: a changed, new added'])
})

test('what a user saves between the question and the edit is not given to the edit', async () => {
  const { changes, write, recorded } = await setup()
  await changes.prepare(['a'])
  write('a', 'by a user\n')

  await changes.before(aCall('edit', { targets: ['a'] }))
  write('a', 'edited\n')
  await changes.after(key('edit'))

  expect(recorded()).toEqual(['ses_1 call edit: a changed'])
})
