/**
 * Answers that were acknowledged and had not reached the agent when its process crashed. A call is recorded
 * as started before the process learns that it is allowed, so an answer without that record was not used: it
 * still counts when the call is made again. A call that may have run is never run again without asking; a
 * question can be answered again.
 * The form of an MCP server comes in the middle of a call that runs: whether the server got its answer is not known.
 */

import type { EventDraft, EventType, SessionEvent } from '../../protocol/event/event.js'
import { raiseNotice } from '../../protocol/event/notice.js'
import { reason } from '../../protocol/reason/reason.js'
import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'
import { isAnswered } from '../../protocol/value.js'
import type { RunnerStore } from '../../store/port/runner-store.js'

const STARTED: readonly EventType[] = ['tool.started']
const REQUESTED: readonly EventType[] = ['tool.requested']
const PAGE = 1_000

export interface UnusedAnswer {
  request: InboxRequest
  /** Whether the agent may have got it all the same. */
  isUncertain: boolean
  /** Whether it counts when the call is made again. */
  mayCountAgain: boolean
}

/** `session`: the snapshot from before its open ends were closed. */
export async function unusedAnswers(
  session: Session,
  store: Pick<RunnerStore, 'requests' | 'readSession'>,
): Promise<UnusedAnswer[]> {
  const answered: InboxRequest[] = []
  const open = new Set(Object.keys(session.pendingTools))
  if (open.size === 0) return []
  // A pending request has no answer, so its call need not be read: there may be thousands of such sessions.
  for (const { toolUseId } of await store.requests({ sessionId: session.id, state: 'pending' }))
    if (toolUseId !== null) open.delete(toolUseId)
  for (const toolUseId of open) {
    const newest = (await store.requests({ sessionId: session.id, toolUseId })).at(-1)
    if (newest && isAnswered(newest.resolution?.by) && !newest.isParked) answered.push(newest)
  }
  if (answered.length === 0) return []
  const started = await startedCalls(session.id, store)
  return answered.map((request) => {
    const isUncertain = started.has(request.toolUseId ?? '')
    return { request, isUncertain, mayCountAgain: !isUncertain || request.kind === 'question' }
  })
}

/** Notices for calls that were allowed and may have run. */
export function uncertainNotices(unused: readonly UnusedAnswer[]): EventDraft[] {
  const uncertain = unused.filter(({ mayCountAgain }) => !mayCountAgain)
  return uncertain.map(({ request: { title } }) =>
    raiseNotice('warning', 'answer_uncertain', reason('notice.call-uncertain', { title })),
  )
}

/**
 * Forms that were answered in a call that was cut off. If the server has the answer, the same one once more could do the same again, so
 * the user is asked again.
 */
export async function uncertainForms(
  { id: sessionId, pendingTools }: Session,
  store: Pick<RunnerStore, 'requests' | 'readSession'>,
): Promise<EventDraft[]> {
  const calls = Object.entries(pendingTools).filter(([, name]) => name.startsWith('mcp__'))
  if (calls.length === 0) return []
  const resolved = await store.requests({ sessionId, state: 'resolved', after: 'que_' })
  const forms = resolved.filter(
    ({ form, resolution, isParked }) => form && isAnswered(resolution?.by) && !isParked,
  )
  if (forms.length === 0) return []
  const since = await requestTimes(sessionId, store)
  const isOpen = ({ form, requestedAt }: InboxRequest) =>
    calls.some(
      ([toolUseId, name]) =>
        name.startsWith(`mcp__${form?.server}__`) && requestedAt >= (since.get(toolUseId) ?? requestedAt),
    )
  return forms
    .filter(isOpen)
    .map(({ title, form }) =>
      raiseNotice(
        'warning',
        'answer_uncertain',
        reason('notice.form-uncertain', { title, server: form?.server ?? '' }),
      ),
    )
}

/** When each call was made. */
async function requestTimes(
  sessionId: string,
  store: Pick<RunnerStore, 'readSession'>,
): Promise<ReadonlyMap<string, string>> {
  const times = new Map<string, string>()
  for await (const event of eventsOf(sessionId, REQUESTED, store))
    if (event.type === 'tool.requested') times.set(event.data.toolUseId, event.at)
  return times
}

async function startedCalls(
  sessionId: string,
  store: Pick<RunnerStore, 'readSession'>,
): Promise<Set<string>> {
  const started = new Set<string>()
  for await (const event of eventsOf(sessionId, STARTED, store))
    if (event.type === 'tool.started') started.add(event.data.toolUseId)
  return started
}

async function* eventsOf(
  sessionId: string,
  types: readonly EventType[],
  store: Pick<RunnerStore, 'readSession'>,
): AsyncGenerator<SessionEvent> {
  for (let after = 0; ; ) {
    const page = await store.readSession(sessionId, { after, types, limit: PAGE })
    for (const { event } of page) yield event
    if (page.length < PAGE) return
    after = page.at(-1)?.event.seq ?? after
  }
}
