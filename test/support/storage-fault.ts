/** Real faults of the machine under a home: a full disk, and locks of other programs. */

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/lib/sqlite/driver.js'
import { whenDone } from './when-done.js'

/** Why no small disk can be made here; null if one can. */
export function whyNoSmallDisk(): string | null {
  if (process.platform !== 'linux') return 'a small disk is a tmpfs, which only Linux has'
  if (process.getuid?.() !== 0) return 'mounting a tmpfs needs root'
  const probe = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt'])
  return probe.status === 0 ? null : 'this machine does not let root mount a tmpfs'
}

/** A disk of its own at the path, gone with the test. */
export function mountSmallDisk(path: string, megabytes: number): { fill(): void; free(): void } {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', path])
  if (mounted.status !== 0) throw new Error(String(mounted.stderr))
  whenDone(() => spawnSync('umount', ['-l', path]))
  const ballast = join(path, 'ballast')
  return {
    fill() {
      const file = openSync(ballast, 'a')
      const chunk = Buffer.alloc(4_096)
      try {
        for (;;) writeSync(file, chunk)
      } catch (error) {
        if ((error as { code?: string }).code !== 'ENOSPC') throw error
      } finally {
        closeSync(file)
      }
      if (statfsSync(path).bavail > 0) throw new Error('The disk is not full.')
    },
    free: () => rmSync(ballast),
  }
}

/** Starts a program that keeps the write lock of a database until it is released. */
export async function holdLock(database: string): Promise<() => Promise<void>> {
  const code = `
    import { DatabaseSync } from '@photostructure/sqlite'
    globalThis.held = new DatabaseSync(${JSON.stringify(database)})
    held.exec('PRAGMA busy_timeout = 10000; BEGIN IMMEDIATE')
    console.log('held')
    process.stdin.once('data', () => { held.exec('ROLLBACK'); held.close(); process.exit() }).resume()`
  return hold(process.execPath, ['--input-type=module', '-e', code])
}

/** The same for the bytes of the WAL index on which SQLite locks its read marks. */
export async function holdReadMarks(database: string): Promise<() => Promise<void>> {
  const code = `
import fcntl, sys
file = open(${JSON.stringify(`${database}-shm`)}, 'r+b')
fcntl.lockf(file, fcntl.LOCK_EX, 5, 123)
print('held', flush=True)
sys.stdin.readline()`
  return hold('python3', ['-c', code])
}

/** The program writes a line when it has the lock, and releases it after reading one. */
async function hold(program: string, args: readonly string[]): Promise<() => Promise<void>> {
  const holder = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(holder.stdout, 'data')
  const exited = once(holder, 'exit')
  whenDone(() => holder.kill('SIGKILL'))
  return async () => {
    holder.stdin.write('release\n')
    await exited
  }
}

/** Asks again and again whether the daemon is alive. `stop` resolves with the longest time that an answer took. */
export function watchStalls(url: string): { stop(): Promise<number> } {
  const enough = new AbortController()
  let longest = 0
  const watching = (async () => {
    while (!enough.signal.aborted) {
      const from = performance.now()
      // A connection that was kept open may be closed after a long stall: the next one counts as part of the same wait.
      while (!(await isAlive(url)) && !enough.signal.aborted);
      longest = Math.max(longest, performance.now() - from)
    }
  })()
  return {
    async stop() {
      enough.abort()
      await watching
      return longest
    },
  }
}

const isAlive = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )

/** The result of SQLite's integrity check. */
export async function integrityOf(path: string): Promise<unknown> {
  const database = await openDatabase(path)
  try {
    return database.prepare('PRAGMA integrity_check').get()
  } finally {
    database.close()
  }
}

/** Overwrites the first bytes of a table's own page, as a bad sector does. No process may have the database open. */
export async function damageTable(path: string, table: string, bytes = 64): Promise<void> {
  const database = await openDatabase(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const found = database
    .prepare(
      'SELECT rootpage AS page, (SELECT page_size FROM pragma_page_size) AS size FROM sqlite_master WHERE name = ?',
    )
    .get(table)
  database.close()
  if (!found) throw new Error(`There is no table ${table}.`)
  const { page, size } = found as { page: number; size: number }
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.alloc(bytes, 0xee), 0, bytes, (page - 1) * size)
  closeSync(file)
}

/** Overwrites every leaf and interior page of a table. No process may have the database open. */
export async function damageAllPages(path: string, table: string, byte: number): Promise<void> {
  const database = await openDatabase(path)
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  const pages = database
    .prepare('SELECT pageno AS page, pgsize AS size FROM dbstat WHERE name = ?')
    .all(table)
  database.close()
  const file = openSync(path, 'r+')
  for (const { page, size } of pages as { page: number; size: number }[])
    writeSync(file, Buffer.alloc(size, byte), 0, size, (page - 1) * size)
  closeSync(file)
}
