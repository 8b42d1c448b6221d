import { getEventListeners } from 'node:events'
import { describe, expect, test } from 'vitest'
import { aPerson, ids, permissionRequested } from '../../test/support/build.js'
import { createTestRuntime } from '../../test/support/test-runtime.js'
import type { AskedCall } from './asked-call.js'
import { createInbox } from './inbox.js'

const questions = [
  { question: 'Which one?', options: [{ label: 'A' }, { label: 'B' }] },
  { question: 'Which ones?', multiSelect: true, options: [{ label: 'C' }, { label: 'D' }] },
]

async function setup(options?: Parameters<typeof createTestRuntime>[0]) {
  const runtime = await createTestRuntime(options)
  const { id: sessionId } = await runtime.createSession()
  const leave = new AbortController()
  const call = (input: unknown = { command: 'make' }): AskedCall => ({
    sessionId,
    toolUseId: 'toolu_1',
    toolName: 'Bash',
    input,
    signal: leave.signal,
  })
  const ask = (input?: unknown) =>
    runtime.asker.askPermission(call(input), { title: 'Run something', reason: 'No rule.', suggestions: [] })
  const pending = async () =>
    (await runtime.inbox.requests({ state: 'pending' })).map((request) => request.id)
  const firstPending = async () => {
    await expect.poll(async () => (await pending()).length).toBeGreaterThan(0)
    return (await pending())[0] ?? ''
  }
  return { ...runtime, sessionId, call, ask, pending, firstPending, leave }
}

const form = {
  server: 'kit',
  message: 'Who are you?',
  schema: { type: 'object', properties: { name: { type: 'string', minLength: 2 } }, required: ['name'] },
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

test.each(['api', 'mcp'] as const)(
  'a call that is delivered again after a restart has the answer that was given before (%s)',
  async (via) => {
    const { ask, call, firstPending, inbox, asker, pending } = await setup()
    const answer = ask()
    await inbox.answer(await firstPending(), { decision: 'allow' }, { ...aPerson, via })
    await answer

    const again = await asker.askPermission(
      { ...call(), isRepeated: true },
      { title: 'Run something', reason: 'No rule.', suggestions: [] },
    )

    expect(again).toMatchObject({ decision: 'allow', via })
    expect(await pending()).toEqual([])
  },
)

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
  const { asker, call, store, firstPending, leave } = await setup()
  const answer = asker.askPermission(call(), { title: 't', reason: 'r', suggestions: [] })
  await firstPending()
  const append = store.append
  store.append = () => Promise.reject(new Error('disk full'))

  leave.abort()

  expect(await answer).toMatchObject({ decision: 'deny' })
  store.append = append
})

test('a question is answered by its texts, one or several', async () => {
  const { inbox, asker, call, firstPending } = await setup()
  const answer = asker.askQuestion({ ...call(), toolName: 'AskUserQuestion' }, questions)
  const id = await firstPending()

  await inbox.answer(id, { answers: { 'Which one?': 'my own', 'Which ones?': ['C', 'D'] } }, aPerson)

  expect(await answer).toMatchObject({
    answers: { 'Which one?': 'my own', 'Which ones?': ['C', 'D'] },
    by: 'person',
    who: 'kim',
  })
})

test('what does not answer a request is refused, and the request goes on waiting', async () => {
  const { inbox, asker, call, ask, pending, firstPending } = await setup()
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

  const question = asker.askQuestion({ ...call(), toolName: 'AskUserQuestion' }, questions)
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
  expect(clock.timers()).toBeGreaterThan(before)
  expect(getEventListeners(leave.signal, 'abort')).toHaveLength(1)

  await inbox.answer(id, { decision: 'allow' }, aPerson)
  await answer

  expect(clock.timers()).toBe(before)
  expect(getEventListeners(leave.signal, 'abort')).toEqual([])
})

test('the same answer again, by its key, is one answer; under another key it is told who was first', async () => {
  const { ask, firstPending, inbox, types, sessionId } = await setup()
  const answer = ask()
  const id = await firstPending()
  const body = { decision: 'allow', idempotencyKey: 'tap-1' } as const

  const taps = await Promise.all([1, 2, 3].map(() => inbox.answer(id, body, aPerson)))
  await answer
  const late = await inbox.answer(id, body, { ...aPerson, via: 'cli' })

  for (const request of [...taps, late])
    expect(request.resolution).toMatchObject({ who: 'kim', decision: 'allow' })
  expect((await types(sessionId)).filter((type) => type === 'permission.resolved')).toHaveLength(1)
  await expect(inbox.answer(id, body, { who: 'sato', via: 'api' })).rejects.toMatchObject({
    code: 'request_already_resolved',
  })
  await expect(inbox.answer(id, { ...body, idempotencyKey: 'tap-2' }, aPerson)).rejects.toMatchObject({
    code: 'request_already_resolved',
    message: expect.stringMatching(/answered by kim from the API at 2026-/),
  })
})

test('a question that is refused tells the agent what the person said', async () => {
  const { inbox, asker, call, firstPending } = await setup()
  const answer = asker.askQuestion(call(), questions)

  await inbox.answer(await firstPending(), { decision: 'deny', message: 'Ask me later.' }, aPerson)

  expect(await answer).toMatchObject({ answers: null, by: 'person', who: 'kim', message: 'Ask me later.' })
})

test('a plan is approved with the mode to go on in, and never for good', async () => {
  const { inbox, asker, call, firstPending } = await setup()
  const why = { title: 't', reason: 'r', suggestions: [], plan: '# Build' }
  const answer = asker.askPermission({ ...call(), toolName: 'ExitPlanMode' }, why)
  const id = await firstPending()

  expect((await inbox.request(id)).plan).toBe('# Build')
  const refused = { code: 'answer_invalid' }
  await expect(inbox.answer(id, { decision: 'allowAll' }, aPerson)).rejects.toMatchObject(refused)
  await expect(inbox.answer(id, { decision: 'deny', mode: 'default' }, aPerson)).rejects.toMatchObject(
    refused,
  )
  await inbox.answer(id, { decision: 'allow', mode: 'acceptEdits' }, aPerson)
  expect(await answer).toMatchObject({ decision: 'allow', mode: 'acceptEdits' })

  const other = asker.askPermission(call(), { title: 't', reason: 'r', suggestions: [] })
  const next = await firstPending()
  await expect(inbox.answer(next, { decision: 'allow', mode: 'plan' }, aPerson)).rejects.toMatchObject(
    refused,
  )
  await inbox.answer(next, { decision: 'allow' }, aPerson)
  await other
})

test('a form is answered with content that fits it, or not at all', async () => {
  const { inbox, asker, call, firstPending } = await setup()
  const ask = () => asker.askForm({ ...call(form), toolUseId: null, toolName: 'mcp__kit' }, form)
  const first = ask()
  const id = await firstPending()
  const refused = { code: 'answer_invalid' }

  expect(await inbox.request(id)).toMatchObject({ kind: 'question', title: 'Who are you?', form })
  await expect(inbox.answer(id, { action: 'accept' }, aPerson)).rejects.toMatchObject(refused)
  await expect(inbox.answer(id, { action: 'accept', content: { name: 'K' } }, aPerson)).rejects.toMatchObject(
    refused,
  )
  await expect(
    inbox.answer(id, { action: 'cancel', content: { name: 'Kim' } }, aPerson),
  ).rejects.toMatchObject(refused)
  await expect(inbox.answer(id, { answers: { name: 'Kim' } }, aPerson)).rejects.toMatchObject(refused)
  await inbox.answer(id, { action: 'accept', content: { name: 'Kim' } }, aPerson)
  expect(await first).toMatchObject({ answers: null, form: { action: 'accept', content: { name: 'Kim' } } })

  const second = ask()
  await inbox.answer(await firstPending(), { decision: 'allow', updatedInput: { name: 'Sato' } }, aPerson)
  expect(await second).toMatchObject({ form: { action: 'accept', content: { name: 'Sato' } } })
  const third = ask()
  await inbox.answer(await firstPending(), { decision: 'deny' }, aPerson)
  expect(await third).toMatchObject({ form: { action: 'decline' } })
})

describe('a request whose process is gone', () => {
  test('waits, is answered, and its answer goes to the same call when that is made again', async () => {
    const { ask, firstPending, inbox, asker, sessionId, types, leave } = await setup()
    void ask()
    const id = await firstPending()

    await asker.park(sessionId, 'It crashed.')
    leave.abort()
    expect(await inbox.request(id)).toMatchObject({ state: 'pending', isParked: true })
    await inbox.answer(id, { decision: 'deny', message: 'no' }, aPerson)

    const again = new AbortController()
    const { call } = {
      call: { sessionId, toolName: 'Bash', input: { command: 'make' }, signal: again.signal },
    }
    const why = { title: 't', reason: 'r', suggestions: [] }
    expect(await asker.askPermission({ ...call, toolUseId: 'toolu_9' }, why)).toMatchObject({
      requestId: id,
      decision: 'deny',
      message: 'no',
      who: 'kim',
    })
    expect(await inbox.request(id)).toMatchObject({
      state: 'resolved',
      isParked: false,
      isOnlyInTerminal: false,
      toolUseId: 'toolu_9',
    })
    expect((await types(sessionId)).filter((type) => type.startsWith('permission.'))).toEqual([
      'permission.requested',
      'permission.resolved',
    ])
  })

  test('is taken up while it waits, and answered then', async () => {
    const { ask, call, firstPending, inbox, asker, sessionId, pending } = await setup()
    void ask()
    const id = await firstPending()
    await asker.park(sessionId, 'It crashed.')

    const again = asker.askPermission(
      { ...call(), toolUseId: 'toolu_9' },
      { title: '', reason: '', suggestions: [] },
    )
    await expect.poll(async () => (await inbox.request(id)).isParked).toBe(false)
    expect(await pending()).toEqual([id])
    await inbox.answer(id, { decision: 'allow' }, aPerson)

    expect(await again).toMatchObject({ requestId: id, decision: 'allow' })
  })

  test('is no answer to another input, another tool, or a second call', async () => {
    const { ask, inbox, asker, sessionId, firstPending, call, pending } = await setup()
    void ask({ command: 'make' })
    const id = await firstPending()
    await asker.park(sessionId, 'It crashed.')
    await inbox.answer(id, { decision: 'allow' }, aPerson)
    const why = { title: '', reason: '', suggestions: [] }

    void asker.askPermission(call({ command: 'make all' }), why)
    void asker.askPermission({ ...call({ command: 'make' }), toolName: 'Monitor' }, why)
    const [one, two] = [asker.askPermission(call(), why), asker.askPermission(call(), why)]
    expect(await Promise.race([one, two])).toMatchObject({ requestId: id, decision: 'allow' })
    await expect.poll(async () => (await pending()).length).toBe(3)

    expect((await inbox.requests({})).filter((request) => request.state === 'resolved')).toHaveLength(1)
  })

  test('says so when the session has gone on without it', async () => {
    const { ask, inbox, asker, sessionId, firstPending, types, hub } = await setup()
    void ask({ command: 'one' })
    const one = await firstPending()
    void ask({ command: 'two' })
    await expect.poll(async () => (await inbox.requests({ state: 'pending' })).length).toBe(2)
    await asker.park(sessionId, 'It crashed.')
    await inbox.answer(one, { decision: 'allow' }, aPerson)

    await asker.lapse(sessionId, 'It went on.')

    expect(
      (await inbox.requests({})).map(({ state, resolution }) => [state, resolution?.by, resolution?.reason]),
    ).toEqual([
      ['resolved', 'person', null],
      ['resolved', 'shutdown', 'It went on.'],
    ])
    expect(await types(sessionId)).toContain('request.lapsed')
    expect(await hub.session(sessionId)).toMatchObject({ parkedRequests: [], pendingRequests: [] })
  })

  test('keeps its time limit, also in another run', async () => {
    const first = await setup({ permissionTimeoutMs: 30_000 })
    void first.ask()
    const id = await first.firstPending()
    await first.asker.park(first.sessionId, 'It crashed.')
    first.inbox.close()
    const deps = {
      ...first,
      after: 0,
      grantFor: () => ({ tool: '' }),
    }
    const inbox = createInbox({ ...deps, onFault: (error) => first.faults.push(error) })

    await inbox.start()
    first.clock.advance(29_999)
    expect((await inbox.request(id)).state).toBe('pending')
    first.clock.advance(1)

    await expect.poll(async () => (await inbox.request(id)).state).toBe('resolved')
    expect((await inbox.request(id)).resolution).toMatchObject({
      by: 'timeout',
      message: 'Permission request timeout (30s)',
    })
  })
})

test('an answer to a request whose time limit has passed before the start comes too late', async () => {
  const first = await setup({ permissionTimeoutMs: 1_000 })
  void first.ask()
  const id = await first.firstPending()
  first.inbox.close()
  first.clock.advance(1_000)
  const deps = { ...first, after: 0, grantFor: () => ({ tool: '' }) }
  const inbox = createInbox({ ...deps, onFault: (error) => first.faults.push(error) })

  const answer = inbox.answer(id, { decision: 'allow' }, aPerson)

  await expect(answer).rejects.toMatchObject({ code: 'request_already_resolved' })
  expect((await inbox.request(id)).resolution).toMatchObject({ by: 'timeout' })
})

test('an answer waits until the session is recovered, and is refused while nothing can be stored', async () => {
  const first = await setup()
  void first.ask()
  const id = await first.firstPending()
  let recover = () => {}
  let recovered = () =>
    new Promise<void>((resolve) => {
      recover = resolve
    })
  const deps = { ...first, after: 0, grantFor: () => ({ tool: '' }) }
  const inbox = createInbox({
    ...deps,
    recovered: () => recovered(),
    onFault: (error) => first.faults.push(error),
  })

  const answered = inbox.answer(id, { decision: 'allow' }, aPerson)
  expect((await inbox.request(id)).state).toBe('pending')
  await first.asker.park(first.sessionId, 'Signalbox was restarted before anybody answered.')
  recover()

  expect(await answered).toMatchObject({ state: 'resolved' })
  expect((await first.store.session(first.sessionId))?.parkedRequests).toEqual([id])
  recovered = () => Promise.reject(new Error('The disk is full.'))
  await expect(inbox.answer(id, { decision: 'allow' }, aPerson)).rejects.toThrow('The disk is full.')
})

test('an unknown request is told as such', async () => {
  const { inbox } = await setup()

  await expect(inbox.answer(ids.next('per'), { decision: 'allow' }, aPerson)).rejects.toMatchObject({
    code: 'request_not_found',
  })
})

test('a session can have timeouts of its own, for permissions and for questions', async () => {
  const { inbox, asker, clock, call, ask, sessionId } = await setup({ permissionTimeoutMs: 30_000 })
  asker.setTimeouts(sessionId, { permissionTimeoutMs: 2_000, questionTimeoutMs: 3_000 })
  const [permission, question] = [ask(), asker.askQuestion(call(), questions)]
  await expect.poll(async () => (await inbox.requests({ state: 'pending' })).length).toBe(2)

  clock.advance(2_000)
  expect(await permission).toMatchObject({ by: 'timeout', message: 'Permission request timeout (2s)' })
  clock.advance(1_000)
  expect(await question).toMatchObject({ by: 'timeout', answers: null, reason: 'Question timeout (3s)' })
})

test('a request of a terminal can be answered here only while its hook waits for the answer', async () => {
  const { journal, inbox, sessionId } = await setup()
  const requestId = ids.next('per')
  await journal.append(sessionId, [permissionRequested(requestId, { inTerminal: true })])
  const answer = () => inbox.answer(requestId, { decision: 'allow' }, aPerson)
  await expect(answer()).rejects.toMatchObject({ code: 'request_not_held' })

  await journal.append(sessionId, [{ type: 'request.held', data: { requestId } }])

  expect(await answer()).toMatchObject({ state: 'resolved' })
})
