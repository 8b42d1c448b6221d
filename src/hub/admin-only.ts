/** Requests that only an admin may answer: an answer would be as good as the freedom of the agent behind it. */

import type { InboxRequest } from '../protocol/request.js'
import type { Session } from '../protocol/session.js'

export function isForAdmins(
  { freerMode }: Pick<InboxRequest, 'freerMode'>,
  { permissionMode }: Pick<Session, 'permissionMode'>,
): boolean {
  return freerMode !== undefined || permissionMode === 'bypassPermissions'
}
