/** Sessions and requests as MCP clients see them: the fields that help to decide, named one by one. Pure. */

import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'

export function sessionSummary(session: Session) {
  const { id, name, kind, state, activity, condition, cwd, branch, model, permissionMode } = session
  const { parentId, turns, costUsd, createdAt, updatedAt, endedAt, outcome, reason, lastSeq } = session
  return {
    id,
    name,
    kind,
    state,
    activity,
    condition,
    cwd,
    branch,
    model,
    permissionMode,
    parentId,
    pendingRequests: session.pendingRequests,
    queuedMessages: session.queue.length,
    turns,
    costUsd,
    latest: session.latest,
    lastText: session.lastText,
    failure: session.failure?.message ?? null,
    completion: session.completion,
    createdAt,
    updatedAt,
    endedAt,
    outcome,
    reason,
    lastSeq,
  }
}

export function requestSummary(request: InboxRequest) {
  const { id, sessionId, kind, state, requestedAt, expiresAt, toolName, title, reason, input } = request
  const { severity, questions, plan, form, isParked, isOnlyInTerminal, resolution } = request
  return {
    id,
    sessionId,
    kind,
    state,
    requestedAt,
    expiresAt,
    toolName,
    title,
    reason,
    ...(severity !== undefined && { severity }),
    input,
    ...(questions.length > 0 && { questions }),
    ...(plan !== null && { plan }),
    ...(form && { form }),
    isParked,
    isOnlyInTerminal,
    resolution: resolution && {
      at: resolution.at,
      by: resolution.by,
      who: resolution.who,
      decision: resolution.decision ?? null,
    },
  }
}
