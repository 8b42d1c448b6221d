/** A database keeps its locks, whatever this process opens beside it. */

import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { appendFileSync, linkSync, symlinkSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { CAN_LIST_LOCKS, locksOn } from '../../../test/support/held-locks.js'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { verifyDatabase } from '../../audit/database.js'
import { lockHome, openHome } from '../../home.js'
import { readMcpFile } from '../../session/claude/mcp-file.js'
import { secretsOfFolder } from '../../session/gate/touched-secret.js'
import { openSqliteStore } from '../../store/sqlite/store.js'
import { openFileStreamConsumer } from '../../terminal/stream/file-stream-consumer.js'
import { openFile } from '../../terminal/stream/stream-file.js'
import { HeldFolder } from '../../tool/file/held-folder.js'
import { makeDurable, openDatabase } from '../sqlite/driver.js'
import { readBranch } from './git-branch.js'
import { refuseLockedFile } from './locked-file.js'

const newId = () => 'evt_1'
const LINE = {
  eventType: 'session.lifecycle',
  phase: 'started',
  occurredAtIso: '2026-11-15T12:00:00.000Z',
  sessionId: 'ses-1',
  provider: 'claude',
  projectPath: '/home/dev/project',
  cwd: '/home/dev/project',
}

async function aStore() {
  const folder = await temporaryFolder()
  const path = join(folder, 'signalbox.db')
  const store = await openSqliteStore({ path, newId })
  onTestFinished(() => store.close())
  return { folder, path, store }
}

describe.runIf(CAN_LIST_LOCKS)('the locks of an open database', () => {
  test('are held from its opening on', async () => {
    const { path } = await aStore()
    expect(locksOn(path)).toBe(1)
    expect(locksOn(`${path}-shm`)).toBeGreaterThan(0)
  })

  test('outlive other connections of the same process', async () => {
    const { path } = await aStore()
    const second = await openDatabase(path)
    makeDurable(second)
    expect(locksOn(path)).toBe(1)
    second.close()
    expect(locksOn(path)).toBe(1)
  })

  test('outlive a check of the audit and a second consumer', async () => {
    const { folder, path } = await aStore()
    await verifyDatabase(path, join(folder, 'audit-seal.json'))
    const consumer = await openFileStreamConsumer({ path: join(folder, 'stream'), databasePath: path })
    await consumer.close()
    expect(locksOn(path)).toBe(1)
  })

  test('outlive files of a workspace that are the database under another name', async () => {
    const { folder, path } = await aStore()
    const workspace = join(folder, 'workspace')
    await mkdir(join(workspace, '.git'), { recursive: true })
    const names = ['.env', '.mcp.json', '.gitignore', 'stream.jsonl', join('.git', 'HEAD')]
    for (const name of names) symlinkSync(path, join(workspace, name))
    linkSync(path, join(workspace, 'hard-link'))
    linkSync(`${path}-shm`, join(workspace, 'hard-link.env'))

    expect(await secretsOfFolder(workspace)).toEqual([])
    expect(readBranch(workspace)).toBeNull()
    expect(openFile(join(workspace, 'stream.jsonl'))).toBeNull()
    await expect(readMcpFile(workspace, {})).rejects.toThrow('database')
    const held = await HeldFolder.open(workspace, [])
    await expect(held.findFile('hard-link')).rejects.toThrow('database')
    await held.close()

    expect(locksOn(path)).toBe(1)
    expect(locksOn(`${path}-shm`)).toBeGreaterThan(0)
  })
})

test('a file is refused while its database is open, and not afterwards', async () => {
  const path = join(await temporaryFolder(), 'a.db')
  const database = await openDatabase(path)
  expect(() => refuseLockedFile(path)).toThrow('database')
  database.close()
  expect(() => refuseLockedFile(path)).not.toThrow()
})

test('a second runtime that a home refuses does not release the lock of the first', async () => {
  const home = openHome(join(await temporaryFolder(), 'home'))
  const lock = await lockHome(home)
  onTestFinished(() => lock.release())
  await expect(lockHome(home)).rejects.toMatchObject({ code: 'daemon_running' })

  expect(readFromOutside(join(home.path, 'lock'))).toContain('database is locked')
})

/** Opens, reads and closes a database in another process; what it says. */
function readFromOutside(path: string, sql = 'PRAGMA user_version'): string {
  const code = `
    import { DatabaseSync } from '@photostructure/sqlite'
    const database = new DatabaseSync(${JSON.stringify(path)})
    database.exec('PRAGMA busy_timeout = 0')
    console.log(database.prepare(${JSON.stringify(sql)}).get())
    database.close()`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    encoding: 'utf8',
  })
  return stdout + stderr
}

test('any number of consumers in one process follow into one database', async () => {
  const folder = await temporaryFolder()
  const databasePath = join(folder, 'a.db')
  const consumers = []
  for (const name of ['one', 'two', 'three']) {
    const path = join(folder, `${name}.jsonl`)
    const consumer = await openFileStreamConsumer({ path, databasePath })
    onTestFinished(() => consumer.close())
    consumers.push({ path, consumer })
  }
  for (const [round, { path, consumer }] of [...consumers, ...consumers].entries()) {
    const line = { ...LINE, id: `01970000000${round}-${randomUUID()}` }
    appendFileSync(path, `${JSON.stringify(line)}\n`)
    await consumer.consume()
    // A reader from outside that believes to be the last one would delete the write-ahead log.
    const count = 'SELECT count(*) AS number FROM session_lifecycle_events'
    expect(readFromOutside(databasePath, count)).toContain(`number: ${round + 1} `)
  }
  expect(consumers.map(({ consumer }) => consumer.total.events)).toEqual([2, 2, 2])
})
