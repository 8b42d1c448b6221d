import { mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPerson } from '../../../test/support/build.js'
import { createTestRuntime } from '../../../test/support/test-runtime.js'
import { HubError } from '../../protocol/error.js'
import { Policy, type PolicyRule } from '../../protocol/policy/policy.js'
import { reason as codedReason, saying } from '../../protocol/reason/reason.js'
import type { Actor, PermissionMode } from '../../protocol/value.js'
import type { AskedPermission, HookedCall } from '../claude/port.js'
import type { Judgement } from '../translate/tool.js'
import { createGate, type GateDeps } from './gate.js'
import { isVerbatim } from './verbatim.js'

interface Setup {
  policy?: () => Promise<Policy>
  jail?: GateDeps['jail']
  programTools?: readonly string[]
  path?: string
}

const NO_JAIL: GateDeps['jail'] = {
  inForce: async () => ({
    isOn: false,
    setting: 'auto',
    unproven: 'jail',
    ...saying(codedReason('jail.none')),
  }),
  wrap: async () => ({ problem: codedReason('jail.none') }),
  drop: () => {},
  asked: () => null,
}

async function setup({
  policy = async () => Policy.parse({}),
  jail = NO_JAIL,
  programTools = [],
  path = '',
}: Setup = {}) {
  const runtime = await createTestRuntime()
  const session = await runtime.createSession()
  const judgements: Judgement[] = []
  const modes: PermissionMode[] = []
  let mode: PermissionMode = 'default'
  const gate = createGate({
    sessionId: session.id,
    cwd: runtime.cwd,
    home: runtime.folder,
    serverSource: () => 'user',
    isProgramTool: (tool) => programTools.includes(tool),
    asker: runtime.asker,
    agents: { free: { mode: 'bypassPermissions' }, tame: {} },
    path,
    jail,
    now: () => new Date(runtime.clock.now()).toISOString(),
    current: async () => ({
      ...(await runtime.hub.session(session.id)),
      permissionMode: mode,
      policy: await policy(),
    }),
    judged: (judgement) => judgements.push(judgement),
    modeChosen: (chosen) => modes.push(chosen),
    changes: null,
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
  const answer = async (body: Parameters<typeof runtime.inbox.answer>[1], by: Actor = aPerson) => {
    await expect.poll(async () => (await runtime.inbox.requests({ state: 'pending' })).length).toBe(1)
    const [request] = await runtime.inbox.requests({ state: 'pending' })
    return runtime.inbox.answer(request?.id ?? '', body, by)
  }
  return { ...runtime, gate, judgements, modes, hook, asked, answer }
}

test('what the policy allows runs, and the log says by which step', async () => {
  const { gate, hook, judgements, cwd } = await setup()

  expect(await gate.preToolUse(hook('Read', { file_path: join(cwd, 'a.txt') }))).toEqual({
    decision: 'allow',
  })
  expect(judgements).toMatchObject([
    { toolUseId: 'toolu_1', name: 'Read', decision: 'allow', by: 'policy: autoAllow read-only' },
  ])
})

test('what the policy denies does not run, and the agent is told why', async () => {
  const { gate, hook, judgements } = await setup()

  expect(await gate.preToolUse(hook('Bash', { command: 'make' }, 'dontAsk'))).toEqual({
    decision: 'deny',
    reason: 'The session may not ask. Can run commands (make).',
  })
  expect(judgements).toMatchObject([{ decision: 'deny', by: 'policy: dontAsk code' }])
})

test('what is asked waits for the person; an edited input is what runs', async () => {
  const { gate, hook, asked, answer, judgements } = await setup()
  const input = { file_path: 'a.txt', content: 'a' }
  expect(await gate.preToolUse(hook('Write', input))).toEqual({ decision: 'ask' })
  const reply = gate.canUseTool(asked('Write', input))

  const request = await answer({ decision: 'allow', updatedInput: { ...input, content: 'b' } })

  expect(request.reason).toBe('Writes a.txt.')
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

test('what a request shows is what is allowed for the session, and an edited call only as it was edited', async () => {
  const { gate, hook, asked, answer, hub } = await setup()
  const first = gate.canUseTool(asked('Bash', { command: 'sed -i s/a/b/ f' }))
  const { sessionId, grant: shown } = await answer({ decision: 'allowAll' })
  await first
  expect(shown).toMatchObject({ command: 'sed -i s/a/b/ FILE…', findings: ['write'] })
  expect((await hub.session(sessionId)).grants).toEqual([shown])
  expect(await gate.preToolUse(hook('Bash', { command: 'sed -i s/a/b/ g' }))).toEqual({ decision: 'allow' })
  expect(await gate.preToolUse(hook('Bash', { command: "sed -i 's/.*/id/e' f" }))).toEqual({
    decision: 'ask',
  })

  const edited = gate.canUseTool(asked('Bash', { command: 'make' }))
  await answer({ decision: 'allowAll', updatedInput: { command: 'make all' } })
  await edited

  expect(await gate.preToolUse(hook('Bash', { command: 'make all' }))).toEqual({ decision: 'allow' })
  expect(await gate.preToolUse(hook('Bash', { command: 'make' }))).toEqual({ decision: 'ask' })
})

test('a message that mentions a path longer than any file has goes as written, and costs nothing', async () => {
  const { gate } = await setup()
  const text = `see @${'a/'.repeat(150_000)}`
  const message = { messageId: 'msg_1', text, whenBusy: 'inject' as const, from: aPerson }
  const start = process.cpuUsage()

  expect(await isVerbatim(message, gate.mayRead)).toBe(true)

  expect(process.cpuUsage(start).user).toBeLessThan(500_000)
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

test('a question that an assistant has answered is not recorded as answered by a person', async () => {
  const { gate, asked, answer, judgements } = await setup()
  const input = { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }] }
  const reply = gate.canUseTool(asked('AskUserQuestion', input))

  await answer({ answers: { 'Which?': 'A' } }, { who: 'desk', via: 'mcp' })

  expect(await reply).toMatchObject({ allow: true })
  expect(judgements).toMatchObject([{ decision: 'allow', by: 'mcp' }])
})

test('an approved plan is told with the mode to go on in', async () => {
  const { gate, asked, answer, modes } = await setup()
  const reply = gate.canUseTool(asked('ExitPlanMode', { plan: '# Build' }))

  const request = await answer({ decision: 'allow', mode: 'bypassPermissions' })

  expect(request.plan).toBe('# Build')
  expect(await reply).toEqual({ allow: true, input: { plan: '# Build' }, mode: 'bypassPermissions' })
  expect(modes).toEqual(['bypassPermissions'])
})

test('a question that nobody wants to answer is denied in the person’s words', async () => {
  const { gate, asked, answer } = await setup()
  const input = { questions: [{ question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }] }
  const reply = gate.canUseTool(asked('AskUserQuestion', input))

  await answer({ decision: 'deny', message: 'Decide yourself.' })

  expect(await reply).toEqual({ allow: false, message: 'Decide yourself.' })
})

test.each([
  [
    'cannot be read',
    new HubError('policy_invalid', 'The policy file x cannot be used.'),
    'The policy file x cannot be used.',
  ],
  ['fails', new Error('secret detail'), 'It failed.'],
])('a policy that %s denies every call, in every mode', async (_, error, problem) => {
  const { gate, hook, judgements, cwd } = await setup({ policy: () => Promise.reject(error) })
  const reason = `Cannot read the policy, so the call does not run. ${problem}`

  for (const mode of ['default', 'acceptEdits', 'bypassPermissions', 'plan'] as const) {
    const call = hook('Read', { file_path: join(cwd, 'a.txt') }, mode)
    expect(await gate.preToolUse(call)).toEqual({ decision: 'deny', reason })
  }
  expect(judgements.map(({ decision, by }) => `${decision} ${by}`)).toEqual(
    Array(4).fill('deny policy: autoDeny policy-failed'),
  )
})

test('a person cannot edit a call into one that is denied', async () => {
  const { gate, asked, answer, judgements } = await setup()
  const reply = gate.canUseTool(asked('Bash', { command: 'make' }))

  await answer({ decision: 'allow', updatedInput: { command: 'rm -rf ~' } })

  expect(await reply).toMatchObject({ allow: false, message: expect.stringContaining('Deletes all of') })
  expect(judgements).toMatchObject([{ decision: 'deny', by: 'policy: autoDeny destroy-tree' }])
})

test('a link that is swapped between the question and the answer is judged again', async () => {
  const { gate, hook, asked, answer, judgements, cwd } = await setup()
  await writeFile(join(cwd, '.env'), 'KEY=1')
  await writeFile(join(cwd, 'notes.txt'), '')
  await symlink('notes.txt', join(cwd, 'link.txt'))
  const input = { file_path: join(cwd, 'link.txt'), content: 'x' }
  expect(await gate.preToolUse(hook('Write', input))).toEqual({ decision: 'ask' })
  const reply = gate.canUseTool(asked('Write', input))
  await rm(join(cwd, 'link.txt'))
  await symlink('.env', join(cwd, 'link.txt'))

  await answer({ decision: 'allow' })

  expect(await reply).toMatchObject({ allow: false, message: expect.stringContaining('.env') })
  expect(judgements).toMatchObject([{ decision: 'deny', by: 'policy: autoDeny protected-change' }])
})

test('a rule that denies and is added while a request waits holds for it', async () => {
  let rules: PolicyRule[] = []
  const { gate, hook, asked, answer } = await setup({ policy: async () => Policy.parse({ rules }) })
  const call = { command: 'npm publish' }
  expect(await gate.preToolUse(hook('Bash', call))).toEqual({ decision: 'ask' })
  const reply = gate.canUseTool(asked('Bash', call))
  rules = [{ name: 'no-publish', verdict: 'deny', when: { commands: ['npm publish **'] } }]

  await answer({ decision: 'allow' })

  expect(await reply).toEqual({ allow: false, message: 'Matches the rule no-publish.' })
})

test('an answer stands where the renewed verdict is only to ask, or not to ask any more', async () => {
  const { gate, hook, asked, answer } = await setup()
  const call = { command: 'make' }
  expect(await gate.preToolUse(hook('Bash', call))).toEqual({ decision: 'ask' })
  const reply = gate.canUseTool(asked('Bash', call))
  hook('Bash', call, 'dontAsk')

  await answer({ decision: 'allow' })

  expect(await reply).toEqual({ allow: true, input: call })
})

test('an answer is judged again where the shell was when it was asked', async () => {
  const { gate, hook, asked, answer, cwd } = await setup()
  const input = { command: 'make > ../.env' }
  const call = { ...hook('Bash', { command: 'make' }), cwd: join(cwd, 'sub') }
  expect(await gate.preToolUse(call)).toEqual({ decision: 'ask' })
  const reply = gate.canUseTool(asked('Bash', { command: 'make' }))

  await answer({ decision: 'allow', updatedInput: input })

  expect(await reply).toMatchObject({ allow: false, message: expect.stringContaining('.env') })
})

test('what is denied is denied in every mode, from every agent, wherever its shell is', async () => {
  const { gate, hook, cwd } = await setup()
  const inFolder = { agentId: 'agent_1', agentType: 'Explore', cwd: join(cwd, 'config') }
  for (const mode of ['default', 'acceptEdits', 'bypassPermissions', 'plan', 'dontAsk', 'auto'] as const) {
    const call = hook('Bash', { command: 'echo x > ../.env' }, mode)
    expect(await gate.preToolUse(call)).toMatchObject({ decision: 'deny' })
    expect(await gate.preToolUse({ ...call, ...inFolder })).toMatchObject({ decision: 'deny' })
  }
})

test('a rule may be about one kind of subagent', async () => {
  const rule = {
    name: 'no-web',
    verdict: 'deny' as const,
    when: { agents: ['Explore'], tools: ['WebFetch'] },
  }
  const { gate, hook } = await setup({ policy: async () => Policy.parse({ rules: [rule] }) })
  const call = hook('WebFetch', { url: 'https://example.org' })

  expect(await gate.preToolUse(call)).toEqual({ decision: 'ask' })
  expect(await gate.preToolUse({ ...call, agentId: 'a', agentType: 'Explore' })).toMatchObject({
    decision: 'deny',
  })
})

describe('an agent that would run in a freer mode', () => {
  const CALL = 'mcp__signalbox__agent_caller'
  const calling = (target_agent: string) => ({ target_agent, message: 'Do it.' })

  test('is asked about whatever a grant, a rule or a hook says, and the request says its mode', async () => {
    const rules: PolicyRule[] = [{ name: 'agents', verdict: 'allow', when: { tools: [CALL] } }]
    const { gate, hook, asked, answer } = await setup({ policy: async () => Policy.parse({ rules }) })
    const opinion = { decision: 'allow', reason: null, by: './check.sh' } as const
    expect(await gate.preToolUse(hook(CALL, calling('tame')))).toEqual({ decision: 'allow' })
    expect(await gate.preToolUse(hook(CALL, calling('free')))).toEqual({ decision: 'ask' })
    expect(await gate.preToolUse(hook(CALL, calling('free')), opinion)).toEqual({ decision: 'ask' })
    const reply = gate.canUseTool(asked(CALL, calling('free')))

    const request = await answer({ decision: 'allowAll' })

    expect(request).toMatchObject({ freerMode: 'bypassPermissions' })
    expect(request.title).toContain('bypassPermissions')
    expect(request.reason).toContain('Only an admin can allow it')
    expect(await reply).toEqual({ allow: true, input: calling('free') })
    expect(await gate.preToolUse(hook(CALL, calling('free')))).toEqual({ decision: 'ask' })
  })

  test('is not asked about by a session that is as free, and denied to one that may not ask', async () => {
    const { gate, hook } = await setup()
    expect(await gate.preToolUse(hook(CALL, calling('free'), 'bypassPermissions'))).toEqual({
      decision: 'allow',
    })
    expect(await gate.preToolUse(hook(CALL, calling('free'), 'dontAsk'))).toMatchObject({ decision: 'deny' })
  })

  test('cannot be put into an answer to a request for another', async () => {
    const { gate, hook, asked, answer } = await setup()
    expect(await gate.preToolUse(hook(CALL, calling('tame')))).toEqual({ decision: 'ask' })
    const reply = gate.canUseTool(asked(CALL, calling('tame')))

    await answer({ decision: 'allow', updatedInput: calling('free') })

    expect(await reply).toMatchObject({ allow: false, message: expect.stringContaining('freer mode') })
  })
})

const wrapping: GateDeps['jail'] = {
  inForce: async () => ({ isOn: true, setting: 'auto', unproven: 'jail', reason: null }),
  wrap: async ({ input }) => ({ input: { ...(input as object), command: 'wrapped' } }),
  drop: () => {},
  asked: (_, { command }) => (command === 'wrapped' ? 'wrapped' : command === 'other' ? 'changed' : null),
}
const inForce = (change: Partial<Awaited<ReturnType<GateDeps['jail']['inForce']>>>) => async () => ({
  ...(await wrapping.inForce()),
  ...change,
})

test('a proven command runs in the jail, and the log says so without the wrapper', async () => {
  const { gate, hook, judgements } = await setup({ jail: wrapping })

  expect(await gate.preToolUse(hook('Bash', { command: 'ls', timeout: 5 }))).toEqual({
    decision: 'allow',
    updatedInput: { command: 'wrapped', timeout: 5 },
  })
  expect(judgements).toMatchObject([
    {
      input: { command: 'ls' },
      decision: 'allow',
      by: 'policy: autoAllow read-only in the jail',
      jail: true,
    },
  ])
})

test('an unproven command runs in the jail or is asked, never outside', async () => {
  const loop = { command: 'for f in $(ls); do wc -l "$f"; done' }
  const { gate, hook } = await setup({ jail: wrapping })
  expect(await gate.preToolUse(hook('Bash', loop))).toMatchObject({ updatedInput: { command: 'wrapped' } })

  const failing = await setup({
    jail: {
      ...wrapping,
      wrap: async () => ({ problem: codedReason('jail.too-many-folders', { count: '1' }) }),
    },
  })
  expect(await failing.gate.preToolUse(failing.hook('Bash', loop))).toEqual({ decision: 'ask' })

  const off = await setup({ jail: { ...wrapping, inForce: inForce({ isOn: false }) } })
  expect(await off.gate.preToolUse(off.hook('Bash', loop))).toEqual({ decision: 'ask' })

  const asking = await setup({ jail: { ...wrapping, inForce: inForce({ unproven: 'ask' }) } })
  expect(await asking.gate.preToolUse(asking.hook('Bash', loop))).toEqual({ decision: 'ask' })
})

test('a proven command that cannot be wrapped runs by its proof, unless the jail is required', async () => {
  const problem = async () => ({ problem: codedReason('jail.about-machine', { program: 'ps' }) })
  const auto = await setup({ jail: { ...wrapping, wrap: problem } })
  expect(await auto.gate.preToolUse(auto.hook('Bash', { command: 'ls' }))).toEqual({ decision: 'allow' })

  const required = { ...wrapping, wrap: problem, inForce: inForce({ setting: 'require' }) }
  const strict = await setup({ jail: required })
  expect(await strict.gate.preToolUse(strict.hook('Bash', { command: 'ls' }))).toEqual({ decision: 'ask' })
  expect(await strict.gate.preToolUse(strict.hook('Bash', { command: 'ls' }, 'dontAsk'))).toMatchObject({
    decision: 'deny',
    reason: 'The settings require the read-only jail. ps shows facts of the machine, which the jail hides.',
  })
  expect(await strict.gate.preToolUse(strict.hook('Monitor', { command: 'ls' }))).toEqual({ decision: 'ask' })
})

test('a proven command that would show what the jail hides is asked', async () => {
  const wrap = async () => ({ problem: codedReason('jail.not-clean'), mustAsk: true as const })
  const { gate, hook, judgements } = await setup({ jail: { ...wrapping, wrap } })

  expect(await gate.preToolUse(hook('Bash', { command: 'ls' }))).toEqual({ decision: 'ask' })
  expect(await gate.preToolUse(hook('Bash', { command: 'ls' }, 'dontAsk'))).toMatchObject({
    decision: 'deny',
  })
  expect(judgements).toMatchObject([{ by: 'policy: ask history' }])
})

test('with "require" and no jail no command is allowed, while files are still read', async () => {
  const none = {
    ...wrapping,
    inForce: inForce({ isOn: false, setting: 'require', ...saying(codedReason('jail.not-installed')) }),
  }
  const { gate, hook, cwd } = await setup({ jail: none })

  expect(await gate.preToolUse(hook('Bash', { command: 'ls' }))).toEqual({ decision: 'ask' })
  expect(await gate.preToolUse(hook('Read', { file_path: join(cwd, 'a.txt') }))).toEqual({
    decision: 'allow',
  })
})

test('what is allowed for another reason than reading does not run in the jail', async () => {
  const { gate, hook } = await setup({ jail: wrapping })

  expect(await gate.preToolUse(hook('Bash', { command: 'touch a' }, 'bypassPermissions'))).toEqual({
    decision: 'allow',
  })
})

test('a hook that wants a person keeps the call out of the jail', async () => {
  const dropped: string[] = []
  const jail = { ...wrapping, drop: (toolUseId: string) => void dropped.push(toolUseId) }
  const { gate, hook } = await setup({ jail })

  const opinion = { decision: 'ask', reason: null, by: 'check.sh' } as const
  expect(await gate.preToolUse(hook('Bash', { command: 'ls' }), opinion)).toEqual({ decision: 'ask' })
  expect(dropped).toEqual(['toolu_1'])
})

test('a call of the jail that the CLI asks about runs in the jail, and nobody is asked', async () => {
  const { gate, hook, asked, hub, judgements } = await setup({ jail: wrapping })
  await gate.preToolUse(hook('Bash', { command: 'ls' }))

  expect(await gate.canUseTool(asked('Bash', { command: 'wrapped' }))).toEqual({
    allow: true,
    input: { command: 'wrapped' },
  })
  expect(await hub.inbox.requests({})).toEqual([])
  expect(judgements).toMatchObject([{ input: { command: 'ls' }, decision: 'allow', jail: true }])
})

test('a call of the jail that something has replaced is denied, never run as it is now', async () => {
  const { gate, hook, asked, judgements } = await setup({ jail: wrapping })
  await gate.preToolUse(hook('Bash', { command: 'ls' }))

  expect(await gate.canUseTool(asked('Bash', { command: 'other' }))).toMatchObject({ allow: false })
  expect(judgements).toMatchObject([{ decision: 'allow', jail: true }, { decision: 'deny' }])
})

test.each(['node_modules/.bin', '.', ''])(
  'with %j in PATH a program of the workspace is asked',
  async (folder) => {
    const { cwd, gate, hook } = await setup({ jail: wrapping, path: `${folder}:/usr/bin:/bin` })
    expect(await gate.preToolUse(hook('Bash', { command: 'cat a.txt' }))).toMatchObject({ decision: 'allow' })
    await mkdir(join(cwd, folder), { recursive: true })
    await writeFile(join(cwd, folder, 'cat'), '#!/bin/sh\n', { mode: 0o755 })

    expect(await gate.preToolUse(hook('Bash', { command: 'cat a.txt' }))).toEqual({ decision: 'ask' })
    expect(await gate.preToolUse(hook('Bash', { command: 'ls' }))).toMatchObject({ decision: 'allow' })
  },
)

test('a tool of the program is asked, also where a built-in one of its name would be allowed', async () => {
  const [datetime, editor, caller] = ['datetime', 'text_edit_tool', 'agent_caller'].map(
    (name) => `mcp__signalbox__${name}`,
  ) as [string, string, string]
  const edit = { path: 'a.txt', edits: [] }
  const builtIn = await setup()
  expect(await builtIn.gate.preToolUse(builtIn.hook(datetime, {}))).toEqual({ decision: 'allow' })
  expect(await builtIn.gate.preToolUse(builtIn.hook(editor, edit, 'acceptEdits'))).toEqual({
    decision: 'allow',
  })
  const own = await setup({ programTools: [datetime, editor, caller] })
  expect(await own.gate.preToolUse(own.hook(datetime, {}))).toEqual({ decision: 'ask' })
  expect(await own.gate.preToolUse(own.hook(editor, edit, 'acceptEdits'))).toEqual({ decision: 'ask' })
  // It starts no agent of ours, so it needs no admin.
  const call = { target_agent: 'free', message: 'x' }
  expect(await own.gate.preToolUse(own.hook(caller, call, 'bypassPermissions'))).toEqual({
    decision: 'allow',
  })
})

test.each([
  ['asked by the policy', []],
  ['asked by a rule', [{ name: 'ask all', verdict: 'ask' as const, when: { tools: ['Bash'] } }]],
])('a destructive call is marked as destructive in its request: %s', async (_, rules) => {
  const { gate, hook, asked, answer } = await setup({ policy: async () => Policy.parse({ rules }) })
  const input = { command: 'touch a.txt && git push --force origin main' }
  await gate.preToolUse(hook('Bash', input))
  const reply = gate.canUseTool(asked('Bash', input))

  const request = await answer({ decision: 'deny' })

  expect(request.severity).toBe('destructive')
  expect(await reply).toMatchObject({ allow: false })
})
