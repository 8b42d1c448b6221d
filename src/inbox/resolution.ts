/** How a request ends: the answer as it is stored, and the denial where no user answers. */

import { AppendRefused, type Journal } from '../journal/journal.js'
import type { DataOf, EventDraft } from '../protocol/event/event.js'
import { type Reason, saying } from '../protocol/reason/reason.js'
import type { ReasonPart } from '../protocol/reason/reason-part.js'
import type { InboxRequest } from '../protocol/request.js'
import type { DecidedBy } from '../protocol/value.js'

export type PermissionResolution = DataOf<'permission.resolved'>
export type QuestionResolution = DataOf<'question.resolved'>
export type Resolution = PermissionResolution | QuestionResolution

/** Denies a request without an answer of the user. Race: losing to another client is fine. */
export async function deny(
  journal: Journal,
  sessionId: string,
  requestId: string,
  by: DecidedBy,
  why: string | Reason,
): Promise<void> {
  const data = denial(requestId, by, why)
  const draft: EventDraft =
    'answers' in data ? { type: 'question.resolved', data } : { type: 'permission.resolved', data }
  await journal.append(sessionId, [draft]).catch(unlessRefused)
}

export function unlessRefused(error: unknown): null {
  if (error instanceof AppendRefused) return null
  throw error
}

/** Words that are not ours have no code. */
export function explained(why: string | Reason): { reason: string; reasonParts?: ReasonPart[] } {
  return typeof why === 'string' ? { reason: why } : saying(why)
}

export function denial(requestId: string, by: DecidedBy, why: string | Reason): Resolution {
  const said = explained(why)
  const nobody = { requestId, by, who: null, via: null, ...said }
  if (requestId.startsWith('que_')) return { ...nobody, answers: null }
  return { ...nobody, decision: 'deny', rule: null, message: said.reason }
}

/** The answer as it was stored. */
export function resolutionOf({ id: requestId, resolution }: InboxRequest): Resolution {
  const { at: _, ...rest } = resolution ?? { at: '' }
  return { requestId, ...rest } as Resolution // It was made from one.
}
