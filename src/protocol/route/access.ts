/** Who may: logins, tokens, and who decided what. */

import { z } from 'zod'
import { AuditRecord } from '../audit.js'
import { fieldsFor } from '../field-role.js'
import { SessionId, TokenId } from '../id.js'
import { Role } from '../role.js'
import { CreateToken, Token } from '../token.js'
import { Timestamp } from '../value.js'
import { BASE, Cursor, empty, Limit, type Route } from './shape.js'

const Secret = z.string().min(1).max(200)

export const accessRoutes = {
  login: {
    method: 'POST',
    path: `${BASE}/login`,
    role: null,
    summary: 'Exchange a one-time code, or a token, for the browser cookie',
    body: z.union([z.strictObject({ code: Secret }), z.strictObject({ token: Secret })]),
    fields: fieldsFor(null, 'code', 'token'),
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
    summary: 'A new one-time code for a browser, with all rights or those of a role',
    body: z.strictObject({ role: Role.optional() }),
    status: 201,
    reply: z.strictObject({ code: z.string(), url: z.string(), expiresAt: Timestamp }),
  },
  listTokens: {
    method: 'GET',
    path: `${BASE}/tokens`,
    role: 'admin',
    summary: 'Tokens and browser logins, oldest first, without their secrets',
    status: 200,
    query: z.strictObject({ limit: Limit.optional(), cursor: TokenId.optional() }),
    reply: z.strictObject({ tokens: z.array(Token), nextCursor: TokenId.nullable() }),
  },
  createToken: {
    method: 'POST',
    path: `${BASE}/tokens`,
    role: 'admin',
    summary: 'A new token; its secret is told this once',
    body: CreateToken,
    status: 201,
    reply: z.strictObject({ token: Token, secret: z.string() }),
  },
  revokeToken: {
    method: 'DELETE',
    path: `${BASE}/tokens/:id`,
    role: 'admin',
    summary: 'Take a token or login back; what it has open ends within a second',
    params: z.strictObject({ id: TokenId }),
    status: 200,
    reply: z.strictObject({ token: Token }),
  },
  listAudit: {
    method: 'GET',
    path: `${BASE}/audit`,
    role: 'admin',
    summary: 'Who decided what, when and from where; newest first',
    query: z.strictObject({
      sessionId: SessionId.optional(),
      limit: Limit.optional(),
      cursor: Cursor.optional(),
    }),
    status: 200,
    reply: z.strictObject({
      records: z.array(AuditRecord),
      nextCursor: z.int().nullable(),
      /** The audit did not fit its seal at a start, and no admin has accepted that yet. */
      alarm: AuditRecord.nullable(),
    }),
  },
  acceptAudit: {
    method: 'POST',
    path: `${BASE}/audit/accept`,
    role: 'admin',
    summary: 'Accept the alarm of the audit, with a reason; the entry of the alarm stays',
    body: z.strictObject({ reason: z.string().min(1).max(500).optional() }),
    status: 200,
    /** The alarm that was accepted; null if there was none. */
    reply: z.strictObject({ alarm: AuditRecord.nullable() }),
  },
} as const satisfies Record<string, Route>
