/** The read-only jail as settings and snapshots name it. */

import { z } from 'zod'

/** `auto`: where it is verified. `require`: without it no command is allowed automatically. */
export const ReadOnlyJail = z.enum(['auto', 'require', 'off'])
export type ReadOnlyJail = z.infer<typeof ReadOnlyJail>

/** What happens to a command that is harmless as far as it can be read, but is not proven to be. */
export const Unproven = z.enum(['jail', 'ask'])
export type Unproven = z.infer<typeof Unproven>

/** Whether this machine has a jail that was tested by escape probes. */
export const JailStatus = z.strictObject({
  state: z.enum(['checking', 'verified', 'unavailable', 'off']),
  kind: z.literal('bubblewrap').nullable(),
  /** Why there is none. */
  reason: z.string().nullable(),
})
export type JailStatus = z.infer<typeof JailStatus>

/** The jail of one session: whether its commands run there now. */
export const JailInForce = z.strictObject({
  isOn: z.boolean(),
  setting: ReadOnlyJail,
  unproven: Unproven,
  /** Why it is not on. */
  reason: z.string().nullable(),
})
export type JailInForce = z.infer<typeof JailInForce>
