/** The shape of a route, and schemas shared by routes. */

import { z } from 'zod'
import { AnyRequestId, MessageId, RequestId, SessionId } from '../id.js'
import type { FieldRoles } from '../option/field-role.js'
import { InboxRequest } from '../request.js'
import type { Role } from '../role.js'
import { Session } from '../session.js'

export type Steered = 'session' | 'session settings' | 'request' | 'new session'

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: string
  /** Required role. `null`: no authentication. */
  role: Role | null
  /**
   * Required role of each field of the body. Fail closed: a field that is not listed requires an admin, whatever `role`
   * is.
   */
  fields?: FieldRoles
  /** Values of the body that require a higher role. */
  stricter?: { role: Role; when: string; applies(body: unknown): boolean }
  /** The object that it controls. A session in mode bypassPermissions can be controlled by admins only. */
  steers?: Steered
  /** Ends work, so it is also carried out while nothing can be stored. */
  endsWork?: true
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  maxBodyBytes?: number
  status: number
  /** `null`: the response stays open, as an event stream. */
  reply: z.ZodType | null
  /** Media type of the reply, if not JSON. */
  media?: string
}

export const BASE = '/api/v1'
export const MEGABYTE = 1024 * 1024

/** A session by our id, or by Claude's id of its conversation. */
export const AnySessionId = z.union(
  [SessionId, z.uuid()],
  'Expected a session id of the form ses_…, or a session id of Claude Code',
)
export const sessionParams = z.strictObject({ id: AnySessionId })
export const messageParams = z.strictObject({ id: AnySessionId, messageId: MessageId })
export const requestParams = z.strictObject({ id: RequestId })
export const anyRequestParams = z.strictObject({ id: AnyRequestId })
export const oneSession = z.strictObject({ session: Session })
export const oneRequest = z.strictObject({ request: InboxRequest })
export const empty = z.strictObject({})

/** Coerced, because query parameters are strings. */
export const Cursor = z.coerce.number().int().min(0)
export const Limit = z.coerce.number().int().min(1).max(1_000)
