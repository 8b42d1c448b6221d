/** Idempotency keys: each credential has its own, and each stands for one thing. */

import { digest } from '../lib/digest.js'
import type { Actor } from '../protocol/value.js'
import type { AppendGroup } from '../store/port.js'

export type Once = NonNullable<AppendGroup['once']>

/** Nobody gets, by guessing a key, what somebody else has made with it. */
export function keyOf(
  { who, credentialId, via }: Actor,
  command: { readonly idempotencyKey?: string | undefined; readonly [field: string]: unknown },
): Pick<Once, 'key' | 'digest'> | undefined {
  const { idempotencyKey, ...asked } = command
  if (idempotencyKey === undefined) return undefined
  return {
    key: JSON.stringify([credentialId ?? `${via === 'library' ? 'library' : 'home'}:${who}`, idempotencyKey]),
    digest: digest(JSON.stringify(asked)),
  }
}
