/** A session that crashes the daemon each time it is resumed does not do so for ever. */

import { expect, test } from 'vitest'
import { aPerson, ids, messageQueued, sessionCreated } from '../../../test/support/build.js'
import { createManualClock } from '../../../test/support/manual-clock.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { createMemoryStore } from '../../store/memory.js'
import { ResumeGuard } from './resume-guard.js'

const newStore = () => createMemoryStore({ newId: () => ids.next('evt') })

/** A start; without `close` it ends with a crash. */
async function start(store: ReturnType<typeof newStore>) {
  const clock = createManualClock()
  const resumed: string[] = []
  const held: string[] = []
  const paused: [string, number][] = []
  const onFault = (error: unknown) => {
    throw error
  }
  const guard = new ResumeGuard({ store, clock, hasStarted: async () => true, onFault })
  await guard.load()
  const resume = (id: string, what = 'msg_1') =>
    guard.resume({
      sessionId: id,
      what,
      resume: () => resumed.push(id),
      hold: async () => void held.push(id),
      pause: async (_, ms) => void paused.push([id, ms]),
    })
  return { guard, clock, resume, resumed, held, paused }
}

test('after three starts that crashed with it a session is resumed after a pause that grows, after six it is held', async () => {
  const store = newStore()
  for (let crashes = 0; crashes < 3; crashes += 1) {
    const { resume, resumed } = await start(store)
    await resume('ses_a')
    expect(resumed).toEqual(['ses_a'])
  }
  for (const ms of [10_000, 20_000, 40_000]) {
    const { resume, resumed, paused, clock } = await start(store)
    await resume('ses_a')
    expect([resumed, paused]).toEqual([[], [['ses_a', ms]]])
    clock.advance(ms)
    await expect.poll(() => resumed).toEqual(['ses_a'])
  }

  const seventh = await start(store)
  await seventh.resume('ses_a')
  const eighth = await start(store)
  await eighth.resume('ses_a')

  expect([seventh.resumed, seventh.held]).toEqual([[], ['ses_a']])
  expect([eighth.resumed, eighth.held]).toEqual([[], []])
})

test('a session that has run for a while, or that a stop has ended, is not counted', async () => {
  const store = newStore()
  for (let restarts = 0; restarts < 5; restarts += 1) {
    const { resume, clock } = await start(store)
    await resume('ses_a')
    clock.advance(10_000)
    await expect.poll(() => store.states('resume:')).toEqual([])
  }
  for (let restarts = 0; restarts < 5; restarts += 1) {
    const { resume, guard } = await start(store)
    await resume('ses_a')
    await guard.close()
  }

  expect(await store.states('resume:')).toEqual([])
})

test('a session that has got further between two crashes is not counted with the earlier ones', async () => {
  const store = newStore()

  for (const what of ['msg_1', 'msg_1', 'msg_2', 'msg_3', 'msg_4']) {
    const { resume, resumed } = await start(store)
    await resume('ses_a', what)
    expect(resumed).toEqual(['ses_a'])
  }
})

test('after two crashes sessions are resumed one at a time, so that only the one at fault is paused', async () => {
  const store = newStore()
  for (let crashes = 0; crashes < 2; crashes += 1) {
    const { resume } = await start(store)
    await Promise.all([resume('ses_good'), resume('ses_bad')])
  }
  const third = await start(store)
  await Promise.all([third.resume('ses_good'), third.resume('ses_bad')])
  expect(third.resumed).toEqual(['ses_good'])
  third.clock.advance(10_000)
  await expect.poll(() => third.resumed).toEqual(['ses_good', 'ses_bad'])

  const fourth = await start(store)
  await Promise.all([fourth.resume('ses_good'), fourth.resume('ses_bad')])

  expect([fourth.resumed, fourth.paused]).toEqual([['ses_good'], [['ses_bad', 10_000]]])
})

test('a message that crashed three starts is paused with a notice, and is delivered when the user sends another', async () => {
  const store = newStore()
  const sessionId = ids.next('ses')
  const folder = await temporaryFolder()
  const drafts = [sessionCreated({ cwd: folder }), messageQueued('poison')]
  const at = new Date().toISOString()
  await store.append([{ sessionId, drafts: drafts.map((draft) => ({ ...draft, id: ids.next('evt'), at })) }])
  for (let crashes = 0; crashes < 3; crashes += 1) {
    const { claudes } = await createTestRuntime({ store, folder })
    await expect.poll(() => claudes.started.length).toBe(1)
  }

  const { claudes, hub, types } = await createTestRuntime({ store, folder })

  await expect.poll(() => types(sessionId)).toContain('notice.raised')
  expect(claudes.started).toEqual([])
  expect((await hub.session(sessionId)).queue).toHaveLength(1)
  await hub.send(sessionId, { text: 'try again' }, aPerson)
  await expect
    .poll(() => claudes.started[0]?.received.map(({ content }) => content))
    .toEqual(['poison', 'try again'])
})
