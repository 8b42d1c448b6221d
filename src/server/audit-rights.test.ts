/** Everything that changes what an agent may do, or who may do it, leaves an entry in the audit that names who did it. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ids, permissionRequested } from '../../test/support/build.js'
import { createServedRuntime } from '../../test/support/served-runtime.js'
import type { Client } from '../client/client.js'
import type { AuditKind } from '../protocol/audit.js'
import { HARMLESS_OPTIONS, OPTION_ROLES } from '../protocol/option/option-role.js'
import { type Route, type RouteName, routes } from '../protocol/route.js'

const SERVER = { command: 'true' }

async function setup() {
  const runtime = await createServedRuntime({ allowedVariables: ['STAGE'], mcpServers: { kit: SERVER } })
  const { id } = await runtime.createSession()
  const folder = join(runtime.folder, 'other')
  await mkdir(folder)
  const newest = async () => (await runtime.hub.audit({ limit: 1 })).records[0]
  return { ...runtime, params: { id }, other: folder, newest }
}
type Setup = Awaited<ReturnType<typeof setup>>
type Act = (client: Client, runtime: Setup) => Promise<unknown>

async function askGrant({ client, journal, params }: Setup): Promise<void> {
  const requestId = ids.next('per')
  await journal.append(params.id, [permissionRequested(requestId)])
  await client.answerRequest({ params: { id: requestId }, body: { decision: 'allowAll' } })
}

const KIM = { name: 'kim' }

function addChannel(client: Client) {
  return client.createChannel({ body: { name: 'screen', settings: { kind: 'desktop' } } })
}

const acts: Partial<Record<RouteName, [AuditKind, Act][]>> = {
  createSession: [
    [
      'options.changed',
      (client, { cwd }) => client.createSession({ body: { cwd, options: { env: { STAGE: '1' } } } }),
    ],
    [
      'mode.changed',
      (client, { cwd }) => client.createSession({ body: { cwd, permissionMode: 'acceptEdits' } }),
    ],
    ['mode.changed', (client, { cwd }) => client.createSession({ body: { cwd, phase: 'finalization' } })],
    ['policy.changed', (client, { cwd }) => client.createSession({ body: { cwd, policy: 'classic' } })],
  ],
  changeSession: [
    [
      'options.changed',
      (client, { params }) =>
        client.changeSession({ params, body: { options: { additionalDirectories: ['/tmp'] } } }),
    ],
    [
      'mode.changed',
      (client, { params }) => client.changeSession({ params, body: { permissionMode: 'acceptEdits' } }),
    ],
  ],
  setMcpServers: [
    [
      'options.changed',
      (client, { params }) => client.setMcpServers({ params, body: { servers: { a: SERVER } } }),
    ],
    [
      'options.changed',
      (client, { params }) => client.setMcpServers({ params, body: { configured: ['kit'] } }),
    ],
    ['options.changed', (client, { params }) => client.setMcpServers({ params, body: {} })],
  ],
  forkSession: [
    [
      'options.changed',
      async (client, { params }) => {
        await client.changeSession({ params, body: { options: { configuredServers: ['kit'] } } })
        return client.forkSession({ params, body: {} })
      },
    ],
  ],
  resumeSession: [
    [
      'session.resumed',
      async (client, { params }) => {
        await client.stopSession({ params, body: {} })
        return client.resumeSession({ params, body: {} })
      },
    ],
    ['session.resumed', (client, { params }) => client.resumeSession({ params, body: {} })],
  ],
  deleteSession: [['session.deleted', (client, { params }) => client.deleteSession({ params })]],
  answerRequest: [['request.resolved', (_, runtime) => askGrant(runtime)]],
  revokeGrant: [
    [
      'grant.revoked',
      async (client, runtime) => {
        await askGrant(runtime)
        const [grant] = (await runtime.hub.session(runtime.params.id)).grants
        return client.revokeGrant({ params: runtime.params, body: { tool: grant?.tool ?? '' } })
      },
    ],
  ],
  setPolicy: [['policy.changed', (client) => client.setPolicy({ body: { preset: 'careful' } })]],
  addPolicyRule: [
    [
      'policy.changed',
      (client) =>
        client.addPolicyRule({ body: { name: 'no', verdict: 'deny', when: { tools: ['WebFetch'] } } }),
    ],
  ],
  trustWorkspace: [
    ['workspace.trusted', (client, { other }) => client.trustWorkspace({ body: { path: other } })],
  ],
  distrustWorkspace: [
    ['workspace.distrusted', (client, { other }) => client.distrustWorkspace({ body: { path: other } })],
  ],
  createToken: [['token.created', (client) => client.createToken({ body: { name: 'kim', role: 'viewer' } })]],
  revokeToken: [
    [
      'token.revoked',
      async (client) => {
        const { token } = await client.createToken({ body: { name: 'kim', role: 'viewer' } })
        return client.revokeToken({ params: { id: token.id } })
      },
    ],
  ],
  createLoginCode: [['login_code.created', (client) => client.createLoginCode({ body: { role: 'viewer' } })]],
  setUser: [['user.changed', (client) => client.setUser({ params: KIM, body: { may: 'answer' } })]],
  removeUser: [
    [
      'user.removed',
      async (client) => {
        await client.setUser({ params: KIM, body: {} })
        return client.removeUser({ params: KIM })
      },
    ],
  ],
  createChannel: [['channel.changed', (client) => addChannel(client)]],
  changeChannel: [
    [
      'channel.changed',
      async (client) => {
        await addChannel(client)
        return client.changeChannel({ params: { name: 'screen' }, body: { isPaused: true } })
      },
    ],
  ],
  removeChannel: [
    [
      'channel.removed',
      async (client) => {
        await addChannel(client)
        return client.removeChannel({ params: { name: 'screen' } })
      },
    ],
  ],
}

/** They write, but change no rights. A login and its end have tests of their own: they are made without a token. */
const WITHOUT_RIGHTS: readonly RouteName[] = [
  // It accepts an alarm, which has tests of its own.
  'acceptAudit',
  'sendMessage',
  'interruptSession',
  'stopSession',
  'compactSession',
  'stopTask',
  'editMessage',
  'cancelMessage',
  'evaluatePolicy',
  'backtestPolicy',
  'previewRule',
  'proposeRule',
  'savePrompt',
  'deletePrompt',
  'holdRequest',
  'login',
  'logout',
  'sendComments',
  // They need files and a repository: test/e2e/changes.test.ts and worktree.test.ts look at their entries.
  'rewindSession',
  'undoChanges',
  'changeWorktree',
  'lookLoginCode',
  'testChannel',
  'testPush',
  'notePresence',
  'lookAnswer',
  // Made by a browser or without a login: `push-device.test.ts` and `answer.test.ts` look at their entries.
  'subscribePush',
  'unsubscribePush',
  'answerByToken',
]

test('every route that writes is known to change rights, or not to', () => {
  const writing = Object.entries<Route>(routes).filter(([, { method }]) => method !== 'GET')
  const known = [...Object.keys(acts), ...WITHOUT_RIGHTS].toSorted()
  expect(known).toEqual(writing.map(([name]) => name).toSorted())
})

const cases = Object.entries(acts).flatMap(([name, list]) =>
  list.map(([kind, act], index) => ({ name: `${name} ${index + 1}`, kind, act })),
)

test.each(cases)('$name leaves $kind', async ({ kind, act }) => {
  const runtime = await setup()
  const before = (await runtime.newest())?.number ?? 0

  await act(runtime.client, runtime)

  const entry = await runtime.newest()
  expect(entry).toMatchObject({
    kind,
    who: 'admin',
    via: expect.any(String),
    role: 'admin',
    credentialId: null,
  })
  expect(entry?.number).toBeGreaterThan(before)
})

test('the entry names what was given, and never a value of a variable or a header', async () => {
  const { client, cwd, newest } = await setup()
  const net = { type: 'http' as const, url: 'https://example.com', headers: { authorization: 'canary-1' } }

  await client.createSession({
    body: {
      cwd,
      options: {
        env: { STAGE: 'canary-2' },
        mcpServers: { net },
        additionalDirectories: ['/srv'],
        maxTurns: 3,
      },
    },
  })

  const entry = await newest()
  expect(entry?.subject).toBe('additionalDirectories: /srv; env: STAGE; mcpServers: net')
  expect(JSON.stringify(entry)).not.toContain('canary')
})

test('an option that is harmless is one that an operator may set', () => {
  const needing = [...HARMLESS_OPTIONS].map((name) => OPTION_ROLES[name as keyof typeof OPTION_ROLES])
  expect(new Set(needing)).toEqual(new Set(['operator']))
})

test('an entry names the role and the credential of who did it, whatever name they have', async () => {
  const { client, url, hub, access, params, journal } = await setup()
  const { code } = await client.createLoginCode({ body: { role: 'operator' } })
  const cookie = await access.login({ code }, '127.0.0.1')
  const [login] = (await client.listTokens()).tokens
  const browser = { authorization: `Bearer ${cookie}`, 'content-type': 'application/json' }
  const send = (method: string, path: string, body: object) =>
    fetch(`${url}/api/v1${path}`, { method, headers: browser, body: JSON.stringify(body) })
  const newest = async () => (await hub.audit({ limit: 1 })).records[0]
  const operator = { who: 'login (operator)', via: 'dashboard', role: 'operator', credentialId: login?.id }

  expect(await newest()).toMatchObject({ kind: 'login.created', ...operator })
  await send('PATCH', `/sessions/${params.id}`, { permissionMode: 'plan' })
  expect(await newest()).toMatchObject({ kind: 'mode.changed', ...operator })
  const requestId = ids.next('per')
  await journal.append(params.id, [permissionRequested(requestId)])
  await send('POST', `/requests/${requestId}/answer`, { decision: 'deny' })
  expect(await newest()).toMatchObject({ kind: 'request.resolved', ...operator })
})
