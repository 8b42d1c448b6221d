/**
 * Compares, every two seconds, the files that are open with those that their paths lead to. Writing into a file that has
 * no name any more looks like storing, and is lost with the process.
 */

import type { Clock } from '../lib/clock.js'
import { machineFaultOf } from '../lib/machine-fault.js'
import type { StorageProblem } from '../protocol/storage.js'
import { identityOf, type LockFile } from './home-lock.js'
import type { Storage } from './port.js'
import type { Database } from './sqlite-driver.js'

const EVERY_MS = 2_000

export interface FileWatchDeps {
  /** Of the database. */
  path: string
  database: Database
  lock: Pick<LockFile, 'isInPlace' | 'retake'>
  storage: Storage
  clock: Clock
  onNotice(message: string): void
  onFault(error: unknown): void
}

/** Until it is closed. `check` does it at once. */
export function watchFiles(deps: FileWatchDeps): { check(): Promise<void>; close(): void } {
  const { path, database, lock, storage, clock, onNotice, onFault } = deps
  const opened = identityOf(path)
  let log = identityOf(`${path}-wal`)
  let hasNoticed = false
  let isClosed = false
  let cancel = () => {}

  async function check(): Promise<void> {
    if (identityOf(path) !== opened) return block('moved', MOVED)
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
    storage.unblock()
    checkLog()
  }

  function block(kind: 'moved' | 'unlocked', message: string): void {
    if (storage.problem?.kind !== kind) storage.block(problemOf(kind, message, clock.now()))
  }

  /** Some program has deleted the write-ahead log. What is in it is still readable here: it goes into the database. */
  function checkLog(): void {
    const found = identityOf(`${path}-wal`)
    log ??= found
    if (found === log) return
    if (!hasNoticed) onNotice(LOG_REMOVED)
    hasNoticed = true
    // What can be read here is safe from now on, whether a new log can be begun or not.
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    try {
      renewLog(database)
    } catch (error) {
      if (machineFaultOf(error) === null) throw error
      return // Another program uses the database: the next check tries again.
    }
    log = identityOf(`${path}-wal`)
    hasNoticed = false
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
  'Another program deleted the write-ahead log of the database. Signalbox has saved what was in it.'

function problemOf(kind: 'moved' | 'unlocked', message: string, now: number): StorageProblem {
  return { kind, message, since: new Date(now).toISOString() }
}
