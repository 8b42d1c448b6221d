/** Writes an attributed change down: keeps its states for the sessions that made it, and describes it in their logs. */

import type { IdSource } from '../lib/id.js'
import { MAX_LISTED_FILES } from '../protocol/change/change.js'
import type { DataOf } from '../protocol/event/event.js'
import type { AttributedChange, RunningCall } from './attribution.js'
import { shownPath } from './byte-path.js'
import type { Meta } from './snapshot/meta.js'
import type { SessionRefs } from './snapshot/session-refs.js'
import type { SnapshotStore, State } from './snapshot/snapshot-store.js'
import type { FileDifference, StateDifference } from './snapshot/state-diff.js'
import { summarise } from './summary.js'

export interface RecordDeps {
  store: SnapshotStore
  refs: SessionRefs
  ids: IdSource
}

export interface SessionRecord {
  sessionId: string
  data: DataOf<'changes.recorded'>
}

const MAX_UNCOVERED = 20

/** One event for each session whose calls can have made it, with the same id. */
export async function recordChange(change: AttributedChange, deps: RecordDeps): Promise<SessionRecord[]> {
  const { store, refs, ids } = deps
  const { difference, between, calls } = change
  const states = change.isWhole ? between : await partialStates(store, difference, between)
  const { before, after } = states
  const summary = await summarise(store.git, { before: before.tree, after: after.tree }, difference, store)
  const changeId = ids.next('chg')
  const sessionIds = [...new Set(calls.map(({ sessionId }) => sessionId))]
  const records: SessionRecord[] = []
  for (const sessionId of sessionIds) {
    const own = calls.filter((call) => call.sessionId === sessionId)
    const uncovered = difference.left.slice(0, MAX_UNCOVERED).map(shownPath)
    records.push({
      sessionId,
      data: {
        changeId,
        source: sourceOf(calls),
        ...callsOf(own),
        ...(sessionIds.length > 1 && { isShared: true }),
        before: await refs.keep(sessionId, before),
        after: await refs.keep(sessionId, after),
        files: summary.files.slice(0, MAX_LISTED_FILES),
        totals: summary.totals,
        ...(uncovered.length > 0 && { uncovered }),
      },
    })
  }
  return records
}

function sourceOf(calls: readonly RunningCall[]): DataOf<'changes.recorded'>['source'] {
  if (calls.every(({ isTerminal }) => isTerminal)) return 'terminal'
  return calls.every(({ isBackground }) => isBackground) ? 'background' : 'call'
}

function callsOf(calls: readonly RunningCall[]) {
  const agents = new Set(calls.map(({ agentId }) => agentId))
  const [agentId] = agents
  return {
    turnId: calls[0]?.turnId ?? null,
    toolUseIds: calls.filter(({ isTerminal }) => !isTerminal).map(({ toolUseId }) => toolUseId),
    ...(agents.size === 1 && agentId !== undefined && { agentId }),
  }
}

/** States with these files alone: others changed at the same time, and were made by someone else. */
export async function partialStates(
  { trees }: SnapshotStore,
  { files, folders }: StateDifference,
  { before, after }: AttributedChange['between'],
): Promise<{ before: PartialState; after: PartialState }> {
  const side = async (key: 'before' | 'after', state: State): Promise<PartialState> => ({
    tree: await trees.ofEntries(files.map((file) => ({ path: file.path, after: file[key] }))),
    meta: partialMeta(state.meta, files, (file) => file[key], folders, key === 'after'),
  })
  return { before: await side('before', before), after: await side('after', after) }
}

type PartialState = Omit<State, 'metaId'>

function partialMeta(
  { usual }: Meta,
  files: readonly FileDifference[],
  entryOf: (file: FileDifference) => FileDifference['after'],
  folders: StateDifference['folders'],
  isAfter: boolean,
): Meta {
  const modes = new Map<string, number>()
  for (const file of files) {
    const entry = entryOf(file)
    if (entry && entry.kind !== 'link' && entry.mode !== usual[entry.kind]) modes.set(file.path, entry.mode)
  }
  const present = folders.filter(({ isNew }) => isNew === isAfter).map(({ path }) => path)
  return { usual, modes, folders: new Set(present), left: new Map() }
}
