import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ids, permissionRequested, permissionResolved } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { PolicyRule } from '../protocol/policy/policy.js'

const noPush: PolicyRule = { name: 'no-push', verdict: 'deny', when: { commands: ['git push **'] } }

function toolCalled(toolUseId: string, name: string, input: unknown, agentId?: string): EventDraft[] {
  const speaker = agentId === undefined ? {} : { agentId }
  return [
    { type: 'tool.requested', data: { ...speaker, toolUseId, name, input } },
    { type: 'tool.ended', data: { toolUseId, name, outcome: 'completed', durationMs: 1 } },
  ]
}

test('the policy can be read and replaced, and holds from the next call on', async () => {
  const { client, cwd, folder } = await createServedRuntime()
  const path = join(folder, 'home', 'policy.jsonc')
  const before = await client.getPolicy()
  expect(before).toMatchObject({ policy: { preset: 'careful', denyFirst: false, rules: [] }, path })
  expect(before.always.map(({ name }) => name)).toEqual(['signalbox-files', 'conversation'])

  const after = await client.setPolicy({ body: { rules: [noPush] } })

  expect(after.policy.rules).toEqual([noPush])
  expect(JSON.parse(await readFile(path, 'utf8'))).toEqual({ rules: [noPush] })
  const { verdict } = await client.evaluatePolicy({
    body: { tool: 'Bash', input: { command: 'cd src && git push' }, cwd },
  })
  expect(verdict).toMatchObject({ verdict: 'deny', step: 'rule', rule: 'no-push' })
})

test('a policy that makes no sense is refused, and the old one goes on holding', async () => {
  const { ask, client } = await createServedRuntime()
  const reply = await ask('/api/v1/policy', {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ rules: [{ name: 'x', verdict: 'perhaps', when: {} }] }),
  })
  expect(reply.status).toBe(400)
  expect((await client.getPolicy()).policy.rules).toEqual([])
})

test('a call is judged with everything that the verdict rests on, and nothing is run', async () => {
  const { client, cwd } = await createServedRuntime()
  const command = 'cat a.txt | sudo tee .env'

  const explanation = await client.evaluatePolicy({ body: { tool: 'Bash', input: { command }, cwd } })

  expect(explanation).toEqual({
    verdict: {
      verdict: 'deny',
      step: 'autoDeny',
      rule: 'protected-change',
      reason: 'Writes .env, which is protected.',
      reasonParts: [{ code: 'file.write.protected', params: { path: '.env' } }],
      part: { text: '.env', start: 21, end: 25 },
    },
    findings: expect.arrayContaining([
      expect.objectContaining({ verdict: 'ask', rule: 'privilege' }),
      expect.objectContaining({ verdict: 'deny', rule: 'protected-change' }),
    ]),
    commands: [
      ['cat', 'a.txt'],
      ['sudo', 'tee', '.env'],
      ['tee', '.env'],
    ],
    files: [
      { access: 'read', path: `${cwd}/a.txt` },
      { access: 'write', path: `${cwd}/.env` },
    ],
    grant: {
      tool: 'Bash',
      command,
      folder: cwd,
      findings: ['privilege', 'protected-change', 'write'],
    },
  })
})

test('another policy, mode or session may be tried; a place is needed', async () => {
  const { client, cwd, createSession } = await createServedRuntime()
  const session = await createSession(undefined, { permissionMode: 'bypassPermissions', policy: 'classic' })
  const input = { command: 'echo x > .env' }
  const verdictOf = async (more: Partial<Parameters<typeof client.evaluatePolicy>[0]['body']>) =>
    (await client.evaluatePolicy({ body: { tool: 'Bash', input, ...more } })).verdict.verdict

  expect(await verdictOf({ cwd })).toBe('deny')
  expect(await verdictOf({ cwd, policy: 'classic' })).toBe('ask')
  expect(await verdictOf({ sessionId: session.id })).toBe('allow')
  expect(await verdictOf({ sessionId: session.id, mode: 'default' })).toBe('ask')
  expect(await verdictOf({ sessionId: session.id, policy: 'careful' })).toBe('deny')
  await expect(verdictOf({})).rejects.toMatchObject({ code: 'request_invalid' })
})

/** How often the event loop turns until something is done. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0
  let isDone = false
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work
  isDone = true
  return turns
}

test('others have their turn between the verdicts of a backtest', async () => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id: sessionId } = await createSession()
  const calls = Array.from({ length: 300 }, (_, at) => toolCalled(`t${at}`, 'Bash', { command: `ls ${at}` }))
  await journal.append(sessionId, calls.flat())

  const turns = await turnsDuring(client.backtestPolicy({ body: { policy: 'classic' } }))

  expect(turns).toBeGreaterThan(300)
})

test('a hostile call that is tried or was recorded is asked about, and the next one is judged', async () => {
  const { client, cwd, journal, createSession } = await createServedRuntime()
  const { id: sessionId } = await createSession()
  const file_path = 'a/'.repeat(150_000)
  await journal.append(sessionId, [
    ...toolCalled('t1', 'Read', { file_path }),
    ...toolCalled('t2', 'Bash', { command: 'cd a; '.repeat(666) }),
  ])

  const tried = await client.evaluatePolicy({ body: { tool: 'Read', input: { file_path }, cwd } })
  const { backtest } = await client.backtestPolicy({ body: { policy: 'careful' } })

  expect(tried.verdict).toMatchObject({ verdict: 'ask', rule: 'too-large' })
  expect(backtest).toMatchObject({ calls: 2, after: { allow: 0, deny: 0, ask: 2 } })
})

test('a backtest tells which recorded calls would have another verdict', async () => {
  const { client, journal, createSession, clock } = await createServedRuntime()
  const { id: sessionId } = await createSession()
  await journal.append(sessionId, toolCalled('old', 'Bash', { command: 'git push' }))
  clock.advance(8 * 86_400_000)
  await journal.append(sessionId, [
    ...toolCalled('t1', 'Bash', { command: 'ls' }),
    ...toolCalled('t2', 'Bash', { command: 'git push --force' }),
    {
      type: 'agent.started',
      data: { agentId: 'a1', agentType: 'Explore', isBackground: false },
    },
    ...toolCalled('t3', 'Read', { file_path: 'a.txt' }, 'a1'),
    { type: 'session.changed', data: { permissionMode: 'bypassPermissions' } },
    ...toolCalled('t4', 'Bash', { command: 'make' }),
  ])
  const rules: PolicyRule[] = [
    noPush,
    { name: 'no-explorer', verdict: 'deny', when: { agents: ['Explore'] } },
    { name: 'make-asks', verdict: 'ask', when: { commands: ['make'], modes: ['bypassPermissions'] } },
  ]

  const { backtest } = await client.backtestPolicy({ body: { policy: { rules } } })

  expect(backtest).toMatchObject({
    calls: 4,
    isTruncated: false,
    before: { allow: 3, deny: 0, ask: 1 },
    after: { allow: 1, deny: 2, ask: 1 },
  })
  expect(
    backtest.changes.map(({ toolUseId, before, after, outcome }) => [
      toolUseId,
      before.verdict,
      after.rule,
      outcome,
    ]),
  ).toEqual([
    ['t2', 'ask', 'no-push', 'completed'],
    ['t3', 'allow', 'no-explorer', 'completed'],
    ['t4', 'allow', 'make-asks', 'completed'],
  ])
  const since = new Date(0).toISOString()
  expect((await client.backtestPolicy({ body: { policy: { rules }, since } })).backtest.calls).toBe(5)
})

test('a rule is made from a request, with what else it would have changed, and can be kept', async () => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id: sessionId, cwd } = await createSession()
  const requestId = ids.next('per')
  await journal.append(sessionId, [
    ...toolCalled('t1', 'Bash', { command: 'npm run lint | tail -5' }),
    ...toolCalled('t2', 'Bash', { command: 'npm run deploy' }),
    ...toolCalled('t3', 'Bash', { command: 'npm run lint --prefix /elsewhere' }),
    permissionRequested(requestId, { toolName: 'Bash', input: { command: 'cd web && npm run lint' } }),
  ])

  const { suggestion } = await client.suggestRule({ params: { id: requestId } })

  expect(suggestion.rule).toEqual({
    name: 'allow Bash: npm run lint',
    verdict: 'allow',
    when: { tools: ['Bash'], commands: ['npm run lint'] },
  })
  expect(suggestion.preview.changes.map(({ toolUseId }) => toolUseId)).toEqual(['t1'])
  expect((await client.getPolicy()).policy.rules).toEqual([])

  await client.addPolicyRule({ body: suggestion.rule })

  const { explanation } = await client.explainRequest({ params: { id: requestId } })
  expect(explanation.verdict).toMatchObject({ verdict: 'allow', rule: 'allow Bash: npm run lint' })
  const body = { tool: 'Bash', input: { command: 'npm run deploy' }, cwd }
  expect((await client.evaluatePolicy({ body })).verdict.verdict).toBe('ask')
})

test.each([
  ['Write', { file_path: 'src/deep/a.ts' }, { tools: ['Write'], paths: ['src/deep/**'] }],
  ['Write', { file_path: 'a.ts' }, { tools: ['Write'], paths: ['*'] }],
  ['Write', { file_path: '/elsewhere/(a).ts' }, { tools: ['Write'], paths: ['/elsewhere/\\(a\\).ts'] }],
  ['mcp__github__create_issue', { title: 'x' }, { tools: ['mcp__github__create_issue'] }],
  [
    'Bash',
    { command: 'cat a | make all && npm test' },
    { tools: ['Bash'], commands: ['make all', 'npm test'] },
  ],
  ['Bash', { command: 'sed -i s/a/b/ f g' }, { tools: ['Bash'], commands: ['sed -i s/a/b/ [!-]* [!-]*'] }],
  ['Bash', { command: "npm run 'a b*'" }, { tools: ['Bash'], commands: ['npm run a\\ b\\*'] }],
])('a rule from %s %j is no wider than what was asked', async (tool, input, when) => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id: sessionId } = await createSession()
  const requestId = ids.next('per')
  await journal.append(sessionId, [permissionRequested(requestId, { toolName: tool, input })])

  const { suggestion } = await client.suggestRule({ params: { id: requestId } })

  expect(suggestion.rule.when).toEqual(when)
})

test('a rule is proposed from a request: narrow and for its folder, unless the user chooses otherwise', async () => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id: sessionId, cwd } = await createSession()
  const requestId = ids.next('per')
  const command = 'rm -rf build && git push --force origin main'
  await journal.append(sessionId, [permissionRequested(requestId, { toolName: 'Bash', input: { command } })])
  const params = { id: requestId }

  const { proposal } = await client.proposeRule({ params, body: {} })
  const wide = await client.proposeRule({ params, body: { scope: 'flags', place: 'everywhere' } })

  expect(proposal).toMatchObject({ scope: 'exact', scopes: ['exact', 'flags'], isCovering: true })
  expect(proposal.rule?.when).toEqual({
    tools: ['Bash'],
    commands: ['rm -rf build', 'git push --force origin main'],
    workspaces: [cwd],
  })
  const allowed = ({ nearby }: typeof proposal) =>
    nearby.filter(({ after }) => after === 'allow').map(({ title, severity }) => [title, severity])
  expect(allowed(proposal)).toEqual([
    ['rm -rf build', 'destructive'],
    ['git push --force origin main', 'destructive'],
  ])
  expect(allowed(wide.proposal)).toContainEqual(['rm -rf src', 'destructive'])
  expect(wide.proposal.rule?.when.workspaces).toBeUndefined()
  expect((await client.getPolicy()).policy.rules).toEqual([])
})

test('an edited rule is previewed as it was edited', async () => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id: sessionId } = await createSession()
  const requestId = ids.next('per')
  await journal.append(sessionId, [
    permissionRequested(requestId, { toolName: 'Bash', input: { command: 'rm -rf build' } }),
  ])
  const rule = { name: 'x', verdict: 'allow' as const, when: { tools: ['Bash'], commands: ['rm **'] } }

  const { proposal } = await client.proposeRule({ params: { id: requestId }, body: { rule } })

  expect(proposal).toMatchObject({ rule, scope: null, isCovering: false })
})

test('a rule with a time ends at that time, without anything having to run', async () => {
  const { client, clock, createSession } = await createServedRuntime()
  const { cwd } = await createSession()
  const until = new Date(clock.now() + 60_000).toISOString()
  const when = { tools: ['Bash'], commands: ['npm test'] }
  await client.addPolicyRule({ body: { name: 'for a minute', verdict: 'allow', when, until } })
  const body = { tool: 'Bash', input: { command: 'npm test' }, cwd }

  const before = await client.evaluatePolicy({ body })
  clock.advance(60_000)
  const after = await client.evaluatePolicy({ body })

  expect(before.verdict).toMatchObject({ verdict: 'allow', rule: 'for a minute' })
  expect(after.verdict.verdict).toBe('ask')
  expect((await client.getPolicy()).policy.rules).toMatchObject([{ until }])
})

test('what was allowed for the rest of a session can be taken back', async () => {
  const { client, journal, createSession } = await createServedRuntime()
  const { id } = await createSession()
  const grant = { tool: 'Bash', command: 'npm test' }
  const requestId = ids.next('per')
  await journal.append(id, [
    permissionRequested(requestId),
    permissionResolved(requestId, { decision: 'allowAll', grant }),
  ])
  const isAsked = async () =>
    (await client.evaluatePolicy({ body: { tool: 'Bash', input: { command: 'npm test' }, sessionId: id } }))
      .verdict.verdict
  expect(await isAsked()).toBe('allow')

  const { session } = await client.revokeGrant({ params: { id }, body: grant })

  expect(session.grants).toEqual([])
  expect(await isAsked()).toBe('ask')
  await expect(client.revokeGrant({ params: { id }, body: grant })).rejects.toMatchObject({
    code: 'grant_not_found',
  })
})

test('a rule without a request is previewed on an example, with other rules as they are in the editor', async () => {
  const { client, cwd } = await createServedRuntime()
  const rule: PolicyRule = { name: 'clean', verdict: 'allow', when: { commands: ['rm -rf [!-]*'] } }

  const { preview } = await client.previewRule({ body: { rule, cwd } })
  expect(preview).toMatchObject({
    call: { tool: 'Bash', title: 'rm -rf example' },
    before: 'ask',
    after: 'allow',
  })
  expect(preview.nearby).toContainEqual(
    expect.objectContaining({ title: 'rm -rf src', before: 'ask', after: 'allow', severity: 'destructive' }),
  )
  const denied = await client.previewRule({
    body: { rule, cwd, policy: { rules: [{ name: 'no', verdict: 'deny', when: { commands: ['rm **'] } }] } },
  })
  expect(denied.preview).toMatchObject({ before: 'deny', after: 'deny' })
  const other = await client.previewRule({
    body: { rule, cwd, call: { tool: 'Bash', input: { command: 'rm -rf ..' } } },
  })
  expect(other.preview.after).not.toBe('allow')
  expect((await client.getPolicy()).policy.rules).toEqual([])
  await expect(client.previewRule({ body: { rule } })).rejects.toMatchObject({ code: 'request_invalid' })
  await expect(client.previewRule({ body: { rule: { ...rule, when: {} }, cwd } })).rejects.toMatchObject({
    code: 'request_invalid',
  })
})
