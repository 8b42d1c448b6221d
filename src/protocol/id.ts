/** Ids: a prefix that names the kind, and a sortable part. */

import { z } from 'zod'
import { EXTERNAL_ID, TAG } from './choice.js'

const BODY = '[0-9a-hjkmnp-tv-z]{26}'

function idSchema(prefix: string) {
  return z.string().regex(new RegExp(`^${prefix}_${BODY}$`), `Expected an id of the form ${prefix}_…`)
}

export const SessionId = idSchema('ses')
export const EventId = idSchema('evt')
export const MessageId = idSchema('msg')
export const TurnId = idSchema('trn')
/** Id of a recorded change of files. */
export const ChangeId = idSchema('chg')
/** Id of a request: `per_…` for a permission, `que_…` for a question. */
export const RequestId = idSchema('(per|que)')
/** A caller's own id of a conversation. */
export const ExternalId = z.string().regex(EXTERNAL_ID, 'Expected 1 to 200 printable characters')
/** A user's own label of a session. */
export const Tag = z.string().regex(TAG, 'Expected 1 to 40 printable characters without commas')
/** A request by its id or, while it is pending, by Claude's id of its tool call. */
export const AnyRequestId = z.union(
  [RequestId, z.string().regex(/^(?!(?:per|que)_)[\w.-]{1,200}$/)],
  'Expected a request id of the form per_… or que_…, or the id of a tool call',
)
export const NotificationId = idSchema('ntf')
/** The machine that runs a session. */
export const MachineId = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'Expected 1 to 63 lower-case letters, digits and hyphens')
/** Id of a token or a browser login. */
export const TokenId = idSchema('crd')
