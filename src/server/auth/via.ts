/** From where somebody acts, for the log and the audit: by the credential, not by what the request says of itself. */

import type { Actor } from '../../protocol/value.js'
import type { Identity } from './credentials.js'

/** Who acts, with what right and with which credential: none of it is what the request says of itself. */
export function actorOf(identity: Identity, header: unknown): Actor {
  const { name: who, role, credentialId } = identity
  return { who, via: viaOf(identity, header), role, ...(credentialId !== null && { credentialId }) }
}

/** A cookie is a browser. A token is a program; its header can only say that this program is the command line. */
export function viaOf({ kind }: Pick<Identity, 'kind'>, header: unknown): Actor['via'] {
  if (kind === 'browser') return 'dashboard'
  return header === 'cli' ? 'cli' : 'api'
}
