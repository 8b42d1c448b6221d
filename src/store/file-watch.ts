/**
 * Checks every two seconds that the open files are still those at their paths. Writes to an unlinked file succeed, but
 * are lost when the process ends.
 */

import type { Clock } from '../lib/clock.js'
import type { Database } from '../lib/sqlite/driver.js'
import { machineFaultOf } from '../lib/sqlite/machine-fault.js'
import type { StorageProblem } from '../protocol/storage.js'
import { identityOf, type LockFile } from './home-lock.js'
import type { SqliteStorePort } from './sqlite/store.js'

const EVERY_MS = 2_000

export interface FileWatchDeps {
  /** Path of the database. */
  path: string
  store: Pick<SqliteStorePort, 'database' | 'storage' | 'checkFiles' | 'logRenewed'>
  lock: Pick<LockFile, 'isInPlace' | 'retake'>
  clock: Clock
  onNotice(message: string): void
  onFault(error: unknown): void
}

/** Runs until closed. `check` runs a check immediately. */
export function watchFiles(deps: FileWatchDeps): { check(): Promise<void>; close(): void } {
  const { path, store, lock, clock, onNotice, onFault } = deps
  const { database, storage } = store
  const opened = identityOf(path)
  let log = identityOfLog(path)
  let hasNoticed = false
  let isClosed = false
  let cancel = () => {}

  async function check(): Promise<void> {
    if (identityOf(path) !== opened) return block('moved', MOVED)
    if (!store.checkFiles()) return
    if (!lock.isInPlace()) {
      // Blocks first and retakes the lock at the next check, so that a readiness probe can see the problem.
      if (storage.problem?.kind !== 'unlocked') return block('unlocked', UNLOCKED)
      // While another process holds the lock, this one writes nothing.
      const isTaken = await lock.retake().then(
        () => true,
        () => false,
      )
      if (!isTaken) return
    }
    if (saveLog()) storage.unblock()
  }

  function block(kind: 'moved' | 'unlocked', message: string): void {
    if (storage.problem?.kind !== kind) storage.block(problemOf(kind, message, clock.now()))
  }

  /**
   * Handles a deleted write-ahead log, or a deleted index of it, in which programs lock each other out: with an index of
   * its own, another one would write at the same time. The open descriptors still read both, so a checkpoint copies the
   * content into the database. False if that fails.
   */
  function saveLog(): boolean {
    const found = identityOfLog(path)
    log ??= found
    if (found === log) return true
    if (!hasNoticed) onNotice(LOG_REMOVED)
    hasNoticed = true
    try {
      // From here on the data is safe, even if no new log can be created.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      renewLog(database)
    } catch (error) {
      const kind = machineFaultOf(error)
      if (kind === null) throw error
      // Another program uses the database, or the disk refuses writes. The next check retries.
      if (kind !== 'locked') block('moved', LOG_UNSAVED)
      return kind === 'locked'
    }
    store.logRenewed()
    onNotice(LOG_SAVED)
    log = identityOfLog(path)
    hasNoticed = false
    return true
  }

  function plan(): void {
    cancel = clock.after(EVERY_MS, () => {
      check()
        .catch(onFault)
        .finally(() => {
          if (!isClosed) plan()
        })
    })
  }

  plan()
  return {
    check,
    close() {
      isClosed = true
      cancel()
    },
  }
}

/** Of the write-ahead log and its index; null if one of them is missing. */
function identityOfLog(path: string): string | null {
  const [log, index] = [identityOf(`${path}-wal`), identityOf(`${path}-shm`)]
  return log === null || index === null ? null : `${log} ${index}`
}

/** Creates a new log file at the path. Throws if another program uses the database. */
function renewLog(database: Database): void {
  database.exec('PRAGMA journal_mode = DELETE')
  database.exec('PRAGMA journal_mode = WAL')
  // SQLite creates the file at the first write.
  database.exec('BEGIN IMMEDIATE; UPDATE indexed SET position = position; COMMIT')
}

const MOVED =
  'The home folder or its database was deleted or replaced while Signalbox runs, so nothing is stored. Put it back, or restart Signalbox.'
const UNLOCKED =
  'The lock file of the home was removed while Signalbox runs. Never delete it: Signalbox is taking the lock again.'
const LOG_REMOVED =
  'Another program deleted the write-ahead log of the database, or its index. Signalbox is saving what was in it.'
const LOG_SAVED = 'What was in the write-ahead log is saved in the database, and the log is created again.'
const LOG_UNSAVED =
  'The write-ahead log of the database was deleted, and what was in it cannot be saved now. Make room on the disk and do not stop Signalbox before.'

function problemOf(kind: 'moved' | 'unlocked', message: string, now: number): StorageProblem {
  return { kind, message, since: new Date(now).toISOString() }
}
