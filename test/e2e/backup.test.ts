/** Damaged and restored homes, as a user meets them on the command line. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../../src/lib/sqlite/driver.js'
import { MAIN, makePlace, type Place, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { damageTable } from '../support/storage-fault.js'

const SCRIPT = () => ({ rules: [{ reply: [{ text: 'ok' }] }] })

function run({ home, env }: Place, ...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...words, '--home', home], {
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { status, stdout, stderr }
}

test('a backup of a working daemon is restored after the data was lost', async () => {
  const place = await makePlace(SCRIPT)
  const first = await startDaemonProcess(place)
  const { session } = await first.client.createSession({ body: { cwd: place.cwd, title: 'kept' } })
  const file = join(place.folder, 'box.backup')
  expect(run(place, 'backup', file)).toMatchObject({ status: 0 })
  expect(run(place, 'restore', file)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('already running'),
  })
  await first.stop()
  for (const name of ['signalbox.db', 'audit-seal.json']) rmSync(join(place.home, name), { force: true })

  expect(run(place, 'restore', file)).toMatchObject({ status: 0 })

  const second = await startDaemonProcess(place)
  const { sessions } = await second.client.listSessions({ query: {} })
  expect(sessions.map(({ id, title }) => [id, title])).toEqual([[session.id, 'kept']])
  const { records } = await second.client.listAudit({ query: {} })
  expect(records.map(({ kind }) => kind)).toContain('storage.restored')
  await second.stop()
  expect(run(place, 'audit', 'verify')).toMatchObject({ status: 0 })
})

test.each<[string, (database: string) => void]>([
  ['a text file', (path) => writeFileSync(path, 'not a database '.repeat(400))],
  ['a directory', (path) => mkdirSync(path)],
])('start and doctor explain %s in the place of the database', async (_, damage) => {
  const place = await makePlace(SCRIPT)
  await (await startDaemonProcess(place)).stop()
  const database = join(place.home, 'signalbox.db')
  renameSync(database, `${database}.away`)
  damage(database)

  const started = run(place, 'start', '--port', '0')
  const examined = run(place, 'doctor')

  expect(started.status).toBe(6)
  expect(started.stderr.trim().split('\n')).toHaveLength(1)
  expect(started.stderr).toMatch(/restore/)
  expect(examined.status).toBe(6)
  expect(examined.stdout).toMatch(/✗ Data/)
})

test.each<[string, string, number, (home: string) => void | Promise<void>]>([
  ['a restore that was cut off', 'Data', 6, (home) => writeFileSync(join(home, 'restore-unfinished'), 'x')],
  ['a table that is gone', 'Data', 6, (home) => change(home, 'DROP TABLE request')],
  ['a schema that cannot be', 'Data', 6, (home) => change(home, 'PRAGMA user_version = -1')],
  ['an end of the audit that is gone', 'Audit', 6, (home) => change(home, 'DELETE FROM audit_head')],
  ['a damaged table', 'Data', 6, (home) => damageTable(join(home, 'signalbox.db'), 'session')],
  ['an emptied database', 'Data', 6, (home) => empty(home)],
  ['a folder as its lock', 'Home', 6, (home) => replace(join(home, 'lock'))],
  ['a folder as its seal', 'Home', 6, (home) => replace(join(home, 'audit-seal.json'))],
  ['a folder as its token', 'Token', 6, (home) => replace(join(home, 'token'))],
  [
    'a policy that cannot be read',
    'Policy',
    2,
    (home) => writeFileSync(join(home, 'policy.jsonc'), '{ x: [', { mode: 0o600 }),
  ],
])('start and doctor both find %s', async (_, check, exit, damage) => {
  const place = await makePlace(SCRIPT)
  const daemon = await startDaemonProcess(place)
  await daemon.client.createSession({ body: { cwd: place.cwd } })
  await daemon.client.trustWorkspace({ body: { path: place.cwd } })
  await daemon.stop()
  await damage(place.home)

  const started = run(place, 'start', '--port', '0')
  const examined = run(place, 'doctor')

  expect(started.status).toBe(exit)
  expect(started.stderr).not.toMatch(/^\s+at /m)
  expect(examined.stdout).toContain(`✗ ${check}`)
  expect(examined.status).toBeGreaterThan(0)
  expect(examined.stderr).toBe('')
})

test('doctor names a folder of the SDK log that cannot be written, which start does without', async () => {
  const place = await makePlace(SCRIPT)
  await (await startDaemonProcess(place)).stop()
  const logs = join(place.home, 'logs')
  rmSync(logs, { recursive: true, force: true })
  writeFileSync(logs, '')

  const { status, stdout } = run(place, 'doctor')

  expect(status).toBe(6)
  expect(stdout).toContain('✗ Logs')
  expect(stdout).toContain(logs)
  await (await startDaemonProcess(place)).stop()
})

async function change(home: string, sql: string): Promise<void> {
  const database = await openDatabase(join(home, 'signalbox.db'))
  database.exec(sql)
  database.close()
}

function empty(home: string): void {
  for (const ending of ['-wal', '-shm']) rmSync(join(home, `signalbox.db${ending}`), { force: true })
  writeFileSync(join(home, 'signalbox.db'), '', { mode: 0o600 })
}

function replace(path: string): void {
  rmSync(path, { force: true })
  mkdirSync(path)
}

test('one session with damaged options keeps no other from running', async () => {
  const place = await makePlace(SCRIPT)
  const first = await startDaemonProcess(place)
  const { session } = await first.client.createSession({ body: { cwd: place.cwd, title: 'kept' } })
  await first.stop()
  await change(place.home, `INSERT OR REPLACE INTO session_options VALUES ('${session.id}', '{bad')`)
  expect(run(place, 'doctor').stdout).toContain('options of sessions (1)')

  const second = await startDaemonProcess(place)
  const { session: other } = await second.client.createSession({ body: { cwd: place.cwd, prompt: 'hello' } })
  await sessionWhen(second.client, other.id, ({ turns, state }) => turns > 0 && state === 'idle')
  await second.stop()
})

test.each<[string, string[]]>([
  ['backup', ['backup', 'FILE']],
  ['audit verify', ['audit', 'verify']],
  ['lifecycle consume', ['lifecycle', 'consume', '--once']],
])('%s says in one sentence that the database is damaged, with the exit code for that', async (_, words) => {
  const place = await makePlace(SCRIPT)
  await (await startDaemonProcess(place)).stop()
  const database = join(place.home, 'signalbox.db')
  for (const ending of ['-wal', '-shm']) rmSync(database + ending, { force: true })
  writeFileSync(database, 'not a database '.repeat(400), { mode: 0o600 })
  const file = join(place.folder, 'box.backup')

  const { status, stderr } = run(place, ...words.map((word) => (word === 'FILE' ? file : word)))

  expect(status).toBe(6)
  expect(stderr).toContain('is not an SQLite database')
  expect(stderr).toMatch(/signalbox(?:\.cjs)? restore FILE/)
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(existsSync(file)).toBe(false)
})
