/** Whether the lifecycle hook is installed, whether it runs, whether it fires, and what switches it off. */

import { z } from 'zod'

export const HookScope = z.enum(['user', 'project', 'local'])
export type HookScope = z.infer<typeof HookScope>

export const HookInstallation = z.strictObject({
  way: z.enum(['settings', 'plugin']),
  scope: HookScope,
  path: z.string(),
  installedAt: z.string().nullable(),
  /** Whether it waits for answers from elsewhere. */
  remote: z.boolean(),
  /** Points at which there is no hook of ours, although there should be. */
  missing: z.array(z.string()).readonly(),
})
export type HookInstallation = Readonly<z.infer<typeof HookInstallation>>

const LastEvent = z.strictObject({
  eventType: z.string(),
  phase: z.string().nullable(),
  occurredAtIso: z.string(),
  sessionId: z.string(),
})
export type LastEvent = Readonly<z.infer<typeof LastEvent>>

export const HookStatus = z.strictObject({
  installations: z.array(HookInstallation).readonly(),
  hook: z.strictObject({ path: z.string(), target: z.string().nullable(), works: z.boolean() }).nullable(),
  stream: z.strictObject({ path: z.string(), bytes: z.number(), last: LastEvent.nullable() }),
  /** Whether a line has come since the hook was installed; null if nobody knows. */
  fires: z.boolean().nullable(),
  /** Files that switch all hooks off. */
  switchedOffBy: z.array(z.string()).readonly(),
  /** Files with hooks of an older installation: they write lines that name no session. */
  older: z
    .array(z.strictObject({ scope: HookScope, path: z.string(), hooks: z.array(z.string()).readonly() }))
    .readonly(),
  /** Files that Claude Code does not take, and why: nothing in them is in effect. */
  broken: z.array(z.strictObject({ path: z.string(), problem: z.string() })).readonly(),
})
export type HookStatus = Readonly<z.infer<typeof HookStatus>>

/** Installed somewhere, able to run, and not switched off. */
export function isInOrder({ installations, hook, switchedOffBy, broken }: HookStatus): boolean {
  const isComplete = installations.some(
    ({ path, missing }) => missing.length === 0 && broken.every((file) => file.path !== path),
  )
  return isComplete && hook?.works === true && switchedOffBy.length === 0
}
