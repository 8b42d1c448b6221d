/** The origin of an action, for the log and the audit: taken from the credential, not from the request. */

import type { Actor } from '../../protocol/value.js'
import type { Identity } from './credentials.js'

/** The actor with role and credential: none of it is taken from the request. */
export function actorOf(identity: Identity, header: unknown): Actor {
  const { name: who, role, credentialId } = identity
  return { who, via: viaOf(identity, header), role, ...(credentialId !== null && { credentialId }) }
}

/** A cookie is a browser. A token is a program; its header can only say that a user sits at this program. */
export function viaOf({ kind }: Pick<Identity, 'kind'>, header: unknown): Actor['via'] {
  if (kind === 'browser') return 'dashboard'
  return header === 'cli' || header === 'acp' ? header : 'api'
}
