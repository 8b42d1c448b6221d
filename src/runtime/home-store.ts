/** Opens the database of a home for one process at a time: lock, claim, file watch, audit seal and retention. */

import { keepSeal, sealsEntries } from '../audit/seal.js'
import { checkSeal } from '../audit/seal-check.js'
import { alreadyRunning, type Home, lockHome } from '../home.js'
import type { Clock } from '../lib/clock.js'
import type { Closers } from '../lib/closers.js'
import { pruneDayFiles } from '../lib/file/day-file.js'
import type { IdSource } from '../lib/id.js'
import type { Log } from '../lib/log.js'
import type { SecretSet } from '../lib/redact/secret-set.js'
import { storageUnavailable } from '../protocol/storage.js'
import { watchFiles } from '../store/file-watch.js'
import { AlreadyLocked, claimDatabase, type DatabaseClaim } from '../store/home-lock.js'
import { keepRetention } from '../store/retention.js'
import { openSqliteStore, type SqliteStorePort } from '../store/sqlite/store.js'

export interface HomeStoreOptions {
  home: Home
  clock: Clock
  ids: IdSource
  secrets: SecretSet
  log: Log
  logFolder: string
  /** Events of a session are deleted this many days after its end; 0 keeps them. */
  retentionDays: number
  onFault(error: unknown): void
}

/** Timeout for removing the claim while another program holds the database lock. */
const UNCLAIM_MS = 1_000

/** Registers every resource with `closers` as it opens it, so a failure halfway leaks nothing. */
export async function openHomeStore(options: HomeStoreOptions, closers: Closers): Promise<SqliteStorePort> {
  const { home, clock, ids, secrets, log, onFault } = options
  const lock = closers.add(await lockHome(home), (it) => it.release())
  const store = closers.add(
    await openSqliteStore({
      path: home.database,
      newId: () => ids.next('evt'),
      redact: (text) => secrets.redact(text),
      hadData: sealsEntries(home.auditSeal),
      onFault,
    }),
    (it) => it.close(),
  )
  closers.add(claimOf(store, home), (claim) => giveUp(claim, store))
  closers.add(
    watchFiles({
      path: home.database,
      store,
      lock,
      clock,
      onNotice: (message) => onFault(new Error(message)),
      onFault,
    }),
    (it) => it.close(),
  )
  closers.add(
    store.storage.onChange((problem) => {
      if (problem) log.error('storage_unavailable', storageUnavailable(problem))
      else log.info('storage_available', {})
    }),
    (leave) => leave(),
  )
  const [newest] = await store.sessions({ limit: 1 })
  if (newest) ids.continueAfter(newest.id)
  await checkAudit(store, options)
  closers.add(await keepSeal({ path: home.auditSeal, clock, head: () => store.auditHead(), onFault }), (it) =>
    it.close(),
  )
  closers.add(
    keepRetention({
      store,
      prune(before) {
        for (const kind of ['sdk', 'daemon']) pruneDayFiles(options.logFolder, kind, before)
      },
      clock,
      days: options.retentionDays,
      onFault,
    }),
    (it) => it.close(),
  )
  return store
}

async function checkAudit(
  store: SqliteStorePort,
  { home, clock, onFault }: Pick<HomeStoreOptions, 'home' | 'clock' | 'onFault'>,
): Promise<void> {
  const problem = await checkSeal(store, home.auditSeal, new Date(clock.now()).toISOString())
  if (problem === null) return
  onFault(new Error(`${problem} See "signalbox audit verify" and docs/inbox.md.`))
  // Rollback: an older copy of the database may have been restored. Cursors that clients already hold must not be
  // reused for other events.
  await store.breakLog(clock.now())
}

/**
 * Second check besides the lock file, which may have been deleted while another daemon runs: the database records its
 * owner.
 */
function claimOf({ database }: SqliteStorePort, { path, database: file }: Home): DatabaseClaim {
  try {
    return claimDatabase(database, file)
  } catch (error) {
    throw error instanceof AlreadyLocked ? alreadyRunning(path, error) : error
  }
}

/** An embedding process may outlive the runtime. Its claim must not lock out the next process. */
async function giveUp(claim: DatabaseClaim, { writer }: SqliteStorePort): Promise<void> {
  try {
    // A deleted or replaced database cannot lock out any process, and cannot be written.
    if (writer.problem?.kind === 'moved') return
    // Without the lock file nothing is written any more; until the claim is gone it keeps other processes out.
    writer.unblock()
    await writer.run(() => claim.remove(), UNCLAIM_MS)
  } finally {
    claim.forget()
  }
}
