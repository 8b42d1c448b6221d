/** Lists of choices, separate from the schemas: a CLI command that needs only a list starts without loading zod. */

/** Each includes those before it. */
export const roles = ['viewer', 'operator', 'admin'] as const
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
  'recording',
] as const
export const decisions = ['allow', 'allowAll', 'deny'] as const
export const formActions = ['accept', 'decline', 'cancel'] as const

/** A tag of a session: printable text without commas and without spaces at its ends. */
export const TAG = /^(?! )[^\p{C}\p{Zl}\p{Zp},]{1,40}(?<! )$/u

/** A caller's own id of a conversation: printable text without control characters and bidirectional marks. */
export const EXTERNAL_ID = /^[^\p{C}\p{Zl}\p{Zp}]{1,200}$/u

/** The name of an attached file: printable text. */
export const FILE_TITLE = /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u

/** The name of a saved prompt: letters, digits and `.`, `_`, `-`. It can be typed behind a slash and in a shell. */
export const PROMPT_NAME = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}._-]{0,59}$/u

/** The machine of the hub itself, where there is no other. */
export const LOCAL_MACHINE = 'local'
