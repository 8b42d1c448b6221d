/**
 * Answers that were acknowledged and had not reached the agent when its process crashed. A call is recorded
 * as started before the process learns that it is allowed, so an answer without that record was not used: it
 * still counts when the call is made again. A call that may have run is never run again without asking; a
 * question can be answered again.
 */

import type { EventDraft, EventType } from '../protocol/event/event.js'
import type { Request } from '../protocol/request.js'
import type { Session } from '../protocol/session.js'
import type { Store } from '../store/port.js'

const STARTED: readonly EventType[] = ['tool.started']
const PAGE = 1_000

export interface UnusedAnswer {
  request: Request
  /** Whether the agent may have got it all the same. */
  isUncertain: boolean
  /** Whether it counts when the call is made again. */
  mayCountAgain: boolean
}

/** `session`: the snapshot from before its open ends were closed. */
export async function unusedAnswers(
  session: Session,
  store: Pick<Store, 'requests' | 'readSession'>,
): Promise<UnusedAnswer[]> {
  const answered: Request[] = []
  const open = new Set(Object.keys(session.pendingTools))
  if (open.size === 0) return []
  // What still waits has no answer, and needs no look at its call: there may be thousands of such sessions.
  for (const { toolUseId } of await store.requests({ sessionId: session.id, state: 'pending' }))
    if (toolUseId !== null) open.delete(toolUseId)
  for (const toolUseId of open) {
    const newest = (await store.requests({ sessionId: session.id, toolUseId })).at(-1)
    if (newest?.resolution?.by === 'person' && !newest.isParked) answered.push(newest)
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
  return uncertain.map(({ request }) => ({
    type: 'notice.raised',
    data: {
      level: 'warning',
      topic: 'answer_uncertain',
      text: `"${request.title}" was allowed right before Signalbox was restarted. It may have run or not: check before you continue the turn. It is asked again.`,
    },
  }))
}

async function startedCalls(sessionId: string, store: Pick<Store, 'readSession'>): Promise<Set<string>> {
  const started = new Set<string>()
  for (let after = 0; ; ) {
    const page = await store.readSession(sessionId, { after, types: STARTED, limit: PAGE })
    for (const { event } of page) if (event.type === 'tool.started') started.add(event.data.toolUseId)
    if (page.length < PAGE) return started
    after = page.at(-1)?.event.seq ?? after
  }
}
