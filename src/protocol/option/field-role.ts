/** Who may send which field of a body. A field that is not listed needs an admin. */

import { isAtLeast, type Role } from '../role.js'

/** `null`: everybody. A table instead of a role: the field is an object, and each of its own fields has a role. */
export type FieldRoles = { readonly [field: string]: Role | null | FieldRoles }

export interface NeededRole {
  role: Role
  /** The field that needs it, as `options.env`. */
  field: string
}

/** The highest role that a body needs by its fields; null where none is needed. */
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

/** The same role for each of these. */
export function fieldsFor<Name extends string>(
  role: Role | null,
  ...names: Name[]
): Record<Name, Role | null> {
  return Object.fromEntries(names.map((name) => [name, role])) as Record<Name, Role | null> // As the names say.
}
