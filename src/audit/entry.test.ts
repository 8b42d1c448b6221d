import { expect, test } from 'vitest'
import { aPerson } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import { createTestRuntime } from '../../test/support/test-runtime.js'
import { digest } from '../lib/digest.js'
import type { AuditRecord } from '../protocol/audit.js'
import { reason, saying } from '../protocol/reason/reason.js'
import { recordOf, seal } from './chain.js'
import { auditEntry, redactedEntry } from './entry.js'
import { verifyAudit } from './verify.js'

const signal = new AbortController().signal
const why = { title: 'Write: a', reason: 'No rule.', suggestions: [] }

async function setup() {
  const runtime = await createTestRuntime()
  const { id: sessionId } = await runtime.createSession()
  const call = (input: unknown) => ({ sessionId, toolUseId: 'toolu_1', toolName: 'Write', input, signal })
  const pending = async () => {
    await expect.poll(async () => (await runtime.inbox.requests({ state: 'pending' })).length).toBe(1)
    return (await runtime.inbox.requests({ state: 'pending' }))[0]?.id ?? ''
  }
  const records = async (): Promise<AuditRecord[]> => (await runtime.hub.audit({})).records.toReversed()
  return { ...runtime, sessionId, call, pending, records }
}

test('what a person decides: who, from where, about what, what became of it, and how long it took', async () => {
  const { inbox, asker, call, pending, records, clock, sessionId } = await setup()
  const input = { file_path: 'a', content: 'secret text' }
  const answered = asker.askPermission(call(input), why)
  const requestId = await pending()
  clock.advance(1_500)

  const updatedInput = { file_path: 'b' }
  await inbox.answer(requestId, { decision: 'allowAll', updatedInput }, { who: 'kim', via: 'dashboard' })
  await answered

  expect(await records()).toEqual([
    {
      number: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      at: expect.any(String),
      kind: 'request.resolved',
      who: 'kim',
      via: 'dashboard',
      role: null,
      credentialId: null,
      by: 'person',
      subject: 'Write: a',
      verdict: 'allowAll',
      rule: null,
      reason: null,
      sessionId,
      requestId,
      toolUseId: 'toolu_1',
      digest: digest(JSON.stringify(input)),
      changedDigest: digest(JSON.stringify(updatedInput)),
      mode: null,
      latencyMs: 1_500,
    },
  ])
  expect(JSON.stringify(await records())).not.toContain('secret text')
})

test('an answer that came too late is not in it; a request that nobody answered is', async () => {
  const { inbox, asker, call, pending, records, sessionId } = await setup()
  const answered = asker.askPermission(call({}), why)
  const requestId = await pending()
  await asker.withdraw(sessionId, 'The session was stopped.')
  await answered
  await inbox.answer(requestId, { decision: 'allow' }, aPerson).catch(() => {})

  expect(await records()).toMatchObject([
    { by: 'shutdown', who: null, via: null, verdict: 'deny', reason: 'The session was stopped.' },
  ])
})

test('questions, forms and plans', async () => {
  const { inbox, asker, call, pending, records } = await setup()
  const question = asker.askQuestion(call({}), [{ question: 'Which?' }])
  await inbox.answer(await pending(), { answers: { 'Which?': 'A' } }, aPerson)
  await question
  const form = asker.askForm(call({}), { server: 'kit', message: 'Who?' })
  await inbox.answer(await pending(), { action: 'decline' }, aPerson)
  await form
  const plan = asker.askPermission(call({}), { ...why, plan: '# Build' })
  await inbox.answer(await pending(), { decision: 'allow', mode: 'acceptEdits' }, aPerson)
  await plan

  expect(await records()).toMatchObject([
    { subject: 'Which?', verdict: 'answered', changedDigest: expect.any(String) },
    { subject: 'Who?', verdict: 'decline' },
    { subject: 'Write: a', verdict: 'allow', mode: 'acceptEdits' },
  ])
})

test('what the policy decides, with its rule', async () => {
  const { journal, records, sessionId } = await setup()
  const data = { toolUseId: 't1', name: 'Read', title: 'Read: a', inputDigest: 'd1', reason: 'Reading.' }
  await journal.append(sessionId, [
    { type: 'tool.judged', data: { ...data, decision: 'allow', by: 'policy: autoAllow read' } },
    { type: 'tool.judged', data: { ...data, decision: 'allow', by: 'policy: grant Bash npm test' } },
    { type: 'tool.judged', data: { ...data, decision: 'deny', by: 'hook: ./check.sh' } },
  ])

  expect(await records()).toMatchObject([
    {
      by: 'policy',
      verdict: 'allow',
      rule: 'autoAllow read',
      reason: 'Reading.',
      digest: 'd1',
      subject: 'Read: a',
    },
    { by: 'grant', rule: 'grant Bash npm test' },
    { by: 'hook', verdict: 'deny', rule: './check.sh' },
  ])
})

test('the mode of a session, where it is not the default one: from its start, and at every change', async () => {
  const { hub, records, cwd, sessionId } = await setup()
  await hub.createSession({ cwd, permissionMode: 'bypassPermissions' }, aPerson)
  await hub.change(sessionId, { permissionMode: 'bypassPermissions' }, { who: 'sato', via: 'cli' })
  await hub.change(sessionId, { permissionMode: 'default' }, aPerson)
  await hub.change(sessionId, { title: 'no matter' }, aPerson)

  expect(await records()).toMatchObject([
    { kind: 'mode.changed', mode: 'bypassPermissions', who: 'kim' },
    { kind: 'mode.changed', mode: 'bypassPermissions', who: 'sato', via: 'cli', sessionId },
    { kind: 'mode.changed', mode: 'default', who: 'kim', sessionId },
  ])
})

test('trust in a folder, and changes of the policy', async () => {
  const { hub, records, folder } = await setup()
  await hub.trust(folder, aPerson)
  await hub.distrust(folder, aPerson)
  await hub.policies.replace({ rules: [] }, aPerson)

  expect(await records()).toMatchObject([
    { kind: 'workspace.trusted', subject: folder, who: 'kim' },
    { kind: 'workspace.distrusted', subject: folder },
    { kind: 'policy.changed', who: 'kim', changedDigest: digest('{"rules":[]}') },
  ])
})

test('tokens and logins, by whom and from where', async () => {
  const { client, url, hub } = await createServedRuntime()
  const { token } = await client.createToken({ body: { name: 'robot', role: 'viewer' } })
  await client.revokeToken({ params: { id: token.id } })
  const { code } = await client.createLoginCode({ body: {} })
  await fetch(`${url}/api/v1/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ code }),
  })

  expect((await hub.audit({})).records.toReversed()).toMatchObject([
    { kind: 'token.created', who: 'admin', via: 'api', subject: 'robot (viewer)' },
    { kind: 'token.revoked', who: 'admin', subject: 'robot' },
    { kind: 'login_code.created', who: 'admin', via: 'api', subject: 'admin' },
    { kind: 'login.created', who: 'admin', via: 'dashboard', subject: '127.0.0.1' },
  ])
  expect(await client.listAudit({ query: { limit: 1 } })).toMatchObject({
    records: [{ number: 4 }],
    nextCursor: 4,
  })
})

test('the list is read in pages, newest first, and for one session', async () => {
  const { hub, journal, createSession, sessionId } = await setup()
  const other = await createSession()
  const judged = (id: string, rule: string) =>
    journal.append(id, [
      {
        type: 'tool.judged',
        data: {
          toolUseId: rule,
          name: 'Read',
          title: 'r',
          inputDigest: '',
          decision: 'allow',
          by: `policy: ${rule}`,
        },
      },
    ])
  for (const rule of ['a', 'b', 'c']) await judged(sessionId, rule)
  await judged(other.id, 'd')
  const rules = (records: AuditRecord[]) => records.map(({ rule }) => rule)

  expect(rules((await hub.audit({ limit: 2 })).records)).toEqual(['d', 'c'])
  expect(rules((await hub.audit({ limit: 2, before: 3 })).records)).toEqual(['b', 'a'])
  expect(rules((await hub.audit({ sessionId: other.id })).records)).toEqual(['d'])
})

test('the codes of a reason are recorded with its text', async () => {
  const { journal, records, sessionId } = await setup()
  const forced = saying(reason('git.force-push', { target: 'origin/main' }))
  const data = { toolUseId: 't1', name: 'Bash', title: 'Bash: git push', inputDigest: 'd1', ...forced }
  await journal.append(sessionId, [
    { type: 'tool.judged', data: { ...data, decision: 'deny', by: 'policy: rule no-push' } },
  ])

  expect(await records()).toMatchObject([
    {
      reason: 'Force-pushes and rewrites origin/main.',
      reasonParts: [{ code: 'git.force-push', params: { target: 'origin/main' } }],
    },
  ])
})

test('a secret is redacted in the text of a reason and in its parameters', () => {
  const told = {
    at: '2026-01-01T00:00:00.000Z',
    kind: 'call.judged',
    by: 'policy',
    subject: 'x',
    verdict: 'deny',
  }
  const entry = auditEntry({
    ...told,
    kind: 'call.judged',
    ...saying(reason('shell.sets', { name: 'hunter2' })),
  })

  const redacted = redactedEntry(entry, (text) => text.replaceAll('hunter2', '***'))
  expect(redacted).toMatchObject({
    reason: 'Sets the variable ***.',
    reasonParts: [{ code: 'shell.sets', params: { name: '***' } }],
  })
  // One that is seen only in the whole text leaves no parts behind.
  const whole = redactedEntry(entry, (text) => text.replaceAll('variable hunter2', '***'))
  expect(whole.reason).toBe('Sets the ***.')
  expect(JSON.stringify(whole)).not.toContain('hunter2')
})

test('a row that was written before reasons had codes keeps its bytes, and verifies', () => {
  const text =
    '{"at":"2026-01-01T00:00:00.000Z","kind":"call.judged","who":null,"via":null,"role":null,"credentialId":null,"by":"policy","subject":"Bash: ls","verdict":"allow","rule":"autoAllow read-only","reason":"Nothing in it does more than read in the workspace.","sessionId":null,"requestId":null,"toolUseId":"t1","digest":"d1","changedDigest":null,"mode":null,"latencyMs":null}'
  const row = { number: 1, entry: text, hash: seal('', 1, text) }
  const { number: _, hash: __, ...entry } = recordOf(row)

  expect(JSON.stringify(auditEntry(entry))).toBe(text)
  expect(verifyAudit([row], { head: row, sealed: row, needsSeal: true })).toMatchObject({
    isIntact: true,
    rows: 1,
  })
})
