import { randomUUID } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import {
  aPerson,
  ids,
  permissionRequested,
  permissionResolved,
  sessionCreated,
} from '../../../test/support/build.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import type { InboxRequest, Resolution } from '../../protocol/request.js'
import { hookAnswer } from '../hook/hook-answer.js'
import { HeldRequests } from './held-requests.js'
import { requestIdOf } from './to-request-events.js'

const fail = (error: unknown) => {
  throw error
}

async function setup(limit?: number) {
  const { journal, store, clock, inbox } = await createTestRuntime()
  const sessionId = ids.next('ses')
  await journal.append(sessionId, [sessionCreated({ kind: 'observed' })])
  const held = new HeldRequests({
    after: 0,
    journal,
    store,
    clock,
    onFault: fail,
    ...(limit !== undefined && { limit }),
  })
  const lineId = randomUUID()
  const requestId = requestIdOf('per', lineId) ?? ''
  const hook = new AbortController()
  return {
    journal,
    clock,
    inbox,
    held,
    lineId,
    requestId,
    hook,
    sessionId,
    ask: () => journal.append(sessionId, [permissionRequested(requestId, { inTerminal: true })]),
    request: () => inbox.request(requestId),
    hold: (id = lineId) => held.hold(id, hook.signal),
  }
}

test('an answer reaches the hook that holds the request, whether hook or request was first', async () => {
  for (const isHookFirst of [true, false]) {
    const { journal, held, requestId, sessionId, ask, hold } = await setup()
    const early = isHookFirst ? hold() : null
    await ask()
    const answer = early ?? hold()
    expect(held.isHeld(requestId)).toBe(true)

    await journal.append(sessionId, [permissionResolved(requestId, { decision: 'deny', message: 'no' })])

    expect(JSON.parse((await answer) ?? '')).toEqual({
      hookSpecificOutput: {
        hookEventName: 'PermissionRequest',
        decision: { behavior: 'deny', message: 'no' },
      },
    })
    expect(held.isHeld(requestId)).toBe(false)
  }
})

test('a request tells whether it can be answered from elsewhere: as long as a hook holds it', async () => {
  const { ask, hold, hook, request, held, journal, sessionId } = await setup()
  await ask()
  expect(await request()).toMatchObject({ isOnlyInTerminal: true })

  const answer = hold()
  await expect.poll(request).toMatchObject({ isOnlyInTerminal: false })
  hook.abort()
  expect(await answer).toBeNull()
  await expect.poll(request).toMatchObject({ isOnlyInTerminal: true, state: 'pending' })

  // Crash: a killed daemon leaves the request held. The next one releases it.
  const { id } = await request()
  await journal.append(sessionId, [{ type: 'request.held', data: { requestId: id } }])
  await held.releaseLost()
  expect(await request()).toMatchObject({ isOnlyInTerminal: true })
})

test('a killed daemon leaves more held requests than one page: the next one releases all of them', async () => {
  const { journal, held, inbox, sessionId } = await setup()
  const requestIds = Array.from({ length: 1_100 }, () => requestIdOf('per', randomUUID()) ?? '')
  await Promise.all(
    requestIds.map((requestId) =>
      journal.append(sessionId, [
        permissionRequested(requestId, { inTerminal: true }),
        { type: 'request.held', data: { requestId } },
      ]),
    ),
  )

  await held.releaseLost()

  const requests = await Promise.all(requestIds.map((id) => inbox.request(id)))
  expect(requests.filter(({ isOnlyInTerminal }) => !isOnlyInTerminal)).toEqual([])
})

test('a hook is released without a word when the terminal was first, when it has gone, and at the end', async () => {
  const { journal, requestId, sessionId, ask, hold, held, hook } = await setup()
  await ask()
  const answered = hold()
  await journal.append(sessionId, [
    permissionResolved(requestId, { by: 'terminal', who: null, via: 'terminal' }),
  ])
  expect(await answered).toBeNull()

  const other = held.hold(randomUUID(), hook.signal)
  hook.abort()
  expect(await other).toBeNull()

  const last = held.hold(randomUUID(), new AbortController().signal)
  await held.close()
  expect(await last).toBeNull()
})

test('a line that never becomes a request is not waited for', async () => {
  const { hold, clock } = await setup()
  const answer = hold()
  clock.advance(5_000)
  expect(await answer).toBeNull()
})

test('one hook holds a request, and not more than the limit hold any', async () => {
  const { hold, held, hook, ask } = await setup(2)
  await ask()
  const first = hold()
  const second = hold()
  expect(await first).toBeNull()

  const other = held.hold(randomUUID(), hook.signal)
  expect(await held.hold(randomUUID(), hook.signal)).toBeNull()
  hook.abort()
  expect(await Promise.all([second, other])).toEqual([null, null])
})

test('what nobody holds is not answered from here, and goes on waiting', async () => {
  const { ask, inbox, requestId } = await setup()
  await ask()

  await expect(inbox.answer(requestId, { decision: 'allow' }, aPerson)).rejects.toMatchObject({
    code: 'request_not_held',
  })
  expect(await inbox.request(requestId)).toMatchObject({ state: 'pending' })
})

describe('what the hook prints', () => {
  const request = (resolution: Partial<Resolution>, more: Partial<InboxRequest> = {}): InboxRequest => ({
    id: requestIdOf('per', randomUUID()) ?? '',
    sessionId: ids.next('ses'),
    kind: 'permission',
    state: 'resolved',
    requestedAt: '2026-11-15T12:00:00.000Z',
    toolUseId: null,
    toolName: 'Bash',
    input: { command: 'make' },
    inputDigest: '',
    agentId: null,
    title: '',
    reason: '',
    suggestions: [],
    questions: [],
    plan: null,
    form: null,
    expiresAt: null,
    isParked: false,
    isOnlyInTerminal: false,
    resolution: {
      at: '2026-11-15T12:00:01.000Z',
      by: 'person',
      who: 'kim',
      via: 'api',
      reason: null,
      ...resolution,
    },
    ...more,
  })
  const printed = (...args: Parameters<typeof request>) => {
    const { hookSpecificOutput } = JSON.parse(hookAnswer(request(...args)) ?? '') as Record<
      string,
      { decision: unknown }
    >
    return hookSpecificOutput?.decision
  }

  test('a permission: allowed, with another input, denied with and without a message', () => {
    expect(printed({ decision: 'allow' })).toEqual({ behavior: 'allow' })
    expect(printed({ decision: 'allow', updatedInput: { command: 'ls' } })).toEqual({
      behavior: 'allow',
      updatedInput: { command: 'ls' },
    })
    expect(printed({ decision: 'deny', message: 'not now' })).toEqual({
      behavior: 'deny',
      message: 'not now',
    })
    expect(printed({ decision: 'deny' })).toEqual({ behavior: 'deny', message: 'kim said no.' })
  })

  test('a permission for the session is a rule no wider than the call, whatever Claude Code suggests', () => {
    const ruled = (rule: unknown) => ({
      behavior: 'allow',
      updatedPermissions: [{ type: 'addRules', rules: [rule], behavior: 'allow', destination: 'session' }],
    })
    const rules = [{ toolName: 'Bash', ruleContent: 'make *' }]
    const suggestions = [{ type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' }]
    const answer = (toolName: string, input: unknown) =>
      printed({ decision: 'allowAll' }, { toolName, input, suggestions })

    expect(answer('Bash', { command: 'make' })).toEqual(ruled({ toolName: 'Bash', ruleContent: 'make' }))
    expect(answer('WebFetch', { url: 'https://a.example/x' })).toEqual(
      ruled({ toolName: 'WebFetch', ruleContent: 'domain:a.example' }),
    )
    expect(answer('mcp__box__note', {})).toEqual(ruled({ toolName: 'mcp__box__note' }))
    for (const [tool, input] of [
      ['Bash', { command: 'rm *' }],
      ['Bash', { command: 'make\nmake install' }],
      ['Edit', { file_path: 'a' }],
      ['WebFetch', { url: '*' }],
    ] as const)
      expect(answer(tool, input), tool).toEqual({ behavior: 'allow' })
  })

  test('a plan: its input goes back with the yes, and a mode if one was named', () => {
    const plan = { toolName: 'ExitPlanMode', input: { plan: 'x' } }
    expect(printed({ decision: 'allow' }, plan)).toEqual({ behavior: 'allow', updatedInput: { plan: 'x' } })
    // The answer to a plan may set a mode.
    expect(printed({ decision: 'allow', ...({ mode: 'acceptEdits' } as object) }, plan)).toEqual({
      behavior: 'allow',
      updatedInput: { plan: 'x' },
      updatedPermissions: [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }],
    })
  })

  test('a question: its whole input with the answers; none is a denial', () => {
    const question = {
      kind: 'question',
      toolName: 'AskUserQuestion',
      input: { questions: [{ question: 'Q' }] },
    } as const
    expect(printed({ answers: { Q: ['a', 'b'], R: 'c' } }, question)).toEqual({
      behavior: 'allow',
      updatedInput: { questions: [{ question: 'Q' }], answers: { Q: 'a, b', R: 'c' } },
    })
    expect(printed({ answers: null }, question)).toMatchObject({ behavior: 'deny' })
  })

  test('nothing, where no person has answered', () => {
    for (const by of ['terminal', 'timeout', 'shutdown', 'policy'] as const) {
      expect(hookAnswer(request({ by, decision: 'deny' }))).toBeNull()
    }
  })
})
