/** Whether a write failed because of the machine, so that the same write can succeed later, and in which way. */

export type MachineFault = 'full' | 'locked' | 'read_only' | 'input_output' | 'unreachable' | 'memory'

/** Primary result codes of SQLite. */
const BY_RESULT: Readonly<Record<number, MachineFault>> = {
  5: 'locked',
  6: 'locked',
  7: 'memory',
  8: 'read_only',
  10: 'input_output',
  13: 'full',
  14: 'unreachable',
}

const BY_SYSTEM: Readonly<Record<string, MachineFault>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read_only',
  EIO: 'input_output',
  ENOMEM: 'memory',
}

/** Null: the write itself is at fault. */
export function machineFaultOf(error: unknown): MachineFault | null {
  if (typeof error !== 'object' || error === null) return null
  const { errcode, code } = error as { errcode?: unknown; code?: unknown }
  if (typeof errcode === 'number') return BY_RESULT[errcode & 0xff] ?? null
  return typeof code === 'string' ? (BY_SYSTEM[code] ?? null) : null
}
