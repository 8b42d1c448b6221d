import type { Actor } from '../../protocol/value.js'

/** The action of a user, for the audit. */
export function auditFields(actor: Actor, subject: string) {
  return { ...actor, by: 'person', subject, verdict: 'done' }
}
