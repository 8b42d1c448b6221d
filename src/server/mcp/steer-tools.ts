/** Tools that start and steer sessions, and the one that answers requests. */

import { z } from 'zod'
import { HubError } from '../../protocol/error.js'
import { RequestId } from '../../protocol/id.js'
import type { InboxRequest } from '../../protocol/request.js'
import { Answers } from '../../protocol/value.js'
import { isShownWhole } from './bounded.js'
import { AnySession } from './read-tools.js'
import { requestSummary, sessionSummary } from './summary.js'
import { defineMcpTool } from './tool.js'

const Text = z.string().min(1).max(100_000)
/** Repeating a call with the same key has no second effect. */
const Key = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('Repeating the call with this key has no second effect')

export const steerTools = [
  defineMcpTool({
    name: 'start_session',
    title: 'Start a session',
    description: 'Starts an agent session in a folder, with a first message. Returns at once.',
    route: 'createSession',
    readOnly: false,
    args: z.strictObject({
      folder: z.string().min(1).max(4_096).describe('Absolute path of the folder to work in'),
      prompt: Text,
      title: z.string().min(1).max(200).optional(),
      agent: z.string().min(1).max(200).optional().describe('Name of a configured agent'),
      model: z.string().min(1).max(200).optional(),
      mode: z.enum(['default', 'plan', 'acceptEdits']).optional(),
      idempotencyKey: Key,
    }),
    async run({ folder, mode, ...given }, call) {
      const body = { cwd: folder, ...defined(given), ...(mode !== undefined && { permissionMode: mode }) }
      return { session: sessionSummary((await call('createSession', { body })).session) }
    },
  }),
  defineMcpTool({
    name: 'send_message',
    title: 'Send a message',
    description: 'Sends a message to a session. It is queued while the agent works.',
    route: 'sendMessage',
    readOnly: false,
    args: z.strictObject({ sessionId: AnySession, text: Text, idempotencyKey: Key }),
    run: ({ sessionId, text, idempotencyKey }, call) =>
      call('sendMessage', {
        params: { id: sessionId },
        body: { text, ...(idempotencyKey !== undefined && { idempotencyKey }) },
      }),
  }),
  defineMcpTool({
    name: 'answer_request',
    title: 'Answer a request',
    description:
      'Answers one request of the inbox: a permission with decision allow or deny, a question with answers. ' +
      'The first answer wins. Allows only the call that the request shows.',
    route: 'answerRequest',
    answers: true,
    readOnly: false,
    args: z.strictObject({
      requestId: RequestId,
      decision: z.enum(['allow', 'deny']).optional(),
      message: z.string().max(10_000).optional().describe('With deny: what the agent is to do instead'),
      answers: Answers.optional().describe('By the text of each question'),
    }),
    async run({ requestId, decision, message, answers }, call) {
      const body = answerBody({ decision, message, answers })
      const params = { id: requestId }
      if (decision === 'allow') requireWhole((await call('getRequest', { params })).request)
      const { request } = await call('answerRequest', { params, body })
      return { request: requestSummary(request) }
    },
  }),
]

/** Throws unless a client can be shown all of the request that it allows. */
function requireWhole(request: InboxRequest): void {
  if (isShownWhole(requestSummary(request))) return
  throw new HubError(
    'answer_invalid',
    'The request is too long to be shown here, so it cannot be allowed here. A user can allow it in the dashboard.',
  )
}

interface Given {
  decision?: 'allow' | 'deny' | undefined
  message?: string | undefined
  answers?: z.output<typeof Answers> | undefined
}

function answerBody({ decision, message, answers }: Given) {
  if ((decision === undefined) === (answers === undefined))
    throw new HubError('request_invalid', 'Send either a decision or answers.')
  if (answers !== undefined) return { answers }
  return { decision: decision ?? 'deny', ...(message !== undefined && { message }) }
}

function defined<Value extends object>(
  value: Value,
): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  // Cast: what is undefined is left out.
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as never
}
