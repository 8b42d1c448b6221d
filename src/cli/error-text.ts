/** The message of an error for the user of the command line. */

import { HubError } from '../protocol/error.js'

/** A value that the daemon refuses is named as the command line has it, not as a field of a body. */
export function errorText(error: unknown): string {
  if (!(error instanceof HubError)) return error instanceof Error ? error.message : String(error)
  const { part, fieldErrors } = error.details
  const problems =
    part === undefined || typeof fieldErrors !== 'object' || fieldErrors === null
      ? []
      : Object.entries(fieldErrors).map(([name, texts]) => `Invalid ${name}: ${String(texts)}.`)
  return problems.length > 0 ? problems.join('\n') : error.message
}
