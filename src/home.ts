/** The home folder: who holds it, how the daemon in it is reached, and its token. */

import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { type ForeignFile, findForeignAbove, findForeignEntry } from './lib/file/file-owner.js'
import { makeFolder } from './lib/file/make-folder.js'
import { HubError } from './protocol/error.js'

export interface Home {
  readonly path: string
  readonly database: string
  /** The last known head of the audit. */
  readonly auditSeal: string
}

/** There while a backup is being put in place, and left behind if that was cut off. */
export const RESTORE_MARKER = 'restore-unfinished'

/** Creates the folder of a home where there is none. Throws `home_unusable` if nothing can be written there. */
export function makeHome(path: string): void {
  try {
    makeFolder(path, 0o700)
    accessSync(path, constants.W_OK)
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : 'unknown failure'
    throw new HubError(
      'home_unusable',
      `Cannot write to ${path}: ${problem}. Fix the permissions, or choose another folder with --home.`,
      {},
      { cause },
    )
  }
}

export function openHome(path: string): Home {
  makeHome(path)
  // A link is followed once: what it names later is another home.
  const real = realpathSync(path)
  const problem = findOddFile(real) ?? findForeignInHome(real)
  if (problem) throw new HubError('home_unusable', `${problem.found} Fix: ${problem.fix}`, { home: real })
  makePrivate(real)
  const unfinished = findUnfinishedRestore(path)
  if (unfinished) throw new HubError('storage_damaged', `${unfinished.found} ${unfinished.fix}`)
  return homeAt(real)
}

export function findUnfinishedRestore(path: string): { found: string; fix: string } | null {
  if (!existsSync(join(path, RESTORE_MARKER))) return null
  return {
    found: `A restore of ${path} was interrupted.`,
    fix: 'Run "signalbox restore FILE" again; the data from before it is in the folders "replaced-…".',
  }
}

/** Files that control the daemon and its admin credentials. */
const DECIDING = [
  'token',
  'config.jsonc',
  'policy.jsonc',
  'signalbox.db',
  'signalbox.db-wal',
  'signalbox.db-shm',
  'audit-seal.json',
  'service.env',
  'lock',
]
/** Something that is no file in the place of one, as a container makes a folder for a mount that is missing. */
export function findOddFile(path: string): { found: string; fix: string } | null {
  for (const name of DECIDING) {
    const file = join(path, name)
    const entry = statSync(file, { throwIfNoEntry: false })
    // A database says it itself, with how to get it back.
    if (!entry || entry.isFile() || name === 'signalbox.db') continue
    return { found: `${file} is not a file.`, fix: 'move it away, or put back the file that was there.' }
  }
  return null
}

/**
 * A user who can write the token or the settings is admin, and can have programs run: the home must belong to the user of this process,
 * its files to that user or to root, and no other user may have been able to write them, or to replace a folder above.
 */
export function findForeignInHome(path: string): ForeignFile | null {
  const own = process.geteuid?.()
  const home = own === undefined ? undefined : statSync(path, { throwIfNoEntry: false })
  if (own === undefined || home === undefined) return null
  if (home.uid !== own)
    return {
      found: `${path} belongs to another user (uid ${home.uid}).`,
      fix: `choose another home with --home, or check its files and run "chown -R ${own} ${path}".`,
    }
  const above = findForeignAbove(path)
  if (above) return { ...above, fix: `${above.fix.replace(/\.$/, '')}, or choose another home with --home.` }
  for (const name of DECIDING) {
    const foreign = findForeignEntry(join(path, name))
    if (foreign) return foreign
  }
  return null
}

/** For its owner only, whatever a copy or an older version has done to the rights. */
function makePrivate(path: string): void {
  if (process.geteuid === undefined) return
  chmodSync(path, 0o700)
  for (const name of ['signalbox.db', 'lock']) {
    const file = join(path, name)
    if (statSync(file, { throwIfNoEntry: false })?.uid === process.geteuid()) chmodSync(file, 0o600)
  }
}

/** Where things are in a home, whether it is there or not. */
export function homeAt(path: string): Home {
  return { path, database: join(path, 'signalbox.db'), auditSeal: join(path, 'audit-seal.json') }
}

export function homePath(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  return resolve(option ?? env['SIGNALBOX_HOME'] ?? join(homedir(), '.signalbox'))
}

const MIN_TOKEN_CHARACTERS = 32

/** The token of the home; created when there is none, or one that is too short to be safe. */
export function readToken({ path }: Home, newToken: () => string): string {
  const file = join(path, 'token')
  const known = readText(file)?.trim() ?? ''
  if (known.length >= MIN_TOKEN_CHARACTERS) {
    chmodSync(file, 0o600) // Readable for its owner only, whatever a copy has done to its permissions.
    return known
  }
  // Written beside and put in place as a whole: half a token would be worse than none.
  const token = newToken()
  writeFileSync(`${file}.new`, `${token}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
  return token
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** How a running daemon is reached. */
export interface DaemonAddress {
  url: string
  pid: number
}

const addressFile = (path: string) => join(path, 'daemon.json')

export function readAddress(path: string): DaemonAddress | null {
  try {
    const { url, pid } = JSON.parse(readText(addressFile(path)) ?? '') as Partial<DaemonAddress>
    return typeof url === 'string' && typeof pid === 'number' ? { url, pid } : null
  } catch {
    return null
  }
}

export function writeAddress({ path }: Home, address: DaemonAddress): void {
  writeFileSync(addressFile(path), `${JSON.stringify(address)}\n`, { mode: 0o600 })
}

/** The lock of a home: one daemon at a time. */
export interface HomeLock {
  /** Whether the lock file is still the one that was locked. */
  isInPlace(): boolean
  /** Locks it again after it was removed. Rejects if another process has it. */
  retake(): Promise<void>
  release(): void
}

export async function lockHome({ path, database }: Home): Promise<HomeLock> {
  // Commands that only look for a daemon come here too; they need no database.
  const { AlreadyLocked, findHolder, lockFile } = await import('./store/home-lock.js')
  const lock = await lockFile(join(path, 'lock')).catch((error: unknown) => {
    throw error instanceof AlreadyLocked ? alreadyRunning(path, error) : error
  })
  // The lock file of a running daemon may have been deleted.
  const holder = await findHolder(database)
  if (holder !== null) {
    lock.release()
    throw alreadyRunning(path, null, holder)
  }
  return {
    isInPlace: () => lock.isInPlace(),
    retake: () => lock.retake(),
    release() {
      // Another daemon's address is not ours to remove.
      if (readAddress(path)?.pid === process.pid) rmSync(addressFile(path), { force: true })
      lock.release()
    },
  }
}

export function alreadyRunning(path: string, cause: unknown, pid?: number): HubError {
  const running = readAddress(path)
  const holder = pid === undefined ? '' : ` (pid ${pid})`
  const where = running ? ` at ${running.url} (pid ${running.pid})` : holder
  return new HubError(
    'daemon_running',
    `Signalbox is already running in this home${where}. Stop it first, or choose another home with --home.`,
    { home: path },
    { cause },
  )
}

/** Whether databases work here: the version of SQLite. Rejects if they do not. */
export async function checkDatabase(): Promise<string> {
  const { openDatabase } = await import('./lib/sqlite/driver.js')
  const database = await openDatabase(':memory:')
  try {
    database.exec("CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1)")
    const row = database.prepare('SELECT sqlite_version() AS version').get() as { version: string }
    return row.version
  } finally {
    database.close()
  }
}
