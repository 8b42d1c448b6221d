/**
 * Compares, every two seconds, the files that are open with those that their paths lead to. Writing into a file that has
 * no name any more looks like storing, and is lost with the process.
 */

import type { Clock } from '../lib/clock.js'
import type { Database } from '../lib/sqlite/driver.js'
import { machineFaultOf } from '../lib/sqlite/machine-fault.js'
import type { StorageProblem } from '../protocol/storage.js'
import { identityOf, type LockFile } from './home-lock.js'
import type { SqliteStorePort } from './sqlite/store.js'

const EVERY_MS = 2_000

export interface FileWatchDeps {
  /** Of the database. */
  path: string
  store: Pick<SqliteStorePort, 'database' | 'storage' | 'checkFiles' | 'logRenewed'>
  lock: Pick<LockFile, 'isInPlace' | 'retake'>
  clock: Clock
  onNotice(message: string): void
  onFault(error: unknown): void
}

/** Until it is closed. `check` does it at once. */
export function watchFiles(deps: FileWatchDeps): { check(): Promise<void>; close(): void } {
  const { path, store, lock, clock, onNotice, onFault } = deps
  const { database, storage } = store
  const opened = identityOf(path)
  let log = identityOf(`${path}-wal`)
  let hasNoticed = false
  let isClosed = false
  let cancel = () => {}

  async function check(): Promise<void> {
    if (identityOf(path) !== opened) return block('moved', MOVED)
    if (!store.checkFiles()) return
    if (!lock.isInPlace()) {
      // Reported first, then fixed: a monitor of readiness must see it.
      if (storage.problem?.kind !== 'unlocked') return block('unlocked', UNLOCKED)
      // As long as another process has it, nothing is written here.
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
   * Some program may have deleted the write-ahead log. What is in it is still readable here: it goes into the database. False if
   * it cannot.
   */
  function saveLog(): boolean {
    const found = identityOf(`${path}-wal`)
    log ??= found
    if (found === log) return true
    if (!hasNoticed) onNotice(LOG_REMOVED)
    hasNoticed = true
    try {
      // What can be read here is safe from now on, whether a new log can be begun or not.
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
      renewLog(database)
    } catch (error) {
      const kind = machineFaultOf(error)
      if (kind === null) throw error
      // Another program uses the database, or nothing can be written: the next check tries again.
      if (kind !== 'locked') block('moved', LOG_UNSAVED)
      return kind === 'locked'
    }
    store.logRenewed()
    onNotice(LOG_SAVED)
    log = identityOf(`${path}-wal`)
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

/** Begins a new log under its name. Throws if another program uses the database. */
function renewLog(database: Database): void {
  database.exec('PRAGMA journal_mode = DELETE')
  database.exec('PRAGMA journal_mode = WAL')
  // The new log is created with the first write.
  database.exec('BEGIN IMMEDIATE; UPDATE indexed SET position = position; COMMIT')
}

const MOVED =
  'The home folder or its database was deleted or replaced while Signalbox runs, so nothing is stored. Put it back, or restart Signalbox.'
const UNLOCKED =
  'The lock file of the home was removed while Signalbox runs. Never delete it: Signalbox is taking the lock again.'
const LOG_REMOVED =
  'Another program deleted the write-ahead log of the database. Signalbox is saving what was in it.'
const LOG_SAVED = 'What was in the deleted write-ahead log is saved in the database.'
const LOG_UNSAVED =
  'The write-ahead log of the database was deleted, and what was in it cannot be saved now. Make room on the disk and do not stop Signalbox before.'

function problemOf(kind: 'moved' | 'unlocked', message: string, now: number): StorageProblem {
  return { kind, message, since: new Date(now).toISOString() }
}
