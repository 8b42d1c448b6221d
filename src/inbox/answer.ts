/** Turns a user's answer to a request into the event that is stored, or into the reason why it is not valid. */

import { HubError } from '../protocol/error.js'
import type { EventDraft } from '../protocol/event/event.js'
import type { Grant } from '../protocol/event/request-event.js'
import { type Form, FormReply, problemsOfForm } from '../protocol/form/form.js'
import type { Answer, InboxRequest, PermissionAnswer, QuestionAnswer } from '../protocol/request.js'
import { type Actor, authorVia } from '../protocol/value.js'

type GrantFor = (tool: string, input: unknown) => Grant

export function draftOfAnswer(
  request: InboxRequest,
  answer: Answer,
  actor: Actor,
  { grantFor, now }: { grantFor: GrantFor; now: string },
): EventDraft {
  if (request.kind === 'permission') {
    return permissionDraft(request, permissionAnswer(request, answer, now), actor, grantFor)
  }
  const data = request.form ? formReply(request, request.form, answer) : questionReply(request, answer)
  return {
    type: 'question.resolved',
    data: { requestId: request.id, by: authorVia(actor.via), ...actor, reason: null, ...data },
  }
}

function permissionAnswer(request: InboxRequest, answer: Answer, now: string): PermissionAnswer {
  if (!('decision' in answer)) throw answerInvalid(request, 'It is a permission: send a decision.')
  const { decision, updatedInput, until, mode, interrupt } = answer
  if (decision !== 'deny' && interrupt) throw answerInvalid(request, 'Only deny can interrupt the turn.')
  if (decision === 'deny' && (updatedInput || until !== undefined || mode !== undefined)) {
    throw answerInvalid(request, 'deny cannot carry updatedInput, until or mode.')
  }
  if (until !== undefined && until <= now) {
    throw answerInvalid(request, 'until is in the past. Use a later time.')
  }
  if (request.plan === null) {
    if (mode !== undefined) throw answerInvalid(request, 'Only the answer to a plan can carry a mode.')
  } else if (decision === 'allowAll' || until !== undefined) {
    throw answerInvalid(request, 'A plan accepts only allow or deny.')
  }
  return answer
}

function permissionDraft(
  { id, toolName, input, grant }: InboxRequest,
  { decision, message, updatedInput, until, mode, interrupt }: PermissionAnswer,
  actor: Actor,
  grantFor: GrantFor,
): EventDraft {
  const isLasting = decision === 'allowAll' || until !== undefined
  // The grant that the request has shown, or one for the exact call as the user has edited it.
  const covered = () =>
    updatedInput ? grantFor(toolName, updatedInput) : (grant ?? grantFor(toolName, input))
  return {
    type: 'permission.resolved',
    data: {
      requestId: id,
      decision,
      by: authorVia(actor.via),
      ...actor,
      rule: null,
      reason: null,
      ...(message !== undefined && { message }),
      ...(interrupt && { interrupt }),
      ...(updatedInput && { updatedInput }),
      ...(mode !== undefined && { mode }),
      ...(isLasting && { grant: { ...covered(), ...(until !== undefined && { until }) } }),
    },
  }
}

type QuestionReply = Pick<QuestionAnswer, 'notes'> & {
  answers: QuestionAnswer['answers'] | null
  message?: string
  form?: FormReply
}

function questionReply(request: InboxRequest, answer: Answer): QuestionReply {
  if ('decision' in answer) {
    if (answer.decision !== 'deny') throw answerInvalid(request, 'It is a question: send answers.')
    const { message } = refusal(request, answer)
    return { answers: null, ...(message !== undefined && { message }) }
  }
  if (!('answers' in answer)) throw answerInvalid(request, 'It is a question: send answers.')
  const { answers, notes } = answer
  const known = new Set(request.questions.map((question) => question.question))
  const asked = [...Object.keys(answers), ...Object.keys(notes ?? {})]
  const unknown = asked.find((question) => !known.has(question))
  if (unknown !== undefined) throw answerInvalid(request, `It has no question ${JSON.stringify(unknown)}.`)
  if (Object.keys(answers).length === 0)
    throw answerInvalid(request, 'answers is empty. Answer at least one question.')
  return { answers, ...(notes && { notes }) }
}

function formReply(request: InboxRequest, form: Form, answer: Answer): QuestionReply {
  const { action, content } = replyOf(request, form, answer)
  if (action !== 'accept') {
    if (content) throw answerInvalid(request, 'Only accept can carry content.')
    return { answers: null, form: { action } }
  }
  if (form.url !== undefined) {
    if (content) throw answerInvalid(request, 'It asks to open a page and accepts no content.')
    return { answers: null, form: { action } }
  }
  const problems = problemsOfForm(form, content ?? {})
  if (problems.length > 0) throw answerInvalid(request, problems.join(' '))
  return { answers: null, form: { action, content: content ?? {} } }
}

/** Clients without support for forms can allow and deny them like any other request. */
function replyOf(request: InboxRequest, form: Form, answer: Answer): FormReply {
  if ('action' in answer) return answer
  if (!('decision' in answer)) {
    throw answerInvalid(
      request,
      `It is a form of the MCP server ${form.server}: send an action and its content.`,
    )
  }
  if (answer.decision === 'deny') {
    refusal(request, answer)
    return { action: 'decline' }
  }
  if (answer.decision === 'allowAll' || answer.until !== undefined || answer.mode !== undefined) {
    throw answerInvalid(request, 'A form accepts only allow, with the content as updatedInput, or deny.')
  }
  const reply = FormReply.safeParse({
    action: 'accept',
    ...(answer.updatedInput && { content: answer.updatedInput }),
  })
  if (reply.success) return reply.data
  throw answerInvalid(request, 'A value must be a string, a number, a boolean or a list of strings.')
}

function refusal(request: InboxRequest, answer: PermissionAnswer): PermissionAnswer {
  const { updatedInput, until, mode } = answer
  if (!updatedInput && until === undefined && mode === undefined) return answer
  throw answerInvalid(request, 'deny cannot carry updatedInput, until or mode.')
}

function answerInvalid({ id }: InboxRequest, problem: string): HubError {
  return new HubError('answer_invalid', `Invalid answer to request ${id}. ${problem}`, { requestId: id })
}
