/** Reduces events to the snapshot of a session. Pure; used by the server, the CLI and the dashboard. */

import { LOCAL_MACHINE } from '../choice.js'
import { isDelta } from '../event/delta.js'
import type { Delta, EventOf, SessionEvent } from '../event/event.js'
import type { Grant } from '../event/request-event.js'
import type { SessionState } from '../event/session-event.js'
import type { Session } from '../session.js'
import { addUsage, NO_USAGE, subtractUsage } from '../usage/usage-sum.js'
import type { DecidedBy, Usage } from '../value.js'
import { conditionAfter, failureAfter } from './condition.js'
import { latestAfter } from './latest.js'
import { previewOf } from './preview.js'
import { nameFromPrompt } from './session-name.js'
import { partialAfter } from './streaming-block.js'

/** The snapshot is stored with every event, so long queued messages are truncated. */
const QUEUED_CHARACTERS = 10_000
const PREVIEW_CHARACTERS = 400

/** The snapshot after an event or a delta. Null before `session.created`; unknown events change nothing. */
export function applyEvent(view: Session | null, event: SessionEvent | Delta): Session | null {
  if (event.type === 'session.created') return view ?? createView(event)
  if (!view) return null
  const partial = partialAfter(view.partial, event)
  if (isDelta(event)) return { ...view, partial }
  const failure = failureAfter(view, event)
  const changes = { ...changesOf(view, event), failure, partial, lastSeq: event.seq, updatedAt: event.at }
  const changed = { ...view, ...changes }
  return { ...changed, ...conditionAfter(view, changed, event), state: stateOf(changed) }
}

export function applyEvents(view: Session | null, events: Iterable<SessionEvent | Delta>): Session | null {
  let result = view
  for (const event of events) result = applyEvent(result, event)
  return result
}

function createView(event: EventOf<'session.created'>): Session {
  const { kind, cwd, title, model, permissionMode, parentId, agent, policy, options, conversation } =
    event.data
  const { parentToolUseId = null, externalId = null, machine = LOCAL_MACHINE } = event.data
  return {
    ...nothingHappened,
    id: event.sessionId,
    kind,
    title,
    name: title,
    externalId,
    machine,
    cwd,
    model,
    permissionMode,
    parentId,
    parentToolUseId,
    claudeSessionId: conversation.id,
    conversation,
    agent,
    policy: policy ?? null,
    options,
    lastSeq: event.seq,
    createdAt: event.at,
    updatedAt: event.at,
  }
}

/** Initial values of a snapshot. */
export const nothingHappened = {
  name: null,
  isPinned: false,
  isArchived: false,
  tags: [],
  worktree: null,
  branch: null,
  resumeAt: null,
  thinkingTokens: null,
  effort: null,
  state: 'idle',
  activity: null,
  condition: null,
  conditionDetail: null,
  failure: null,
  process: 'none',
  turn: null,
  partial: null,
  pendingTools: {},
  pendingHooks: {},
  agents: {},
  tasks: {},
  pendingRequests: [],
  parkedRequests: [],
  grants: [],
  queue: [],
  stopping: null,
  overlaps: {},
  staleFiles: [],
  completion: null,
  isInterrupted: false,
  turns: 0,
  contextTokens: null,
  usage: NO_USAGE,
  modelUsage: {},
  costUsd: 0,
  lastPrompt: null,
  lastText: null,
  latest: null,
  endedAt: null,
  outcome: null,
  reason: null,
} satisfies { [Field in keyof Session]?: Session[Field] }

function usageInTurn(view: Session, usage: Usage): Changes {
  if (!view.turn) return {}
  return { turn: { ...view.turn, usage }, usage: addUsage(usageBeforeTurn(view), usage) }
}

function usageBeforeTurn({ usage, turn }: Session): Usage {
  return turn?.usage ? subtractUsage(usage, turn.usage) : usage
}

/** Waiting for the user takes precedence over working. */
function stateOf(view: Session): SessionState {
  if (view.endedAt) return 'ended'
  const [request] = view.pendingRequests
  if (request) return request.startsWith('que_') ? 'question' : 'permission'
  return view.turn ? 'working' : 'idle'
}

type Changes = { -readonly [Key in keyof Session]?: Session[Key] }

function changesOf(view: Session, event: SessionEvent): Changes {
  switch (event.type) {
    case 'session.started': {
      const { claudeSessionId, model, permissionMode } = event.data
      return { claudeSessionId, model, permissionMode, resumeAt: null }
    }
    case 'session.changed': {
      const { state, by: _, turnUsage, summary, condition: __, conditionDetail: ___, ...rest } = event.data
      // The state is derived from the rest of the snapshot. Only an ended session is reopened by an event.
      const isReopened = view.endedAt !== null && state !== undefined && state !== 'ended'
      const changes = {
        ...rest,
        ...(turnUsage && usageInTurn(view, turnUsage)),
        ...titleChange(view, rest.title, summary),
      }
      return isReopened ? { ...changes, endedAt: null, outcome: null, reason: null } : changes
    }
    case 'session.stopping':
      return { stopping: event.data }
    case 'session.ended':
      return {
        stopping: null,
        endedAt: event.at,
        outcome: event.data.outcome,
        reason: event.data.reason,
        activity: null,
        process: 'none',
      }
    case 'message.queued': {
      const { messageId, text: whole, whenBusy, from, content } = event.data
      const text = previewOf(whole, QUEUED_CHARACTERS)
      const hasContent = content !== undefined || text !== whole
      const message = { messageId, text, whenBusy, from, queuedAt: event.at, seq: event.seq, hasContent }
      return {
        queue: [...view.queue, message],
        name: view.name ?? nameFromPrompt(whole),
        lastPrompt: previewOf(whole, PREVIEW_CHARACTERS),
      }
    }
    case 'message.delivered':
    case 'message.cancelled':
      return { queue: view.queue.filter((message) => message.messageId !== event.data.messageId) }
    case 'turn.started': {
      const { turnId: id, messageIds, origin } = event.data
      return {
        turn: { id, messageIds, origin, startedAt: event.at },
        isInterrupted: false,
        completion: null,
        ...(messageIds.length > 0 && { staleFiles: [] }),
      }
    }
    case 'turn.ended': {
      const { turnId, usage, modelUsage, costUsd, isScripted, stopReason } = event.data
      // A late event: the end of an older turn does not end the running one.
      const isOther = view.turn !== null && view.turn.id !== turnId
      return {
        ...(!isOther && {
          isInterrupted: stopReason === 'crashed' || stopReason === 'daemon_restarted',
          turn: null,
          activity: null,
        }),
        turns: view.turns + 1,
        usage: usage ? addUsage(usageBeforeTurn(view), usage) : view.usage,
        modelUsage: addModelUsage(view.modelUsage, modelUsage ?? {}),
        ...(isScripted
          ? { scriptedCostUsd: (view.scriptedCostUsd ?? 0) + (costUsd ?? 0) }
          : { costUsd: view.costUsd + (costUsd ?? 0) }),
      }
    }
    case 'worktree.created': {
      const { by: _, ...worktree } = event.data
      return { worktree: { ...worktree, setup: null, isRemoved: false } }
    }
    case 'worktree.changed':
      if (event.data.action !== 'remove' || !view.worktree) return {}
      return { worktree: { ...view.worktree, isRemoved: true } }
    case 'setup.started':
      return view.worktree ? { worktree: { ...view.worktree, setup: 'running' } } : {}
    case 'setup.ended':
      return view.worktree ? { worktree: { ...view.worktree, setup: event.data.outcome } } : {}
    case 'changes.undone':
      return {
        staleFiles: withStale(
          view,
          event.data.files.map(({ path }) => path),
        ),
      }
    case 'changes.overlapped': {
      const { sessionId, files } = event.data
      const overlaps = { ...view.overlaps, [sessionId]: (view.overlaps[sessionId] ?? 0) + files.length }
      return { overlaps, staleFiles: withStale(view, files) }
    }
    case 'context.compacted':
      return { contextTokens: event.data.postTokens }
    case 'usage.recorded': {
      const modelUsage = addModelUsage(view.modelUsage, event.data.models)
      const costs = Object.values(modelUsage).map(({ costUsd }) => costUsd)
      return {
        usage: addAll(view.usage, event.data.models),
        modelUsage,
        // A terminal reports its usage in no other way. The sum, because older versions did not count it.
        ...(view.kind === 'observed' && { costUsd: costs.reduce((sum, cost) => sum + cost, 0) }),
      }
    }
    case 'text.ended':
      return { lastText: previewOf(event.data.text, PREVIEW_CHARACTERS), ...latestAfter(view, event) }
    case 'tool.requested': {
      const { toolUseId, name } = event.data
      return { pendingTools: { ...view.pendingTools, [toolUseId]: name }, ...latestAfter(view, event) }
    }
    case 'completion.recorded': {
      const { result, success } = event.data
      return { completion: { result: previewOf(result, PREVIEW_CHARACTERS), success } }
    }
    case 'tool.ended':
      return { pendingTools: without(view.pendingTools, event.data.toolUseId) }
    case 'hook.started': {
      const { hookId, command } = event.data
      return { pendingHooks: { ...view.pendingHooks, [hookId]: command } }
    }
    case 'hook.ended':
      return { pendingHooks: without(view.pendingHooks, event.data.hookId) }
    case 'agent.started': {
      const { agentId, agentType: type, description = null } = event.data
      return { agents: { ...view.agents, [agentId]: { type, description } } }
    }
    case 'agent.ended':
      return { agents: without(view.agents, event.data.agentId) }
    case 'task.started': {
      const { taskId, kind, description = null } = event.data
      return { tasks: { ...view.tasks, [taskId]: { kind, description } } }
    }
    case 'task.ended':
      return { tasks: without(view.tasks, event.data.taskId) }
    case 'permission.requested':
    case 'question.requested':
      return { pendingRequests: [...view.pendingRequests, event.data.requestId] }
    case 'permission.resolved':
      return {
        ...settled(view, event.data),
        grants: event.data.grant ? withGrant(view.grants, event.data.grant, event.at) : view.grants,
      }
    case 'question.resolved':
      return settled(view, event.data)
    case 'request.parked':
      return { parkedRequests: [...view.parkedRequests, event.data.requestId] }
    case 'request.revived':
    case 'request.lapsed':
      return { parkedRequests: view.parkedRequests.filter((id) => id !== event.data.requestId) }
    case 'grant.revoked': {
      const { tool, command } = event.data
      return { grants: view.grants.filter((grant) => grant.tool !== tool || grant.command !== command) }
    }
    // Other events do not change the snapshot. Includes unknown events of newer versions.
    default:
      return {}
  }
}

/** Claude's own title counts once, and only where no user has given one. */
function titleChange(view: Session, title: string | undefined, summary: string | undefined): Changes {
  const given = title ?? (view.title === null ? summary : undefined)
  return given === undefined ? {} : { title: given, name: given }
}

const MAX_STALE_FILES = 100

function withStale({ staleFiles }: Session, files: readonly string[]): string[] {
  return [...new Set([...staleFiles, ...files])].slice(0, MAX_STALE_FILES)
}

function addModelUsage(sums: Session['modelUsage'], more: Session['modelUsage']): Session['modelUsage'] {
  const result = { ...sums }
  for (const [model, usage] of Object.entries(more)) {
    const known = result[model]
    const costUsd = (known?.costUsd ?? 0) + usage.costUsd
    result[model] = { ...addUsage(known ?? NO_USAGE, usage), costUsd, contextWindow: usage.contextWindow }
  }
  return result
}

/** Drops expired grants and duplicates, which would only make the snapshot larger. */
function withGrant(grants: readonly Grant[], more: Grant, now: string): Grant[] {
  const same = JSON.stringify(more)
  const isKept = (grant: Grant) => {
    if (grant.until !== undefined && grant.until <= now) return false
    return JSON.stringify(grant) !== same
  }
  return [...grants.filter(isKept), more]
}

function without<Value>(record: Record<string, Value>, key: string): Record<string, Value> {
  const { [key]: _, ...rest } = record
  return rest
}

function settled(
  { pendingRequests, parkedRequests }: Session,
  { requestId, by }: { requestId: string; by: DecidedBy },
): Changes {
  return {
    pendingRequests: pendingRequests.filter((id) => id !== requestId),
    // An answered request stays parked until the agent repeats the call. After `shutdown` there is no answer to
    // deliver.
    parkedRequests: by === 'shutdown' ? parkedRequests.filter((id) => id !== requestId) : parkedRequests,
  }
}

function addAll(sum: Usage, models: Session['modelUsage']): Usage {
  return Object.values(models).reduce((usage, more) => addUsage(usage, more), sum)
}
