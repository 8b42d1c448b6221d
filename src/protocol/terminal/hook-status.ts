/** Status of the lifecycle hook: installed, executable, firing, and what disables it. */

import { z } from 'zod'

export const HookScope = z.enum(['user', 'project', 'local'])
export type HookScope = z.infer<typeof HookScope>

export const HookInstallation = z.strictObject({
  way: z.enum(['settings', 'plugin']),
  scope: HookScope,
  path: z.string(),
  installedAt: z.string().nullable(),
  /** Whether the hook waits for remote answers. */
  remote: z.boolean(),
  /** Hook events for which our entry is missing. */
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
  /** Whether the hook has written a line since it was installed; null if unknown. */
  fires: z.boolean().nullable(),
  /** Settings files that disable all hooks. */
  switchedOffBy: z.array(z.string()).readonly(),
  /** Settings files with hooks of an older version, which write lines without a session id. */
  older: z
    .array(z.strictObject({ scope: HookScope, path: z.string(), hooks: z.array(z.string()).readonly() }))
    .readonly(),
  /** Settings files that Claude Code rejects, and why. None of their settings are in effect. */
  broken: z.array(z.strictObject({ path: z.string(), problem: z.string() })).readonly(),
})
export type HookStatus = Readonly<z.infer<typeof HookStatus>>

/** Installed, executable and not disabled. */
export function isInOrder({ installations, hook, switchedOffBy, broken }: HookStatus): boolean {
  const isComplete = installations.some(
    ({ path, missing }) => missing.length === 0 && broken.every((file) => file.path !== path),
  )
  return isComplete && hook?.works === true && switchedOffBy.length === 0
}
