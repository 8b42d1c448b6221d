/** The role that each field of a request body requires. Fail closed: a field that is not listed requires an admin. */

import type { Role } from '../role.js'
import { isAtLeast } from '../role-rank.js'

/** `null`: any role. A nested table: the field is an object, and each of its fields has its own role. */
export type FieldRoles = { readonly [field: string]: Role | null | FieldRoles }

export interface NeededRole {
  role: Role
  /** Path of the field that requires it, such as `options.env`. */
  field: string
}

/** The highest role that the fields of a body require; null if none does. */
export function neededRole(body: unknown, roles: FieldRoles): NeededRole | null {
  let highest: NeededRole | null = null
  for (const needed of neededRoles(body, roles, '')) {
    if (highest === null || !isAtLeast(highest.role, needed.role)) highest = needed
  }
  return highest
}

function* neededRoles(value: unknown, roles: FieldRoles, prefix: string): Generator<NeededRole> {
  if (typeof value !== 'object' || value === null) return
  for (const [name, content] of Object.entries(value)) {
    if (content === undefined) continue
    const field = `${prefix}${name}`
    const role = Object.hasOwn(roles, name) ? roles[name] : 'admin'
    if (typeof role === 'object' && role !== null) yield* neededRoles(content, role, `${field}.`)
    else if (role !== null && role !== undefined) yield { role, field }
  }
}

export function fieldsFor<Name extends string>(
  role: Role | null,
  ...names: Name[]
): Record<Name, Role | null> {
  return Object.fromEntries(names.map((name) => [name, role])) as Record<Name, Role | null> // Cast: one key per name.
}
