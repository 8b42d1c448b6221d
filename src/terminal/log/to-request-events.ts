/** Translates dialogs of a terminal into requests of the inbox, and their answers in the terminal. Pure. */

import { digest } from '../../lib/digest.js'
import { idOfUuid } from '../../lib/id.js'
import { asRecord, asText, type Loose } from '../../lib/read-json.js'
import type { EventDraft } from '../../protocol/event/event.js'
import { reason, saying } from '../../protocol/reason/reason.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { Answers, Question } from '../../protocol/value.js'
import { describeCall } from '../../protocol/view/describe.js'
import type { SessionLifecycleEvent } from '../stream/event.js'
import { terminalGrant } from './grant.js'
import type { NewId } from './to-events.js'

/** Dialogs for which Claude Code names no tool. */
const UNNAMED = 'unknown'
const PLAN = 'ExitPlanMode'

/** Derived from the id of the line, so that the hook that wrote the line can name its request. */
export function requestIdOf(kind: 'per' | 'que', lineId: string): string | null {
  return idOfUuid(kind, lineId)
}

export function askedBy(event: SessionLifecycleEvent, { cwd }: Session, newId: NewId): EventDraft {
  const { id, phase, fields } = event
  const isQuestion = phase === 'waiting_question'
  const kind = isQuestion ? 'que' : 'per'
  const toolName = asText(fields['toolName']) ?? UNNAMED
  const input = fields['toolInput'] ?? null
  const agentId = asText(fields['agentId'])
  const call = {
    requestId: requestIdOf(kind, id) ?? newId(kind),
    toolUseId: null,
    toolName,
    input,
    inputDigest: digest(JSON.stringify(input)),
    ...(agentId !== null && { agentId }),
    inTerminal: true,
  }
  const message = asText(fields['message'])
  if (isQuestion) {
    const asked = Question.array().safeParse(asRecord(input)['questions'])
    const questions = asked.success ? asked.data : [{ question: message ?? 'The terminal asks a question.' }]
    return { type: 'question.requested', data: { ...call, questions } }
  }
  const { suggestions } = fields
  return {
    type: 'permission.requested',
    data: {
      ...call,
      title: toolName === UNNAMED && message !== null ? message : describeCall(toolName, input, cwd),
      ...saying(reason('terminal.asks')),
      suggestions: Array.isArray(suggestions) ? suggestions : [],
      ...(toolName === PLAN
        ? { plan: asText(asRecord(input)['plan']) ?? '' }
        : { grant: terminalGrant(toolName, input, call.inputDigest) }),
    },
  }
}

/** Whether a line reports the result of the call that this request is about. */
export function isAnsweredBy({ toolName, input }: InboxRequest, fields: Loose): boolean {
  if (toolName !== fields['toolName']) return false
  // The result of a question has the answers added to its input.
  const essence = (value: unknown) => JSON.stringify(asRecord(value)['questions'] ?? value)
  return essence(input) === essence(fields['toolInput'])
}

export function settleAnswered(request: InboxRequest, response: Loose): EventDraft {
  if (request.kind === 'permission') return settle(request, 'allow')
  const answers = Answers.safeParse(response['answers'])
  return {
    type: 'question.resolved',
    data: { ...byTerminal(request.id), answers: answers.success ? answers.data : null },
  }
}

export function settle(
  { id, kind }: InboxRequest,
  decision: 'allow' | 'deny',
  why = reason('terminal.answered'),
): EventDraft {
  if (kind === 'question')
    return { type: 'question.resolved', data: { ...byTerminal(id, why), answers: null } }
  return { type: 'permission.resolved', data: { ...byTerminal(id, why), decision, rule: null } }
}

function byTerminal(requestId: string, why = reason('terminal.answered')) {
  return { requestId, by: 'terminal' as const, who: null, via: 'terminal' as const, ...saying(why) }
}
