/**
 * Options that each role can give a session through the API, and the treatment of options stored before that
 * was checked.
 */

import { expect, test } from 'vitest'
import { aPerson, ids } from '../../../test/support/build.js'
import { createServedRuntime } from '../../../test/support/served-runtime.js'
import { createClient } from '../../client/client.js'
import type { SessionOptions } from '../../protocol/option/option.js'

const KIT = { command: 'kit', env: { KEY: 'of the home' } }

async function setup(more: Parameters<typeof createServedRuntime>[0] = {}) {
  const runtime = await createServedRuntime({
    mcpServers: { kit: KIT },
    allowedVariables: ['TICKET'],
    ...more,
  })
  const { secret } = await runtime.access.createToken({ name: ids.next('tok'), role: 'operator' })
  const operator = createClient({ url: runtime.url, token: secret })
  /** The options with which a process of the session was started last. */
  const launched = async (id: string) => {
    const before = runtime.claudes.started.length
    await runtime.hub.send(id, { text: 'go' }, aPerson)
    await expect.poll(() => runtime.claudes.started.length).toBeGreaterThan(before)
    const claude = runtime.claudes.started.at(-1)
    if (!claude) throw new Error('No process was started.')
    return claude.launch
  }
  return { ...runtime, operator, launched }
}

const FORBIDDEN = { code: 'role_insufficient', details: { needed: 'admin', role: 'operator' } }

const widening: [string, SessionOptions][] = [
  ['a server that is a program', { mcpServers: { x: { command: 'sh', args: ['-c', 'cat token'] } } }],
  ['a server on the network', { mcpServers: { x: { type: 'http', url: 'https://example.com' } } }],
  ['a plugin', { plugins: [{ type: 'local', path: '/tmp/plugin' }] }],
  ['a folder', { additionalDirectories: ['/'] }],
  ['settings', { settingSources: ['user'] }],
  ['a sandbox of its own', { sandbox: { enabled: false } }],
  ['allowed tools', { allowedTools: ['Bash'] }],
]

test.each(widening)('an operator cannot give a session %s; an admin can', async (_, options) => {
  const { operator, client, cwd, createSession, store, events } = await setup()
  const { id } = await createSession()
  const before = await events(id)

  await expect(operator.createSession({ body: { cwd, options } })).rejects.toMatchObject(FORBIDDEN)
  await expect(operator.changeSession({ params: { id }, body: { options } })).rejects.toMatchObject(FORBIDDEN)

  expect(await events(id)).toEqual(before)
  expect((await store.options(id)).options).toEqual({})
  expect((await client.createSession({ body: { cwd, options } })).session.options).toEqual(options)
})

test('servers of a session are replaced by admins; operators choose those of the configuration by name', async () => {
  const { operator, client, createSession, launched } = await setup()
  const { id } = await createSession()
  const params = { id }
  const servers = { x: { command: 'sh' } }

  await expect(operator.setMcpServers({ params, body: { servers } })).rejects.toMatchObject(FORBIDDEN)
  await expect(operator.setMcpServers({ params, body: { configured: ['other'] } })).rejects.toMatchObject({
    code: 'option_refused',
  })
  await operator.setMcpServers({ params, body: { configured: ['kit'] } })
  expect((await client.getSession({ params })).session.options).toEqual({ configuredServers: ['kit'] })

  await client.changeSession({ params, body: { options: { mcpServers: servers } } })
  expect((await launched(id)).mcpServers).toEqual({ kit: KIT, ...servers })
})

test('a variable is given only if the home lists it, to admins too, and a reserved one never', async () => {
  const { operator, client, cwd, launched } = await setup()
  const give = (who: typeof client, env: Record<string, string>) =>
    who.createSession({ body: { cwd, options: { env } } })

  for (const who of [operator, client]) {
    await expect(give(who, { COLOUR: 'blue' })).rejects.toMatchObject({
      code: 'option_refused',
      message: expect.stringContaining('allowedVariables'),
    })
    await expect(give(who, { TICKET: '1', ANTHROPIC_BASE_URL: 'http://127.0.0.1:1' })).rejects.toMatchObject({
      code: 'option_refused',
      message: expect.stringContaining('defaults.env'),
    })
  }
  const { session } = await give(operator, { TICKET: '7' })
  expect((await launched(session.id)).env['TICKET']).toBe('7')
})

test('options that were stored before anybody asked for a role are left out, and the session says so', async () => {
  const { createSession, store, launched, events, client } = await setup()
  const { id } = await createSession()
  const options = {
    maxTurns: 3,
    mcpServers: { x: { command: 'sh' } },
    env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', TICKET: '1' },
    plugins: [{ type: 'local' as const, path: '/tmp/plugin' }],
  }
  await store.setOptions(id, { options, givenBy: {} })

  const launch = await launched(id)

  expect(launch).toMatchObject({ env: { PATH: '/bin' }, mcpServers: {} })
  expect(launch.options).toEqual({ maxTurns: 3, settingSources: [] })
  const told = (await events(id)).find(({ type }) => type === 'error.raised')
  expect(told?.data).toMatchObject({
    code: 'option_refused',
    message: expect.stringContaining('mcpServers, env, plugins'),
  })
  // An admin who sets them again vouches for the new values, not for the old ones.
  await client.changeSession({
    params: { id },
    body: { options: { mcpServers: { good: { command: 'a' } } } },
  })
  expect(Object.keys((await store.options(id)).options.mcpServers ?? {})).toEqual(['good'])
})

test('after a restart they are judged again, by the configuration as it is then', async () => {
  const first = await setup()
  const { session } = await first.client.createSession({
    body: {
      cwd: first.cwd,
      options: { env: { TICKET: '1' }, configuredServers: ['kit'], mcpServers: { x: { command: 'a' } } },
    },
  })
  const { store, folder } = first

  const second = await setup({ store, folder, mcpServers: {}, allowedVariables: [] })
  const launch = await second.launched(session.id)

  expect(launch.env['TICKET']).toBeUndefined()
  expect(launch.mcpServers).toEqual({ x: { command: 'a' } })
  const told = (await second.events(session.id)).find(({ type }) => type === 'error.raised')
  expect(told?.data).toMatchObject({
    message: expect.stringContaining('the variable TICKET, the server kit'),
  })
})

test.each(widening)('an operator cannot copy a session that an admin has given %s', async (_, options) => {
  const { client, operator, cwd, store } = await setup()
  const { session } = await client.createSession({ body: { cwd, options } })
  const params = { id: session.id }

  await expect(operator.forkSession({ params, body: {} })).rejects.toMatchObject({
    ...FORBIDDEN,
    details: { ...FORBIDDEN.details, options: Object.keys(options) },
  })

  const [name = ''] = Object.keys(options)
  const copy = await client.forkSession({ params, body: {} })
  expect(await store.options(copy.session.id)).toEqual({ options, givenBy: { [name]: 'admin' } })
})

test('an operator copies a session with its limits, and not one with variables that only its owner could give', async () => {
  const { client, operator, cwd, store, hub } = await setup()
  const options = { tools: ['Read'], env: { TICKET: '1' }, maxTurns: 3 }
  const { session } = await client.createSession({ body: { cwd, options } })
  const copy = await operator.forkSession({ params: { id: session.id }, body: {} })
  expect(await store.options(copy.session.id)).toEqual({
    options,
    givenBy: { tools: 'admin', env: 'admin', maxTurns: 'admin' },
  })

  const owned = await hub.createSession({ cwd, options: { env: { GIT_DIR: '/srv' } } }, aPerson)
  await expect(operator.forkSession({ params: { id: owned.id }, body: {} })).rejects.toMatchObject({
    code: 'role_insufficient',
  })
})

test('an operator narrows a limit that an admin has set, and never lifts it', async () => {
  const { client, operator, cwd, store } = await setup()
  const options: SessionOptions = { tools: ['Read', 'Grep'], maxTurns: 5, maxBudgetUsd: 2 }
  const { session } = await client.createSession({ body: { cwd, options } })
  const params = { id: session.id }
  const change = (who: typeof client, to: SessionOptions) =>
    who.changeSession({ params, body: { options: to } })

  const wider: SessionOptions[] = [
    { tools: ['Read', 'Bash'] },
    { tools: { type: 'preset', preset: 'claude_code' } },
    { maxTurns: 6 },
    { maxBudgetUsd: 2.5 },
  ]
  for (const to of wider)
    await expect(change(operator, to)).rejects.toMatchObject({ code: 'role_insufficient' })
  expect((await store.options(session.id)).options).toEqual(options)

  await change(operator, { tools: ['Read'], maxTurns: 4 })
  await expect(change(operator, { tools: ['Read', 'Grep'] })).rejects.toMatchObject({
    code: 'role_insufficient',
  })
  await change(client, { tools: ['Read', 'Grep', 'Bash'], maxTurns: 50 })
  expect((await store.options(session.id)).options).toEqual({
    ...options,
    tools: ['Read', 'Grep', 'Bash'],
    maxTurns: 50,
  })
})

test('an operator gives a session fewer tools than the home leaves it, never more', async () => {
  const { operator, client, cwd, launched } = await setup({
    defaults: { tools: ['Read', 'Grep'], disallowedTools: ['WebFetch'] },
  })
  const options = { tools: ['Read', 'Bash'], disallowedTools: ['WebSearch'] }
  const byOperator = await operator.createSession({ body: { cwd, options } })
  const byAdmin = await client.createSession({ body: { cwd, options } })

  expect((await launched(byOperator.session.id)).options).toMatchObject({
    tools: ['Read'],
    disallowedTools: ['WebFetch', 'WebSearch'],
  })
  expect((await launched(byAdmin.session.id)).options).toMatchObject({ tools: ['Read', 'Bash'] })
})
