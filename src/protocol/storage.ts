/** Why nothing can be stored at the moment. */

import { z } from 'zod'
import { HubError } from './error.js'
import { Timestamp } from './value.js'

export const StorageProblem = z.strictObject({
  /** `moved`: the home was deleted or replaced. `unlocked`: its lock file was. */
  kind: z.enum(['full', 'locked', 'read_only', 'input_output', 'unreachable', 'memory', 'moved', 'unlocked']),
  /** What happened and what to do. */
  message: z.string(),
  since: Timestamp,
})
export type StorageProblem = z.infer<typeof StorageProblem>

export function storageUnavailable({ kind, message, since }: StorageProblem, cause?: unknown): HubError {
  return new HubError('storage_unavailable', message, { kind, since }, { cause })
}
