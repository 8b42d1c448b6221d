/** Compares permission modes by how much they let an agent do. */

import type { PermissionMode } from '../value.js'

const FREEDOM: Readonly<Record<PermissionMode, number>> = {
  plan: 0,
  dontAsk: 0,
  default: 1,
  acceptEdits: 2,
  auto: 2,
  bypassPermissions: 3,
}

/** Fail closed: of two modes that cannot be compared, each counts as freer than the other. */
export function isFreer(mode: PermissionMode, than: PermissionMode): boolean {
  if (mode === than) return false
  return FREEDOM[mode] > FREEDOM[than] || (FREEDOM[mode] === 2 && FREEDOM[than] === 2)
}
