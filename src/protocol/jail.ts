/** The read-only jail in settings and snapshots. */

import { z } from 'zod'
import { ReasonParts } from './reason/reason-part.js'

/** `auto`: used if verified. `require`: without a verified jail no command is allowed automatically. */
export const ReadOnlyJail = z.enum(['auto', 'require', 'off'])
export type ReadOnlyJail = z.infer<typeof ReadOnlyJail>

/** Handling of a command in which nothing harmful was found, but which is not proven to only read. */
export const Unproven = z.enum(['jail', 'ask'])
export type Unproven = z.infer<typeof Unproven>

/** Whether this machine has a jail that passed the escape probes. */
export const JailStatus = z.strictObject({
  state: z.enum(['checking', 'verified', 'unavailable', 'off']),
  kind: z.literal('bubblewrap').nullable(),
  /** Why it is unavailable. */
  reason: z.string().nullable(),
  /** The reason as codes and parameters. */
  reasonParts: ReasonParts.optional(),
})
export type JailStatus = z.infer<typeof JailStatus>

/** The jail of one session: whether its commands run in it now. */
export const JailInForce = z.strictObject({
  isOn: z.boolean(),
  setting: ReadOnlyJail,
  unproven: Unproven,
  /** Why it is off. */
  reason: z.string().nullable(),
  /** The reason as codes and parameters. */
  reasonParts: ReasonParts.optional(),
})
export type JailInForce = z.infer<typeof JailInForce>
