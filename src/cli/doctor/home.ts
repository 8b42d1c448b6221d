/** Checks of the home folder: its files, its data, and the disk that it is on. */

import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { verifyDatabase } from '../../audit/database.js'
import type { Config } from '../../config.js'
import { findForeignInHome, findOddFile, findUnfinishedRestore, homeAt } from '../../home.js'
import { findForeignSetting } from '../../named-file.js'
import { inspectDatabase } from '../../store/damage.js'
import { tryWriting } from '../../store/write-fault.js'
import type { Finding } from './finding.js'

const MIN_FREE_BYTES = 500 * 1024 * 1024

export function checkHome(home: string): Finding {
  const nearest = nearestFolder(home)
  try {
    accessSync(nearest, constants.W_OK)
    const problem = findOddFile(home) ?? findForeignInHome(home)
    if (problem) return { name: 'Home', state: 'broken', found: problem.found, fix: `Fix: ${problem.fix}` }
    return { name: 'Home', state: 'ok', found: existsSync(home) ? home : `${home} will be created` }
  } catch {
    return {
      name: 'Home',
      state: 'broken',
      found: `Cannot write to ${home}.`,
      fix: 'Choose another with --home.',
    }
  }
}

/** Checks the files that the settings name. */
export function checkFiles(home: string, config: Config | null): Finding {
  const foreign = config && findForeignSetting(config, home)
  if (!foreign)
    return { name: 'Files', state: 'ok', found: 'files named in the settings are writable only by you' }
  const { setting, found, fix } = foreign
  return { name: 'Files', state: 'broken', found: `${setting}: ${found}`, fix: `Fix: ${fix}` }
}

export function checkToken(home: string): Finding {
  const file = join(home, 'token')
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return { name: 'Token', state: 'ok', found: 'will be created at the first start' }
  if (!stat.isFile())
    return { name: 'Token', state: 'broken', found: `${file} is not a file.`, fix: 'Move it away.' }
  const isOpen = process.platform !== 'win32' && (stat.mode & 0o077) !== 0
  return isOpen
    ? {
        name: 'Token',
        state: 'broken',
        found: 'Other users of this machine can read it.',
        fix: `chmod 600 ${file}`,
      }
    : { name: 'Token', state: 'ok', found: 'readable only by you' }
}

export async function checkData(home: string): Promise<Finding> {
  const { database, auditSeal } = homeAt(home)
  const unfinished = findUnfinishedRestore(home)
  if (unfinished) return { name: 'Data', state: 'broken', found: unfinished.found, fix: unfinished.fix }
  const { state, found, fix } = await inspectDatabase(database)
  if (state === 'missing' && existsSync(auditSeal))
    return {
      name: 'Data',
      state: 'broken',
      found: `${database} is missing, although this home has an audit seal.`,
      fix: 'Restore a backup with "signalbox restore FILE".',
    }
  return {
    name: 'Data',
    state: { missing: 'ok', ok: 'ok', flawed: 'warning', broken: 'broken' }[state] as Finding['state'],
    found,
    ...(fix !== undefined && { fix }),
  }
}

/** With the daemon or without it. */
export async function checkAudit(home: string): Promise<Finding> {
  const { database, auditSeal } = homeAt(home)
  if (!existsSync(database)) return { name: 'Audit', state: 'ok', found: 'empty' }
  const result = await verifyDatabase(database, auditSeal)
  return result.isIntact
    ? { name: 'Audit', state: 'ok', found: `${result.rows} entries, unchanged` }
    : { name: 'Audit', state: 'broken', found: result.problem, fix: 'See "The seal" in docs/inbox.md.' }
}

/** Really writes and flushes a little: free space alone does not say that a write succeeds. */
export function checkWrite(home: string): Finding {
  try {
    tryWriting(nearestFolder(home))
    return { name: 'Writing', state: 'ok', found: 'a test file could be written and flushed' }
  } catch (error) {
    const found = `Cannot write to ${home}: ${error instanceof Error ? error.message : String(error)}.`
    return {
      name: 'Writing',
      state: 'broken',
      found,
      fix: 'Free disk space, or check the permissions and the disk.',
    }
  }
}

export function checkDisk(home: string): Finding {
  const { bavail, bsize } = statfsSync(nearestFolder(home))
  const free = bavail * bsize
  const found = `${(free / 1024 ** 3).toFixed(1)} GiB free`
  return free >= MIN_FREE_BYTES
    ? { name: 'Disk', state: 'ok', found }
    : { name: 'Disk', state: 'warning', found, fix: 'Free disk space, or choose another home with --home.' }
}

function nearestFolder(path: string): string {
  return existsSync(path) ? path : nearestFolder(dirname(path))
}
