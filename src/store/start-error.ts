/** Explains why a home cannot be opened, in one sentence with the fix. */

import { withResultCode } from '../lib/sqlite/driver.js'
import { machineFaultOf } from '../lib/sqlite/machine-fault.js'
import { HubError } from '../protocol/error.js'
import { storageErrorOf } from './damage.js'

/** A `HubError`, and errors about something else, pass unchanged. */
export function startErrorOf(
  error: unknown,
  { path: home, database }: { path: string; database: string },
): unknown {
  if (error instanceof HubError || !(error instanceof Error)) return error
  if ('errcode' in (withResultCode(error) as object)) return storageErrorOf(error, database)
  const { path } = error as { path?: unknown }
  // A failed write to an open file has no path. Everything written at startup is in the home.
  if (path === undefined && machineFaultOf(error) !== null) return storageErrorOf(error, home)
  if (typeof path !== 'string' || !(path === home || path.startsWith(`${home}/`))) return error
  if (machineFaultOf(error) !== null) return storageErrorOf(error, path)
  return new HubError(
    'home_unusable',
    `Cannot use ${path}: ${error.message}. Check what is there, its permissions and its disk.`,
    { path },
    { cause: error },
  )
}
