/** The problem because of which nothing can be stored. */

import { z } from 'zod'
import { HubError } from './error.js'
import { Timestamp } from './value.js'

export const StorageProblem = z.strictObject({
  /**
   * `moved`: the home was deleted or replaced. `unlocked`: its lock file was. `damaged`: the content of the database
   * cannot be trusted.
   */
  kind: z.enum([
    'full',
    'locked',
    'read_only',
    'input_output',
    'unreachable',
    'memory',
    'moved',
    'unlocked',
    'damaged',
  ]),
  /** The problem, and the fix. */
  message: z.string(),
  since: Timestamp,
})
export type StorageProblem = z.infer<typeof StorageProblem>

export function storageUnavailable({ kind, message, since }: StorageProblem, cause?: unknown): HubError {
  const code = kind === 'damaged' ? 'storage_damaged' : 'storage_unavailable'
  return new HubError(code, message, { kind, since }, { cause })
}

/** Whether storage failed, not the request: the same write may succeed later. */
export function isStorageProblem(error: unknown): error is HubError {
  if (!(error instanceof HubError)) return false
  return error.code === 'storage_unavailable' || (error.code === 'storage_damaged' && 'kind' in error.details)
}
