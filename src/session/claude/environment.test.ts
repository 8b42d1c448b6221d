import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { claudeEnvironment, hasAccount, type ModelAccess } from './environment.js'

const host = {
  PATH: '/bin',
  HOME: '/home/dev',
  LC_ALL: 'ko_KR.UTF-8',
  ANTHROPIC_API_KEY: 'key',
  CLAUDE_CODE_USE_VERTEX: '1',
  DATABASE_PASSWORD: 'secret',
  NODE_OPTIONS: '--inspect',
  EMPTY: undefined,
}

test('with an account the CLI gets the system’s and the account’s variables, and nothing else', () => {
  expect(claudeEnvironment(host, { kind: 'account' }, '/home/dev/.signalbox')).toEqual({
    configFolder: '/home/dev/.claude',
    env: {
      PATH: '/bin',
      HOME: '/home/dev',
      LC_ALL: 'ko_KR.UTF-8',
      ANTHROPIC_API_KEY: 'key',
      CLAUDE_CODE_USE_VERTEX: '1',
      CLAUDE_CODE_TMPDIR: '/home/dev/.signalbox/tmp',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.bareRepository',
      GIT_CONFIG_VALUE_0: 'explicit',
    },
  })
})

test('on the scripted model nothing of an account reaches the CLI, and its folder is our own', () => {
  const access = { kind: 'scripted', url: 'http://127.0.0.1:1' } as const
  const { env, configFolder } = claudeEnvironment(host, access, '/home/dev/.signalbox')

  expect(configFolder).toBe('/home/dev/.signalbox/claude')
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:1', CLAUDE_CONFIG_DIR: configFolder })
  expect(Object.values(env)).not.toContain('key')
  expect(Object.keys(env)).not.toContain('CLAUDE_CODE_USE_VERTEX')
  expect(Object.values(env)).not.toContain('secret')
})

test('an account is a variable that names one, or the file of the CLI’s own login', () => {
  const never = () => false
  expect(hasAccount({ HOME: '/home/dev' }, never)).toBe(false)
  expect(hasAccount({ HOME: '/home/dev', ANTHROPIC_API_KEY: '' }, never)).toBe(false)
  expect(hasAccount({ ANTHROPIC_BASE_URL: 'http://gateway' }, never)).toBe(true)
  expect(hasAccount({ HOME: '/home/dev' }, (path) => path === '/home/dev/.claude/.credentials.json')).toBe(
    true,
  )
  expect(hasAccount({ CLAUDE_CONFIG_DIR: '/c' }, (path) => path === '/c/.credentials.json')).toBe(true)
})

test('commands are run by the shell that the policy reads, whatever the host has chosen', () => {
  const scripted: ModelAccess = { kind: 'scripted', url: 'http://127.0.0.1:1' }
  const shellOf = (env: Record<string, string>, access: ModelAccess) =>
    claudeEnvironment(env, access, '/home/dev/.signalbox', '/bin/bash').env['CLAUDE_CODE_SHELL']
  expect(shellOf({ SHELL: '/bin/zsh' }, scripted)).toBe('/bin/bash')
  expect(shellOf({ CLAUDE_CODE_SHELL: '/bin/zsh' }, { kind: 'account' })).toBe('/bin/bash')
})

test('telemetry settings of the daemon’s own environment reach the CLI, with an account and without', () => {
  const telemetry = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318',
    TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    TRACESTATE: 'vendor=1',
  }
  const access: ModelAccess[] = [{ kind: 'account' }, { kind: 'scripted', url: 'http://127.0.0.1:1' }]
  for (const kind of access) {
    expect(claudeEnvironment({ ...host, ...telemetry }, kind, '/home/dev/.signalbox').env).toMatchObject(
      telemetry,
    )
  }
})

test('with the environment of an agent, git runs nothing that a folder of the repository says', async () => {
  const folder = await temporaryFolder()
  const vendor = join(folder, 'vendor')
  for (const name of ['objects', 'refs']) await mkdir(join(vendor, name), { recursive: true })
  await writeFile(join(vendor, 'HEAD'), 'ref: refs/heads/main\n')
  await writeFile(
    join(vendor, 'config'),
    '[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = "touch RAN; false"\n',
  )
  const { env } = claudeEnvironment(
    { PATH: process.env['PATH'], HOME: folder },
    { kind: 'scripted', url: 'http://127.0.0.1:9' },
    folder,
  )
  expect(() => execFileSync('git', ['status'], { cwd: vendor, env, stdio: 'pipe' })).toThrow()
  expect(existsSync(join(vendor, 'RAN'))).toBe(false)
})
