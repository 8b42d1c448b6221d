import { type Actor, authorVia } from '../../protocol/value.js'

/** The action of a user, for the audit. */
export function auditFields(actor: Actor, subject: string) {
  return { ...actor, by: authorVia(actor.via), subject, verdict: 'done' }
}
