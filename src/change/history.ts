/** The recorded changes in the log of a session, and which of them a turn, a call or a subagent made. */

import type { Change, UndoChanges } from '../protocol/change/diff.js'
import { HubError } from '../protocol/error.js'
import type { EventOf } from '../protocol/event/event.js'
import type { Store } from '../store/port.js'

export type ChangeEvent = EventOf<'changes.recorded'> | EventOf<'changes.undone'>

export interface History {
  changes: readonly ChangeEvent[]
  /** Ids of turns, in their order. */
  turns: readonly string[]
  /** Messages that the agent has read, by the number of the event that says so. */
  messages: ReadonlyMap<string, number>
}

const TYPES = ['turn.started', 'message.delivered', 'changes.recorded', 'changes.undone'] as const
const PAGE = 500

export async function readHistory(store: Pick<Store, 'readSession'>, sessionId: string): Promise<History> {
  const changes: ChangeEvent[] = []
  const turns: string[] = []
  const messages = new Map<string, number>()
  for (let after = 0; ; ) {
    const page = await store.readSession(sessionId, { types: TYPES, after, limit: PAGE })
    for (const { event } of page) {
      if (event.type === 'turn.started') turns.push(event.data.turnId)
      if (event.type === 'message.delivered') messages.set(event.data.messageId, event.seq)
      if (event.type === 'changes.recorded' || event.type === 'changes.undone') changes.push(event)
    }
    const last = page.at(-1)
    if (!last) return { changes, turns, messages }
    after = last.event.seq
  }
}

/** Ids of changes that were undone, where that was not undone in turn. */
export function undoneIn({ changes }: History): Set<string> {
  const undone = new Set<string>()
  for (const { type, data } of changes.toReversed())
    if (type === 'changes.undone' && !data.isPartial && !undone.has(data.changeId))
      for (const id of data.undone) undone.add(id)
  return undone
}

export type Selection = Pick<UndoChanges, 'turn' | 'call' | 'agent' | 'changes' | 'to'>

/** Rejects an id that the session does not have. */
export function selectChanges(history: History, selection: Selection): ChangeEvent[] {
  const { changes } = history
  const { turn, call, agent, changes: ids, to } = selection
  if (ids !== undefined) {
    const found = changes.filter(({ data }) => ids.includes(data.changeId))
    if (found.length < new Set(ids).size)
      throw notFound('This session has no such change. List them with "signalbox diff ID --stat".')
    return found
  }
  const recorded = changes.filter((event) => event.type === 'changes.recorded')
  if (turn !== undefined) {
    const turnId = turnAt(history, turn)
    return recorded.filter(({ data }) => data.turnId === turnId)
  }
  if (call !== undefined) return recorded.filter(({ data }) => data.toolUseIds.includes(call))
  if (agent !== undefined) return recorded.filter(({ data }) => data.agentId === agent)
  if (to !== undefined) {
    const seq = history.messages.get(to)
    if (seq === undefined) throw notFound('The agent has read no such message.')
    return recorded.filter((event) => event.seq > seq)
  }
  return [...changes]
}

function turnAt({ turns }: History, turn: number): string {
  const turnId = turn > 0 ? turns[turn - 1] : turns.at(turn)
  if (turn === 0 || turnId === undefined)
    throw notFound(`The session has ${turns.length} turns. Turn ${turn} is none of them.`)
  return turnId
}

/** Whether calls besides these can have made a change. */
export function isMadeByOthers(
  event: ChangeEvent,
  chosen: readonly ChangeEvent[],
  { call }: Selection,
): boolean {
  if (event.type !== 'changes.recorded') return false
  if (event.data.isShared) return true
  if (call !== undefined) return event.data.toolUseIds.some((id) => id !== call)
  const calls = new Set(
    chosen.flatMap(({ type, data }) => (type === 'changes.recorded' && data.toolUseIds) || []),
  )
  return event.data.toolUseIds.some((id) => !calls.has(id))
}

/** The list that users see. */
export function listChanges(history: History): Change[] {
  const undone = undoneIn(history)
  return history.changes.map((event) => {
    const { changeId: id, files, totals, uncovered } = event.data
    const turnId = event.type === 'changes.recorded' ? event.data.turnId : null
    const turn = turnId === null ? -1 : history.turns.indexOf(turnId)
    return {
      id,
      seq: event.seq,
      at: event.at,
      turnId,
      turn: turn === -1 ? null : turn + 1,
      files,
      totals,
      ...(uncovered && { uncovered }),
      ...(event.type === 'changes.recorded' ? ofRecorded(event) : ofUndone(event)),
      isUndone: undone.has(id),
    }
  })
}

function ofRecorded({ data: { source, toolUseIds, agentId, isShared } }: EventOf<'changes.recorded'>) {
  return {
    source,
    toolUseIds,
    ...(agentId !== undefined && { agentId }),
    ...(isShared && { isShared }),
  }
}

function ofUndone({ data: { undone, by, isRedo } }: EventOf<'changes.undone'>) {
  return { source: 'undo' as const, toolUseIds: [], undone, by, ...(isRedo && { isRedo }) }
}

function notFound(message: string): HubError {
  return new HubError('change_not_found', message)
}
