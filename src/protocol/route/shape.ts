/** What a route is, and what many of them have in common. */

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
  /** Who may. `null`: anybody who reaches the server. */
  role: Role | null
  /** Who may send which field of the body. One that is not listed needs an admin, whatever `role` says. */
  fields?: FieldRoles
  /** Values that need more than `role`. */
  stricter?: { role: Role; when: string; applies(body: unknown): boolean }
  /** Whom it gives orders to. One that runs without asking takes them from admins only. */
  steers?: Steered
  /** It ends work, so it is carried out also while nothing can be stored. */
  endsWork?: true
  summary: string
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  maxBodyBytes?: number
  status: number
  /** `null`: a response that stays open, as a stream of events. */
  reply: z.ZodType | null
  /** What the reply is written in, where it is not JSON. */
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

/** Numbers in a query are texts. */
export const Cursor = z.coerce.number().int().min(0)
export const Limit = z.coerce.number().int().min(1).max(1_000)
