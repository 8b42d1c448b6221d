/** Recovery of a log with missing end events and with damaged rows. */

import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { ids, permissionRequested, sessionCreated } from '../../../test/support/build.js'
import { problemsOf } from '../../../test/support/check-log.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { openDatabase } from '../../lib/sqlite/driver.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { openSqliteStore } from '../../store/sqlite/store.js'

const turnStarted = (turnId: string): EventDraft => ({
  type: 'turn.started',
  data: { turnId, messageIds: [], origin: { kind: 'person' } },
})
const toolRequested = (toolUseId: string): EventDraft => ({
  type: 'tool.requested',
  data: { toolUseId, name: 'Bash', input: {} },
})

async function setup() {
  const path = join(await temporaryFolder(), 'signalbox.db')
  const store = await openSqliteStore({ path, newId: () => ids.next('evt') })
  onTestFinished(() => store.close())
  const add = async (drafts: readonly EventDraft[]) => {
    const sessionId = ids.next('ses')
    const at = new Date().toISOString()
    await store.append([
      {
        sessionId,
        drafts: [sessionCreated(), ...drafts].map((draft) => ({ ...draft, id: ids.next('evt'), at })),
      },
    ])
    return sessionId
  }
  const log = async (id: string) => (await store.readSession(id)).map(({ event }) => event)
  return { path, store, add, log }
}

test('ends that the snapshot has forgotten are written at the next start, once', async () => {
  const { store, add, log } = await setup()
  const first = ids.next('trn')
  const second = ids.next('trn')
  const id = await add([
    turnStarted(first),
    toolRequested('toolu_lost'),
    {
      type: 'skill.started',
      data: {
        skillName: 'spec',
        triggerCommand: '/spec',
        turnSeq: 1,
        targetDocPath: null,
        toolUseId: 'toolu_lost',
      },
    },
    // The end of the first turn was lost; the second one takes its place in the snapshot.
    turnStarted(second),
    { type: 'agent.started', data: { agentId: 'agt_1', agentType: 'general' } } as EventDraft,
  ])
  await createTestRuntime({ store })
  await expect.poll(async () => problemsOf(await log(id))).toEqual([])
  const ends = (await log(id)).length
  expect(await store.session(id)).toMatchObject({ turn: null, state: 'idle', turns: 2 })

  await createTestRuntime({ store })
  await expect.poll(() => store.recoveredUpTo()).toBe(await store.lastPosition())
  expect(await log(id)).toHaveLength(ends)
})

test('a damaged request or session does not keep the others from being recovered', async () => {
  const { path, store, add, log } = await setup()
  const request = ids.next('per')
  const damaged = await add([turnStarted(ids.next('trn')), permissionRequested(request)])
  const broken = await add([turnStarted(ids.next('trn'))])
  const whole = await add([turnStarted(ids.next('trn')), toolRequested('toolu_1')])
  const other = await openDatabase(path)
  onTestFinished(() => other.close())
  other.prepare("UPDATE request SET body = json_set(body, '$.id', 'nonsense') WHERE id = ?").run(request)
  other
    .prepare(
      "UPDATE event SET data = '{\"turnId\":' WHERE type = 'turn.started' AND session = (SELECT key FROM session WHERE id = ?)",
    )
    .run(broken)

  await createTestRuntime({ store })

  await expect.poll(async () => problemsOf(await log(whole))).toEqual([])
  await expect.poll(async () => problemsOf(await log(damaged))).toEqual([])
  expect(await log(damaged)).toContainEqual(
    expect.objectContaining({
      type: 'error.raised',
      data: expect.objectContaining({ code: 'storage_damaged' }),
    }),
  )
  expect(await store.session(damaged)).toMatchObject({ state: 'idle', pendingRequests: [] })
  expect(await log(broken)).toContainEqual(expect.objectContaining({ type: 'error.raised' }))
})

test('a session that runs on another machine is left as it is', async () => {
  const { store, log } = await setup()
  const sessionId = ids.next('ses')
  const at = new Date().toISOString()
  const drafts = [
    sessionCreated({ machine: 'laptop' }),
    turnStarted(ids.next('trn')),
    toolRequested('toolu_1'),
  ]
  const stamped = drafts.map((draft) => ({ ...draft, id: ids.next('evt'), at }))
  await store.append([{ sessionId, drafts: stamped }])
  const before = await log(sessionId)

  await createTestRuntime({ store })

  await expect.poll(() => store.recoveredUpTo()).toBe(await store.lastPosition())
  expect(await log(sessionId)).toEqual(before)
})

test('a session that was being stopped when the daemon was killed has ended after the start', async () => {
  const { store, add } = await setup()
  const stopping = { outcome: 'interrupted', reason: 'Stopped by kim.' } as const
  const id = await add([turnStarted(ids.next('trn')), { type: 'session.stopping', data: stopping }])

  const { claudes } = await createTestRuntime({ store })

  await expect.poll(async () => (await store.session(id))?.state).toBe('ended')
  expect(await store.session(id)).toMatchObject({ ...stopping, stopping: null, turn: null })
  expect(claudes.started).toEqual([])
})
