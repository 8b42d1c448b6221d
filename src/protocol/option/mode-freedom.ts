/** Which permission mode lets an agent do more than another. */

import type { PermissionMode } from '../value.js'

const FREEDOM: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  dontAsk: 0,
  default: 1,
  acceptEdits: 2,
  auto: 2,
  bypassPermissions: 3,
}

/** Two that cannot be compared count as freer than each other. */
export function isFreer(mode: PermissionMode, than: PermissionMode): boolean {
  if (mode === than) return false
  return FREEDOM[mode] > FREEDOM[than] || (FREEDOM[mode] === 2 && FREEDOM[than] === 2)
}
