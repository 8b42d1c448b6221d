/** Lists of choices, separate from the schemas: a CLI command that needs only a list starts without loading zod. */

export const permissionModes = [
  'default',
  'acceptEdits',
  'bypassPermissions',
  'plan',
  'dontAsk',
  'auto',
] as const
export const busyWays = ['inject', 'queue', 'replace'] as const
export const efforts = ['low', 'medium', 'high', 'xhigh', 'max'] as const
export const sessionKinds = ['managed', 'observed'] as const
export const sessionStates = ['idle', 'working', 'permission', 'question', 'ended'] as const
/** The list may grow. */
export const conditions = [
  'starting',
  'waiting_for_slot',
  'retrying',
  'not_responding',
  'failed',
  'interrupted',
  'rate_limited',
  'background',
] as const
export const decisions = ['allow', 'allowAll', 'deny'] as const
export const formActions = ['accept', 'decline', 'cancel'] as const

/** A tag of a session: printable text without commas and without spaces at its ends. */
export const TAG = /^(?! )[^\p{C}\p{Zl}\p{Zp},]{1,40}(?<! )$/u

/** A caller's own id of a conversation: printable text without control characters and bidirectional marks. */
export const EXTERNAL_ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u
