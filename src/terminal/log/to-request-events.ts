/** What a terminal asks its person, as requests of the inbox, and what became of them there. Pure. */

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

/** Dialogs that Claude Code opens without naming a tool. */
const UNNAMED = 'unknown'
const PLAN = 'ExitPlanMode'

/** The request of a line has an id that follows from the line's: the hook that holds the line can name it. */
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

/** Whether the call that a line tells the result of is the one that was asked about. */
export function isAnsweredBy({ toolName, input }: InboxRequest, fields: Loose): boolean {
  if (toolName !== fields['toolName']) return false
  // Answers are added to the input of a question.
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
