/** Handlers of the messages over the WebSocket. */

import { z } from 'zod'
import type { Hub } from '../../hub/port.js'
import { HubError } from '../../protocol/error.js'
import type { Actor } from '../../protocol/value.js'
import {
  ClientMessage,
  type ClientMessageBody,
  type ClientMessageName,
  type ClientMessageType,
  clientMessages,
} from '../../protocol/web-socket.js'
import { requireFields, requireRole } from '../auth/authorize.js'
import { type Order, requireAdminForBypass } from '../auth/bypass-sessions.js'
import type { Identity } from '../auth/credentials.js'
import { plainProblem } from '../plain-problem.js'

export interface MessageContext {
  hub: Hub
  actor: Actor
  /** Begins to send events; the answer is sent before the first of them. */
  subscribe(wish: ClientMessageBody<'subscribe'>): Promise<{ after: number; begin(): void }>
  unsubscribe(): void
}

/** The reply, and an action to start once the reply is sent. */
export interface MessageReply {
  message: { type: 'ack' | 'pong' } & Record<string, unknown>
  begin?(): void
}

type Actions = {
  [Name in ClientMessageName]: (
    body: ClientMessageBody<Name>,
    context: MessageContext,
  ) => Promise<MessageReply>
}

const ack = (fields: object = {}): MessageReply => ({ message: { type: 'ack', ...fields } })

const actions: Actions = {
  async subscribe(body, { subscribe }) {
    const { after, begin } = await subscribe(body)
    return { ...ack({ after }), begin }
  },
  async unsubscribe(_, { unsubscribe }) {
    unsubscribe()
    return ack()
  },
  send: async ({ sessionId, ...message }, { hub, actor }) => ack(await hub.send(sessionId, message, actor)),
  permission_response: async ({ requestId, ...answer }, { hub, actor }) =>
    ack({ request: await hub.inbox.answer(requestId, answer, actor) }),
  question_response: async ({ requestId, ...answer }, { hub, actor }) =>
    ack({ request: await hub.inbox.answer(requestId, answer, actor) }),
  async interrupt({ sessionId }, { hub }) {
    await hub.interrupt(sessionId)
    return ack()
  },
  ping: async () => ({ message: { type: 'pong' } }),
}

export async function answerMessage(
  value: Record<string, unknown>,
  identity: Identity,
  context: MessageContext,
): Promise<MessageReply> {
  const { type } = parse(ClientMessage, value)
  const { type: _, id: __, ...fields } = value
  const { role, steers, fields: roles, ...known }: ClientMessageType = clientMessages[type]
  requireRole(identity, role)
  const said = parse(known.body, fields)
  requireFields(identity, said, roles)
  // Race: the name of a request is resolved once, so that the checked request and the answered one are the
  // same.
  const body = steers === 'request' ? await withRequestId(said, context.hub) : said
  if (steers) await requireAdminForBypass(context.hub, identity, steers, orderIn(body))
  // The table gives each action the body that it has checked; looking it up by name loses that connection.
  const act = actions[type] as (body: unknown, context: MessageContext) => Promise<MessageReply>
  return act(body, context)
}

async function withRequestId(body: unknown, { inbox }: Hub): Promise<unknown> {
  const { requestId, ...answer } = body as { requestId: string } // The message has checked it.
  return { ...answer, requestId: (await inbox.find(requestId)).id }
}

function orderIn(body: unknown): Order {
  const { sessionId, requestId } = body as { sessionId?: string; requestId?: string }
  return { id: sessionId ?? requestId, body }
}

function parse<Value>(schema: z.ZodType<Value>, value: unknown): Value {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new HubError(
    'request_invalid',
    `The message is invalid. ${z.prettifyError(result.error)}`,
    {},
    { plainText: plainProblem('message', schema, result.error) },
  )
}
