import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { createBox } from '../../test/support/box.js'
import { aPerson, ids } from '../../test/support/build.js'
import type { AskedCall } from './inbox.js'

const questions = [
  { question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }] },
  { question: 'Which ones?', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }] },
]

async function setup(options?: Parameters<typeof createBox>[0]) {
  const box = await createBox(options)
  const { id: sessionId } = await box.createSession()
  const leave = new AbortController()
  const call = (input: unknown = { command: 'make' }): AskedCall => ({
    sessionId,
    toolUseId: 'toolu_1',
    toolName: 'Bash',
    input,
    signal: leave.signal,
  })
  const ask = (input?: unknown) =>
    box.inbox.askPermission(call(input), { title: 'Run something', reason: 'No rule.', suggestions: [] })
  const pending = async () => (await box.inbox.requests({ state: 'pending' })).map((request) => request.id)
  const firstPending = async () => {
    await expect.poll(async () => (await pending()).length).toBeGreaterThan(0)
    return (await pending())[0] ?? ''
  }
  return { ...box, sessionId, call, ask, pending, firstPending, leave }
}

test('a request is in the inbox with its exact input before anybody answers', async () => {
  const { ask, firstPending, inbox } = await setup()
  const answer = ask({ command: 'rm -r build' })

  const request = await inbox.request(await firstPending())

  expect(request).toMatchObject({
    kind: 'permission',
    state: 'pending',
    toolName: 'Bash',
    input: { command: 'rm -r build' },
    title: 'Run something',
    reason: 'No rule.',
    resolution: null,
  })
  expect(request.inputDigest).toMatch(/^[0-9a-f]{64}$/)
  await inbox.answer(request.id, { decision: 'deny' }, aPerson)
  await answer
})

test('the first answer wins; the second is told who was first', async () => {
  const { ask, firstPending, inbox } = await setup()
  const answer = ask()
  const id = await firstPending()

  const [first, second] = await Promise.allSettled([
    inbox.answer(id, { decision: 'allow' }, { who: 'kim', via: 'dashboard' }),
    inbox.answer(id, { decision: 'deny', message: 'no' }, { who: 'sato', via: 'cli' }),
  ])

  expect(await answer).toMatchObject({ decision: 'allow', by: 'person', who: 'kim', via: 'dashboard' })
  expect(first).toMatchObject({ status: 'fulfilled', value: { state: 'resolved' } })
  expect(second).toMatchObject({
    status: 'rejected',
    reason: { code: 'request_already_resolved', details: { resolution: { who: 'kim', via: 'dashboard' } } },
  })
})

test('a denial carries its message', async () => {
  const { ask, firstPending, inbox } = await setup()
  const answer = ask()

  await inbox.answer(await firstPending(), { decision: 'deny', message: 'Not on a Friday.' }, aPerson)

  expect(await answer).toMatchObject({ decision: 'deny', message: 'Not on a Friday.' })
})

test('to allow all of these is a grant for the session, for a shell no wider than the command', async () => {
  const { ask, firstPending, inbox, hub, sessionId } = await setup()
  const answer = ask({ command: 'npm test' })

  await inbox.answer(await firstPending(), { decision: 'allowAll' }, aPerson)

  expect(await answer).toMatchObject({ decision: 'allowAll', grant: { tool: 'Bash', command: 'npm test' } })
  expect((await hub.session(sessionId)).grants).toEqual([{ tool: 'Bash', command: 'npm test' }])
})

test('an unanswered request is denied when its time is up', async () => {
  const { ask, clock, types, sessionId, firstPending } = await setup({ permissionTimeoutMs: 30_000 })
  const answer = ask()
  await firstPending()

  clock.advance(30_000)

  expect(await answer).toMatchObject({
    decision: 'deny',
    by: 'timeout',
    message: 'Permission request timeout (30s)',
  })
  expect((await types(sessionId)).filter((type) => type.startsWith('permission.'))).toEqual([
    'permission.requested',
    'permission.resolved',
  ])
})

test('without a time limit nothing is decided by waiting', async () => {
  const { ask, clock, pending, firstPending, inbox } = await setup()
  const answer = ask()
  const id = await firstPending()

  clock.advance(7 * 24 * 60 * 60_000)

  expect(await pending()).toEqual([id])
  await inbox.answer(id, { decision: 'deny' }, aPerson)
  await answer
})

test('an interrupt takes the request back', async () => {
  const { ask, leave, pending, firstPending } = await setup()
  const answer = ask()
  await firstPending()

  leave.abort()

  expect(await answer).toMatchObject({ decision: 'deny', by: 'shutdown', who: null })
  expect(await pending()).toEqual([])
})

test('a turn that is interrupted before its request is stored leaves none pending', async () => {
  const { ask, leave, pending } = await setup()
  leave.abort()

  expect(await ask()).toMatchObject({ decision: 'deny', by: 'shutdown' })
  expect(await pending()).toEqual([])
})

test('a store that fails denies: nothing is allowed because nobody could write it down', async () => {
  const { inbox, call, store, firstPending, leave } = await setup()
  const answer = inbox.askPermission(call(), { title: 't', reason: 'r', suggestions: [] })
  await firstPending()
  const append = store.append
  store.append = () => Promise.reject(new Error('disk full'))

  leave.abort()

  expect(await answer).toMatchObject({ decision: 'deny' })
  store.append = append
})

test('a question is answered by its texts, one or several', async () => {
  const { inbox, call, firstPending } = await setup()
  const answer = inbox.askQuestion({ ...call(), toolName: 'AskUserQuestion' }, questions)
  const id = await firstPending()

  await inbox.answer(id, { answers: { 'Which one?': 'my own', 'Which ones?': ['C', 'D'] } }, aPerson)

  expect(await answer).toMatchObject({
    answers: { 'Which one?': 'my own', 'Which ones?': ['C', 'D'] },
    by: 'person',
    who: 'kim',
  })
})

test('what does not answer a request is refused, and the request goes on waiting', async () => {
  const { inbox, call, ask, pending, firstPending } = await setup()
  const permission = ask()
  const id = await firstPending()
  const refused = { code: 'answer_invalid' }

  await expect(inbox.answer(id, { answers: { q: 'a' } }, aPerson)).rejects.toMatchObject(refused)
  await expect(inbox.answer(id, { decision: 'deny', updatedInput: {} }, aPerson)).rejects.toMatchObject(
    refused,
  )
  const past = '2026-11-15T11:59:59.999Z'
  await expect(inbox.answer(id, { decision: 'allow', until: past }, aPerson)).rejects.toMatchObject(refused)
  await inbox.answer(id, { decision: 'allow' }, aPerson)
  await permission

  const question = inbox.askQuestion({ ...call(), toolName: 'AskUserQuestion' }, questions)
  const other = await firstPending()
  await expect(inbox.answer(other, { decision: 'allow' }, aPerson)).rejects.toMatchObject(refused)
  await expect(inbox.answer(other, { answers: { 'Which?': 'A' } }, aPerson)).rejects.toMatchObject(refused)
  await expect(inbox.answer(other, { answers: {} }, aPerson)).rejects.toMatchObject(refused)
  expect(await pending()).toEqual([other])
  await inbox.answer(other, { answers: { 'Which one?': 'A' } }, aPerson)
  await question
})

test('an answered request leaves nothing behind: no timer, no listener, no memory of it', async () => {
  const { ask, firstPending, inbox, clock, leave } = await setup({ permissionTimeoutMs: 30_000 })
  const before = clock.timers()
  const answer = ask()
  const id = await firstPending()
  expect(clock.timers()).toBe(before + 1)
  expect(getEventListeners(leave.signal, 'abort')).toHaveLength(1)

  await inbox.answer(id, { decision: 'allow' }, aPerson)
  await answer

  expect(clock.timers()).toBe(before)
  expect(getEventListeners(leave.signal, 'abort')).toEqual([])
})

test('an unknown request is told as such', async () => {
  const { inbox } = await setup()

  await expect(inbox.answer(ids.next('per'), { decision: 'allow' }, aPerson)).rejects.toMatchObject({
    code: 'request_not_found',
  })
})
