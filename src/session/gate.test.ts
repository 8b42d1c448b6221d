import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBox } from '../../test/support/box.js'
import { aPerson } from '../../test/support/build.js'
import type { PermissionMode } from '../protocol/value.js'
import type { AskedPermission, HookedCall } from './claude-port.js'
import { createGate } from './gate.js'
import type { Judgement } from './translate-tool.js'

async function setup() {
  const box = await createBox()
  const session = await box.createSession()
  const judgements: Judgement[] = []
  let mode: PermissionMode = 'default'
  const gate = createGate({
    sessionId: session.id,
    cwd: box.cwd,
    inbox: box.inbox,
    now: () => new Date(box.clock.now()).toISOString(),
    current: async () => ({ ...(await box.hub.session(session.id)), permissionMode: mode }),
    judged: (judgement) => judgements.push(judgement),
  })
  const hook = (name: string, input: unknown, inMode: PermissionMode = 'default'): HookedCall => {
    mode = inMode
    return { toolUseId: 'toolu_1', name, input, event: {} }
  }
  const asked = (name: string, input: Record<string, unknown>): AskedPermission => ({
    toolUseId: 'toolu_1',
    name,
    input,
    suggestions: [],
    reason: null,
    signal: new AbortController().signal,
  })
  const answer = async (body: Parameters<typeof box.inbox.answer>[1]) => {
    await expect.poll(async () => (await box.inbox.requests({ state: 'pending' })).length).toBe(1)
    const [request] = await box.inbox.requests({ state: 'pending' })
    return box.inbox.answer(request?.id ?? '', body, aPerson)
  }
  return { ...box, gate, judgements, hook, asked, answer }
}

test('what the policy allows runs, and the log says by which step', async () => {
  const { gate, hook, judgements, cwd } = await setup()

  expect(await gate.preToolUse(hook('Read', { file_path: join(cwd, 'a.txt') }))).toEqual({
    decision: 'allow',
  })
  expect(judgements).toMatchObject([
    { toolUseId: 'toolu_1', name: 'Read', decision: 'allow', by: 'policy: read' },
  ])
})

test('what the policy denies does not run, and the agent is told why', async () => {
  const { gate, hook, judgements } = await setup()

  expect(await gate.preToolUse(hook('Bash', { command: 'make' }, 'dontAsk'))).toEqual({
    decision: 'deny',
    reason: 'The session may not ask.',
  })
  expect(judgements).toMatchObject([{ decision: 'deny', by: 'policy: mode:dontAsk' }])
})

test('what is asked waits for the person; an edited input is what runs', async () => {
  const { gate, hook, asked, answer, judgements } = await setup()
  const input = { file_path: 'a.txt', content: 'a' }
  expect(await gate.preToolUse(hook('Write', input))).toEqual({ decision: 'ask' })
  const reply = gate.canUseTool(asked('Write', input))

  const request = await answer({ decision: 'allow', updatedInput: { ...input, content: 'b' } })

  expect(request.reason).toBe('No rule allows Write.')
  expect(await reply).toEqual({ allow: true, input: { ...input, content: 'b' } })
  expect(judgements).toMatchObject([
    { decision: 'allow', by: 'person: kim', input, startedInput: { ...input, content: 'b' } },
  ])
})

test('a denial reaches the agent in the person’s words, or in the default ones', async () => {
  const { gate, asked, answer } = await setup()
  const first = gate.canUseTool(asked('Write', {}))
  await answer({ decision: 'deny', message: 'Ask me tomorrow.' })
  expect(await first).toEqual({ allow: false, message: 'Ask me tomorrow.' })

  const second = gate.canUseTool(asked('Write', {}))
  await answer({ decision: 'deny' })
  expect(await second).toEqual({ allow: false, message: 'User denied' })
})

test('what was allowed for the rest of the session is not asked again', async () => {
  const { gate, hook, asked, answer } = await setup()
  const reply = gate.canUseTool(asked('Bash', { command: 'npm test' }))
  await answer({ decision: 'allowAll' })
  await reply

  expect(await gate.preToolUse(hook('Bash', { command: 'npm test' }))).toEqual({ decision: 'allow' })
  expect(await gate.preToolUse(hook('Bash', { command: 'npm publish' }))).toEqual({ decision: 'ask' })
})

test('a question goes to the person in every mode, and several choices become one text', async () => {
  const { gate, hook, asked, answer } = await setup()
  const input = {
    questions: [{ question: 'Which?', multiSelect: true, options: [{ label: 'A' }, { label: 'B' }] }],
  }
  expect(await gate.preToolUse(hook('AskUserQuestion', input, 'bypassPermissions'))).toEqual({
    decision: 'ask',
  })
  const reply = gate.canUseTool(asked('AskUserQuestion', input))

  await answer({ answers: { 'Which?': ['A', 'B'] } })

  expect(await reply).toEqual({ allow: true, input: { ...input, answers: { 'Which?': 'A, B' } } })
})
