/** From what a person says to a request to the fact that is stored, or to the reason why it is no answer. */

import { HubError } from '../protocol/error.js'
import type { EventDraft } from '../protocol/event.js'
import type { Answer, PermissionAnswer, QuestionAnswer, Request } from '../protocol/request.js'
import type { Grant } from '../protocol/request-event.js'
import type { Actor } from '../protocol/value.js'

type GrantFor = (tool: string, input: unknown) => Grant

export function draftOfAnswer(
  request: Request,
  answer: Answer,
  actor: Actor,
  { grantFor, now }: { grantFor: GrantFor; now: string },
): EventDraft {
  return request.kind === 'permission'
    ? permissionDraft(request, permissionAnswer(request, answer, now), actor, grantFor)
    : questionDraft(request, questionAnswer(request, answer), actor)
}

function permissionAnswer(request: Request, answer: Answer, now: string): PermissionAnswer {
  if (!('decision' in answer)) throw answerInvalid(request, 'It is a permission: answer with a decision.')
  if (answer.decision === 'deny' && (answer.updatedInput || answer.until)) {
    throw answerInvalid(request, 'A denial has neither an updatedInput nor an until.')
  }
  if (answer.until !== undefined && answer.until <= now) {
    throw answerInvalid(request, 'The time until which it is allowed has passed.')
  }
  return answer
}

function questionAnswer(request: Request, answer: Answer): QuestionAnswer {
  if (!('answers' in answer)) throw answerInvalid(request, 'It is a question: answer with answers.')
  const known = new Set(request.questions.map((question) => question.question))
  const unknown = Object.keys(answer.answers).find((question) => !known.has(question))
  if (unknown !== undefined) throw answerInvalid(request, `It does not ask ${JSON.stringify(unknown)}.`)
  if (Object.keys(answer.answers).length === 0)
    throw answerInvalid(request, 'Answer at least one of its questions.')
  return answer
}

function answerInvalid({ id }: Request, problem: string): HubError {
  return new HubError('answer_invalid', `This does not answer request ${id}. ${problem}`, { requestId: id })
}

function permissionDraft(
  { id, toolName, input }: Request,
  { decision, message, updatedInput, until }: PermissionAnswer,
  { who, via }: Actor,
  grantFor: GrantFor,
): EventDraft {
  const isLasting = decision === 'allowAll' || until !== undefined
  return {
    type: 'permission.resolved',
    data: {
      requestId: id,
      decision,
      by: 'person',
      who,
      via,
      rule: null,
      reason: null,
      ...(message !== undefined && { message }),
      ...(updatedInput && { updatedInput }),
      ...(isLasting && { grant: { ...grantFor(toolName, input), ...(until !== undefined && { until }) } }),
    },
  }
}

function questionDraft({ id }: Request, { answers }: QuestionAnswer, { who, via }: Actor): EventDraft {
  return { type: 'question.resolved', data: { requestId: id, answers, by: 'person', who, via, reason: null } }
}
