/** Idempotency keys: each credential has its own, and each stands for one thing. */

import { digest } from '../lib/digest.js'
import type { Actor } from '../protocol/value.js'
import type { AppendGroup } from '../store/port/append.js'

export type Once = NonNullable<AppendGroup['once']>

/** Keys are scoped to the credential: guessing a key does not reveal another user's result. */
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
