/** The WebSocket protocol as data: client messages with their roles, and server messages. */

import { z } from 'zod'
import { SendMessage } from './api-body.js'
import { DialectName } from './dialect-name.js'
import { ErrorBody } from './error-schema.js'
import { EventEnvelope } from './event/event.js'
import { AnyRequestId, SessionId } from './id.js'
import { type FieldRoles, fieldsFor } from './option/field-role.js'
import {
  FormAnswer,
  PERMISSION_ANSWER_ROLES,
  PermissionAnswer,
  QUESTION_ANSWER_ROLES,
  QuestionAnswer,
} from './request.js'
import type { Role } from './role.js'
import type { Steered } from './route.js'

export const WEB_SOCKET_PATH = '/api/v1/ws'

/** Correlation id: echoed in the reply. */
const MessageTag = z.union([z.string().max(200), z.number()])
const AnySessionId = z.union([SessionId, z.uuid()])

export interface ClientMessageType {
  role: Role
  /** The object that it controls. */
  steers?: Steered
  summary: string
  body: z.ZodType
  /** Required role of each field. Fail closed: a field that is not listed requires an admin. */
  fields: FieldRoles
}

export const clientMessages = {
  subscribe: {
    role: 'viewer',
    summary:
      'Subscribe to events of sessions (or `*`), from a cursor or from now on; replaces the previous subscription',
    body: z.strictObject({
      sessions: z
        .array(z.union([z.literal('*'), AnySessionId]))
        .min(1)
        .max(1_000),
      /** `seq` if one session is named, otherwise the position among all events. */
      after: z.int().min(0).optional(),
      types: z.array(z.string().max(100)).max(100).optional(),
      deltas: z.boolean().optional(),
      dialect: DialectName.optional(),
    }),
    fields: fieldsFor('viewer', 'sessions', 'after', 'types', 'deltas', 'dialect'),
  },
  unsubscribe: { role: 'viewer', summary: 'Stop sending events', body: z.strictObject({}), fields: {} },
  send: {
    role: 'operator',
    steers: 'session',
    summary: 'Send a message to a session',
    body: z.union(SendMessage.options.map((option) => option.extend({ sessionId: AnySessionId }))),
    fields: fieldsFor('operator', 'sessionId', 'text', 'content', 'whenBusy', 'idempotencyKey'),
  },
  permission_response: {
    role: 'operator',
    steers: 'request',
    summary: 'Answer a permission; the first answer wins',
    body: PermissionAnswer.extend({ requestId: AnyRequestId }),
    fields: { requestId: 'operator', ...PERMISSION_ANSWER_ROLES },
  },
  question_response: {
    role: 'operator',
    steers: 'request',
    summary: 'Answer a question, or the form of an MCP server; the first answer wins',
    body: z.union([
      QuestionAnswer.extend({ requestId: AnyRequestId }),
      FormAnswer.extend({ requestId: AnyRequestId }),
    ]),
    fields: { requestId: 'operator', ...QUESTION_ANSWER_ROLES },
  },
  interrupt: {
    role: 'operator',
    summary: 'Interrupt the running turn of a session',
    body: z.strictObject({ sessionId: AnySessionId }),
    fields: { sessionId: 'operator' },
  },
  ping: { role: 'viewer', summary: 'Answered with `pong`', body: z.strictObject({}), fields: {} },
} as const satisfies Record<string, ClientMessageType>

export type ClientMessages = typeof clientMessages
export type ClientMessageName = keyof ClientMessages
export type ClientMessageBody<Name extends ClientMessageName> = z.output<ClientMessages[Name]['body']>

/** The part that all client messages share. */
export const ClientMessage = z.looseObject({
  type: z.enum(Object.keys(clientMessages) as [ClientMessageName, ...ClientMessageName[]]), // Cast: keys of the table.
  id: MessageTag.optional(),
})

const tag = { id: MessageTag.optional() }

export const ServerMessage = z.discriminatedUnion('type', [
  /** One of our events or, with a dialect, an event in its format. */
  z.looseObject({
    type: z.literal('event'),
    cursor: z.int().nullable(),
    event: z.union([EventEnvelope, z.looseObject({ type: z.string() })]),
  }),
  /** Retention deleted the events between `after` and `next`. */
  z.looseObject({ type: z.literal('gap'), after: z.int(), next: z.int() }),
  z.looseObject({ type: z.literal('ack'), ...tag }),
  z.looseObject({ type: z.literal('error'), ...tag, ...ErrorBody.shape }),
  z.looseObject({ type: z.literal('pong'), ...tag }),
])
export type ServerMessage = z.infer<typeof ServerMessage>
