/** Routes for access: logins, tokens and the audit log. */

import { z } from 'zod'
import { AuditRecord } from '../audit.js'
import { AuditFilter } from '../audit-filter.js'
import { TokenId } from '../id.js'
import { UserName } from '../notification/user.js'
import { fieldsFor } from '../option/field-role.js'
import { Role } from '../role.js'
import { CreateToken, Token } from '../token.js'
import { Timestamp } from '../value.js'
import { BASE, Cursor, empty, Limit, type Route } from './shape.js'

const Secret = z.string().min(1).max(200)
/** Description of a device, from its browser. */
const Device = z.string().regex(/^[^\p{C}\p{Zl}\p{Zp}]{1,80}$/u, 'Expected 1 to 80 printable characters')

export const accessRoutes = {
  login: {
    method: 'POST',
    path: `${BASE}/login`,
    role: null,
    summary: 'Exchange a one-time code, or a token, for the browser cookie',
    body: z.union([
      z.strictObject({ code: Secret, device: Device.optional() }),
      z.strictObject({ token: Secret, device: Device.optional() }),
    ]),
    fields: fieldsFor(null, 'code', 'token', 'device'),
    status: 200,
    reply: empty,
  },
  logout: {
    method: 'POST',
    path: `${BASE}/logout`,
    role: 'viewer',
    summary: 'End this browser login',
    body: empty,
    status: 200,
    reply: empty,
  },
  createLoginCode: {
    method: 'POST',
    path: `${BASE}/login-codes`,
    role: 'admin',
    summary: 'Create a one-time login code for a browser, for an admin or for the given role',
    body: z.strictObject({
      role: Role.optional(),
      /** The login belongs to this user. */
      user: UserName.optional(),
      /** The link asks for confirmation and shows the role, for a device that is paired. Needs a role. */
      isPairing: z.boolean().optional(),
    }),
    status: 201,
    reply: z.strictObject({ code: z.string(), url: z.string(), expiresAt: Timestamp }),
  },
  lookLoginCode: {
    method: 'POST',
    path: `${BASE}/login-codes/look`,
    role: null,
    summary: 'Get the role that a one-time login code gives, without using it',
    body: z.strictObject({ code: Secret }),
    fields: fieldsFor(null, 'code'),
    status: 200,
    reply: z.strictObject({
      login: z.strictObject({
        name: z.string(),
        role: Role,
        user: UserName.nullable(),
        expiresAt: Timestamp,
      }),
    }),
  },
  listTokens: {
    method: 'GET',
    path: `${BASE}/tokens`,
    role: 'admin',
    summary: 'List tokens and browser logins, oldest first, without their secrets',
    status: 200,
    query: z.strictObject({ limit: Limit.optional(), cursor: TokenId.optional() }),
    reply: z.strictObject({ tokens: z.array(Token), nextCursor: TokenId.nullable() }),
  },
  createToken: {
    method: 'POST',
    path: `${BASE}/tokens`,
    role: 'admin',
    summary: 'Create a token; its secret is returned only here',
    body: CreateToken,
    status: 201,
    reply: z.strictObject({ token: Token, secret: z.string() }),
  },
  revokeToken: {
    method: 'DELETE',
    path: `${BASE}/tokens/:id`,
    role: 'admin',
    summary: 'Revoke a token or login; its connections are closed within a second',
    params: z.strictObject({ id: TokenId }),
    status: 200,
    reply: z.strictObject({ token: Token }),
  },
  listAudit: {
    method: 'GET',
    path: `${BASE}/audit`,
    role: 'admin',
    summary: 'List audit entries: who decided what, when and through which client; newest first',
    query: z.strictObject({ ...AuditFilter.shape, limit: Limit.optional(), cursor: Cursor.optional() }),
    status: 200,
    reply: z.strictObject({
      records: z.array(AuditRecord),
      /** With a filter a page can be short, or empty, and not be the last: null at the first entry only. */
      nextCursor: z.int().nullable(),
      /** Set if the audit log did not match its seal at startup and no admin has acknowledged it yet. */
      alarm: AuditRecord.nullable(),
    }),
  },
  acceptAudit: {
    method: 'POST',
    path: `${BASE}/audit/accept`,
    role: 'admin',
    summary: 'Acknowledge the alarm of the audit, with a reason; the entry of the alarm stays',
    body: z.strictObject({ reason: z.string().min(1).max(500).optional() }),
    status: 200,
    /** The alarm that was acknowledged; null if there was none. */
    reply: z.strictObject({ alarm: AuditRecord.nullable() }),
  },
} as const satisfies Record<string, Route>
