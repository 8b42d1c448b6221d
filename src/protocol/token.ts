/** Tokens and browser logins, without their secrets. */

import { z } from 'zod'
import { TokenId } from './id.js'
import { Role } from './role.js'
import { Timestamp } from './value.js'

const Name = z
  .string()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._@-]*$/u, 'A name has letters, digits, spaces and . _ @ -')

export const Token = z.strictObject({
  id: TokenId,
  /** Shown as the actor of actions. */
  name: z.string(),
  role: Role,
  /** `browser`: a login with a one-time code or a token. */
  kind: z.enum(['token', 'browser']),
  createdAt: Timestamp,
  expiresAt: Timestamp.nullable(),
})
export type Token = z.infer<typeof Token>

export const CreateToken = z.strictObject({ name: Name, role: Role, expiresAt: Timestamp.optional() })
export type CreateToken = z.infer<typeof CreateToken>
