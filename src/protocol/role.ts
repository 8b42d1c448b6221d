/** Roles of credentials: `viewer` reads, `operator` answers and sends, `admin` manages access. */

import { z } from 'zod'

export const Role = z.enum(['viewer', 'operator', 'admin'])
export type Role = z.infer<typeof Role>

export function isAtLeast(role: Role, needed: Role): boolean {
  return Role.options.indexOf(role) >= Role.options.indexOf(needed)
}
