import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../test/support/temporary-folder.js'
import { readConfig } from './config.js'
import { WorkspaceFile } from './policy/source/workspace-file.js'

async function homeWith(text: string): Promise<string> {
  const home = await temporaryFolder()
  await writeFile(join(home, 'config.jsonc'), text)
  return home
}

test('without any settings there are defaults', async () => {
  expect(readConfig(await temporaryFolder(), {}, {})).toEqual({
    port: 4747,
    host: '127.0.0.1',
    hosts: [],
    trustedProxies: [],
    whenBusy: 'inject',
    permissionTimeoutMs: 0,
    questionTimeoutMs: 0,
    warm: 1,
    parkAfterMs: 600_000,
    maxLive: 20,
    onRestart: 'ask',
    keeper: 'off',
    keepMs: 600_000,
    readOnlyJail: 'auto',
    unproven: 'jail',
    retention: 0,
    billing: 'api',
    defaults: {},
    mcpServers: {},
    allowedVariables: [],
    agents: {},
    agentLimits: {
      maxDepth: 3,
      maxCalls: 50,
      maxParallel: 4,
      budgetUsd: 5,
      callBudgetUsd: 1,
      timeoutMs: 600_000,
    },
    tools: [],
    transcripts: { keep: true, exclude: [] },
    hooks: {},
    telemetry: {
      headers: {},
      signals: ['traces', 'metrics', 'logs'],
      content: false,
      propagate: true,
      privateAddresses: [],
    },
    snapshots: {
      mode: 'on',
      days: 30,
      exclude: ['node_modules/', '.venv/', '__pycache__/'],
      maxFileMegabytes: 20,
      maxFiles: 100_000,
      maxIgnoredFiles: 1000,
      maxIgnoredMegabytes: 50,
      maxMegabytes: 2000,
      maxStoreMegabytes: 10_000,
      overLimit: 'ask',
      terminals: true,
    },
    notifications: {
      afterMs: 15_000,
      deskMs: 60_000,
      presenceMs: 120_000,
      remindAfterMs: 600_000,
      nextAfterMs: 600_000,
      batchMs: 5_000,
      finishedAfterMs: 300_000,
      expireAfterMs: 86_400_000,
      tokenMs: 3_600_000,
      kinds: ['needs_you', 'failed', 'finished'],
      isTitlesOnly: false,
      language: 'en',
      privateAddresses: [],
    },
    users: {},
    channels: {},
    worktrees: { bring: [], repositories: {}, setupMinutes: 10 },
  })
})

test('a hook that is not understood is refused: it would guard nothing', async () => {
  const home = await homeWith('{ "hooks": { "PreToolUs": [] } }')
  expect(() => readConfig(home, {}, {})).toThrow(/PreToolUs/)
})

test('flags come before variables, variables before the file', async () => {
  const home = await homeWith(
    '{\n // a comment\n "port": 1, "whenBusy": "queue", "permissionTimeoutMs": 1000,\n}',
  )
  const env = { SIGNALBOX_PORT: '2', SIGNALBOX_WHEN_BUSY: 'replace' }

  expect(readConfig(home, { port: '3', host: undefined }, env)).toMatchObject({
    port: 3,
    whenBusy: 'replace',
    permissionTimeoutMs: 1000,
  })
})

test.each([
  ['{ "colour": "blue" }', /colour/],
  ['{ "port": "many" }', /port/],
  ['{ "port": 70000 }', /port/],
  ['{ "host": "0.0.0.0" }', /host/],
  ['{ "channels": { "a": { "kind": "desktop", "user": "kim" } } }', /the user kim/],
  ['{ "notifications": { "privateAddresses": ["nas"] } }', /privateAddresses/],
  ['{ "port": 1', /line 1/],
])('what is wrong with %s is named', async (text, problem) => {
  const home = await homeWith(text)
  expect(() => readConfig(home, {}, {})).toThrow(problem)
})

test.each([
  [{ host: '0.0.0.0' }, /set tlsCert and tlsKey, or name the proxy/],
  [{ host: '192.168.1.5' }, /set tlsCert and tlsKey, or name the proxy/],
  [{ host: '0.0.0.0', tlsCert: 'cert.pem' }, /belong together/],
  [{ host: '0.0.0.0', tlsCert: 'cert.pem', tlsKey: 'key.pem' }, /name in hosts/],
  [{ host: '::', trustedProxies: ['10.0.0.5'] }, /name in hosts/],
])('%j is refused: secrets do not go over a network in the open', async (flags, problem) => {
  const home = await temporaryFolder()
  expect(() => readConfig(home, flags, {})).toThrow(problem)
})

test.each([
  { host: '192.168.1.5', tlsCert: 'cert.pem', tlsKey: 'key.pem' },
  { host: '0.0.0.0', hosts: ['box.example'], tlsCert: 'cert.pem', tlsKey: 'key.pem' },
  { host: '0.0.0.0', hosts: ['box.example'], trustedProxies: ['10.0.0.5'] },
  { host: 'localhost' },
])('%j is fine', async (flags) => {
  expect(readConfig(await temporaryFolder(), flags, {})).toMatchObject(flags)
})

test('a list in a variable has commas', async () => {
  const env = { SIGNALBOX_HOSTS: 'box.example, other.example', SIGNALBOX_TRUSTED_PROXIES: '10.0.0.0/8' }
  expect(readConfig(await temporaryFolder(), {}, env)).toMatchObject({
    hosts: ['box.example', 'other.example'],
    trustedProxies: ['10.0.0.0/8'],
  })
})

test('the policy is chosen by a name or a file, from variables as well', async () => {
  const home = await homeWith('{ "policy": "classic", "denyFirst": true, "autoAllowTools": ["Read"] }')
  expect(readConfig(home, {}, {})).toMatchObject({
    policy: 'classic',
    denyFirst: true,
    autoAllowTools: ['Read'],
  })
  const env = {
    SIGNALBOX_POLICY: 'careful',
    SIGNALBOX_DENY_FIRST: 'false',
    SIGNALBOX_AUTO_ALLOW_TOOLS: 'Read, Glob',
  }
  expect(readConfig(home, {}, env)).toMatchObject({
    policy: 'careful',
    denyFirst: false,
    autoAllowTools: ['Read', 'Glob'],
  })
})

test('a variable that decides which programs run cannot be listed for sessions', async () => {
  const home = await temporaryFolder()
  expect(readConfig(home, { allowedVariables: ['TICKET'] }, {}).allowedVariables).toEqual(['TICKET'])
  expect(readConfig(home, {}, { SIGNALBOX_ALLOWED_VARIABLES: 'TICKET, STAGE' }).allowedVariables).toEqual([
    'TICKET',
    'STAGE',
  ])
  expect(() => readConfig(home, { allowedVariables: ['LD_PRELOAD'] }, {})).toThrow(/defaults\.env/)
})

test('a collector is named by the configuration of the home alone, with an address that can be used', async () => {
  const home = await temporaryFolder()
  const given = { telemetry: { endpoint: 'file:///etc/passwd' } }
  expect(() => readConfig(home, given, {})).toThrow(/telemetry/)
  expect(() => readConfig(home, { telemetry: { endpoint: 'https://otel.example.com' } }, {})).not.toThrow()
  expect(WorkspaceFile.safeParse({ telemetry: { endpoint: 'https://otel.example.com' } }).success).toBe(false)
})
