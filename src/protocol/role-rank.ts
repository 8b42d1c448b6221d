/** The order of roles. Has no schema, so that the page loads quickly. */

import { roles } from './choice.js'
import type { Role } from './role.js'

export function isAtLeast(role: Role, needed: Role): boolean {
  return roles.indexOf(role) >= roles.indexOf(needed)
}
