/** Whether reading or writing failed because of the machine, so that the same can succeed later, and in which way. */

import { constants } from 'node:os'

export type MachineFault =
  | 'full'
  | 'locked'
  | 'read_only'
  | 'input_output'
  | 'unreachable'
  | 'memory'
  /** The content of the database is not what was written. */
  | 'damaged'

/** Primary result codes of SQLite. */
const BY_RESULT: Readonly<Record<number, MachineFault>> = {
  5: 'locked',
  6: 'locked',
  7: 'memory',
  8: 'read_only',
  10: 'input_output',
  11: 'damaged',
  13: 'full',
  14: 'unreachable',
  15: 'locked',
  26: 'damaged',
}

/** A damaged full-text index. It can be built again from what it was made of, so the database itself is not at fault. */
export const CORRUPT_VTAB = 11 | (1 << 8)

const BY_SYSTEM: Readonly<Record<string, MachineFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read_only',
  EIO: 'input_output',
  ENOMEM: 'memory',
}

/** Null: what was asked for is at fault. */
export function machineFaultOf(error: unknown): MachineFault | null {
  if (typeof error !== 'object' || error === null) return null
  const { errcode, code, errno } = error as { errcode?: unknown; code?: unknown; errno?: unknown }
  if (errcode === CORRUPT_VTAB) return null
  if (typeof errcode === 'number') return BY_RESULT[errcode & 0xff] ?? null
  // Node (20 to 24) has no name for a quota that is used up.
  if (code === 'UNKNOWN' && errno === -constants.errno.EDQUOT) return 'full'
  return typeof code === 'string' ? (BY_SYSTEM[code] ?? null) : null
}
