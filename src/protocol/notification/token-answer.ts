/** Answers through the links and buttons of notifications. */

import { z } from 'zod'
import { SessionId } from '../id.js'
import { InboxRequest } from '../request.js'
import { Timestamp } from '../value.js'
import { UserName } from './user.js'

const AnswerToken = z.string().min(1).max(100)
const OfferedDecision = z.enum(['allow', 'deny'])

export const LookAnswer = z.strictObject({ token: AnswerToken })

export const AnswerByToken = z.strictObject({ token: AnswerToken, decision: OfferedDecision })

/** The request of an answer token, with the offered decisions. */
export const AnswerView = z.strictObject({
  request: InboxRequest,
  session: z.strictObject({ id: SessionId, name: z.string(), cwd: z.string() }),
  decisions: z.array(OfferedDecision),
  /** The user who answers, and the channel that the token was sent through. */
  user: UserName,
  channel: z.string(),
  expiresAt: Timestamp,
})
export type AnswerView = z.infer<typeof AnswerView>
