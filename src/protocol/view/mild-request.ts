/** Which requests can be allowed without a second look. */

import type { InboxRequest } from '../request.js'

/**
 * Reasons for which one key, or a button in a notification, is enough. Whitelist: every other reason, also one that this version does not know, needs a
 * confirmation.
 */
const MILD: ReadonlySet<string> = new Set([
  'file.write.plain',
  'file.make.plain',
  'file.copy.plain',
  'file.look.outside',
  'file.read.outside',
  'git.commit',
  'git.fetch',
  'git.stage',
  'program.unlisted',
  'program.workspace',
  'tool.fetch',
])

/** Whether a request is shown whole before it can be allowed. */
export function needsConfirmation({ reasonParts = [], freerMode, plan }: InboxRequest): boolean {
  if (freerMode !== undefined || plan !== null || reasonParts.length === 0) return true
  return !reasonParts.every(({ code }) => MILD.has(code))
}
