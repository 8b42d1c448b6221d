import { statSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CAN_LIST_LOCKS } from '../../test/support/held-locks.js'
import { holdLock } from '../../test/support/storage-fault.js'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { openDatabase } from '../lib/sqlite/driver.js'
import { storageErrorOf } from './damage.js'
import { type LockHolder, lockHolder, readMarkHolder } from './lock-holder.js'
import { ReadMarkLock } from './read-mark-lock.js'
import { WaitingWriter } from './waiting-writer.js'

/** As SQLite says it after ten seconds. */
const protocolError = () => Object.assign(new Error('locking protocol'), { errcode: 15 })

function setup() {
  let holder: LockHolder | null = { pid: 4711, program: 'copier' }
  let statements = 0
  const lock = new ReadMarkLock(() => holder)
  const work = () => {
    statements += 1
    if (holder) throw protocolError()
    return 'stored'
  }
  const writer = new WaitingWriter({ probe: work, holder: () => holder, readMarks: lock })
  return { writer, work, statements: () => statements, release: () => (holder = null) }
}

test('while another program locks the read marks, no further statement waits for it inside SQLite', async () => {
  const { writer, work, statements, release } = setup()

  const stored = writer.run(work)
  expect(() => writer.expectReadable()).toThrow('locked by another program (copier, pid 4711)')
  await expect.poll(() => writer.problem).toMatchObject({ kind: 'locked' })
  expect(statements()).toBe(1)

  release()
  expect(await stored).toBe('stored')
  expect(writer.problem).toBe(null)
  expect(() => writer.expectReadable()).not.toThrow()
})

test('a read that fails for it makes the store unavailable, and it recovers', async () => {
  const { writer, work, release } = setup()

  expect(writer.readFailed(protocolError(), work)).toMatchObject({ code: 'storage_unavailable' })
  await expect.poll(() => writer.problem).toMatchObject({ kind: 'locked' })

  release()
  await expect.poll(() => writer.problem).toBe(null)
})

test('where the holder cannot be seen, a statement is tried again after a while', () => {
  const lock = new ReadMarkLock(() => null)
  expect(lock.isHeld).toBe(false)
  expect(lock.note(Object.assign(new Error('database is locked'), { errcode: 5 }))).toBe(false)
  expect(lock.isHeld).toBe(false)
  expect(lock.note(protocolError())).toBe(true)
  expect(lock.isHeld).toBe(true)
})

test.runIf(CAN_LIST_LOCKS)('the program that has locked a database is found', async () => {
  const path = `${await temporaryFolder()}/a.db`
  const database = await openDatabase(path)
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE a (b)')
  expect(lockHolder(path)).toBe(null)

  const release = await holdLock(path)
  const { message } = storageErrorOf(protocolError(), path) as Error
  const holder = lockHolder(path)
  expect(statSync(`/proc/${holder?.pid}`).isDirectory()).toBe(true)
  expect(holder).toEqual({ pid: expect.any(Number), program: expect.stringMatching(/^(?:node|MainThread)$/) })
  expect(message).toContain(`another program (${holder?.program}, pid ${holder?.pid}) has locked it`)
  expect(readMarkHolder(path)).toBe(null)

  await release()
  expect(lockHolder(path)).toBe(null)
  database.close()
})
