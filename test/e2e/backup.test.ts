/** Damaged and restored homes, as a user meets them on the command line. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAIN, makePlace, type Place, startDaemonProcess } from '../support/daemon-process.js'

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
  expect(examined.status).toBe(1)
  expect(examined.stdout).toMatch(/✗ Data/)
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
  expect(stderr).toContain('signalbox restore FILE')
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(existsSync(file)).toBe(false)
})
