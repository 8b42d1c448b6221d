/** Tokens and browser logins, without their secrets. */

import { z } from 'zod'
import { TokenId } from './id.js'
import { UserName } from './notification/user.js'
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
  /** The user that it belongs to; null: none that is known. */
  user: UserName.nullable(),
  /** Description of the device, from the browser that logged in. */
  device: z.string().nullable(),
  /** An MCP client with it may answer requests. */
  answersByMcp: z.boolean(),
})
export type Token = z.infer<typeof Token>

export const CreateToken = z.strictObject({
  name: Name,
  role: Role,
  expiresAt: Timestamp.optional(),
  /** The user that it belongs to. */
  user: UserName.optional(),
  /** An MCP client with it may answer requests. Needs the role operator. */
  answersByMcp: z.boolean().optional(),
})
export type CreateToken = z.infer<typeof CreateToken>
