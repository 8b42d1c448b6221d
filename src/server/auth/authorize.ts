/** Authorisation: by the credential that a request shows, and by its role. */

import { HubError } from '../../protocol/error.js'
import { type FieldRoles, neededRole } from '../../protocol/option/field-role.js'
import type { Role } from '../../protocol/role.js'
import { isAtLeast } from '../../protocol/role-rank.js'
import type { Credentials, Identity } from './credentials.js'

export async function authorize(access: Credentials, secret: string | null | undefined): Promise<Identity> {
  if (!secret) {
    throw new HubError(
      'credential_missing',
      'Authentication required: send "Authorization: Bearer TOKEN" with the token from the home folder, or log in with a code.',
    )
  }
  const identity = await access.identify(secret)
  if (!identity) {
    throw new HubError(
      'credential_invalid',
      'The token or login is invalid or has expired. Log in again, or use the token from the home folder.',
    )
  }
  return identity
}

export function requireRole({ role }: Identity, needed: Role, where = ''): void {
  if (isAtLeast(role, needed)) return
  throw new HubError('role_insufficient', `Requires the role ${needed}${where}. Your role is ${role}.`, {
    needed,
    role,
  })
}

/** By the fields that a body has, whatever their values are. */
export function requireFields(identity: Identity, body: unknown, fields: FieldRoles): void {
  const needed = neededRole(body, fields)
  if (needed) requireRole(identity, needed.role, ` for ${needed.field}`)
}

export function bearerOf(authorization: string | undefined): string | null {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? null
}
