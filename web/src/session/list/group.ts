/**
 * Groups, filters and sorts the session list. Sessions that need the user come first, then by state or by folder;
 * pinned ones come first in each group.
 */

import type { Session, SessionState } from '../../../../src/protocol/index.js'
import { needsUser } from '../condition-label.js'
import { folderName, sessionName } from '../session-label.js'
import type { ListView, Sort } from './list-view.js'

export const GROUPS = ['waiting', 'working', 'idle', 'ended'] as const
export type Group = (typeof GROUPS)[number]

const GROUP_OF: Readonly<Record<SessionState, Group>> = {
  permission: 'waiting',
  question: 'waiting',
  working: 'working',
  idle: 'idle',
  ended: 'ended',
}

/** `folder` instead of a state, if the list is grouped by folder. */
export type ListEntry = { group: Group | null; folder: string | null; size: number } | { session: Session }

export interface Filter extends Pick<ListView, 'sort' | 'isByFolder' | 'showsArchived'> {
  text: string
  group: Group | null
}

export function listEntries(sessions: Iterable<Session>, filter: Filter): ListEntry[] {
  const query = filter.text.trim().toLowerCase()
  const states = new Map<Group, Session[]>(GROUPS.map((name) => [name, []]))
  const folders = new Map<string, Session[]>()
  for (const session of sessions) {
    const own = needsUser(session) ? 'waiting' : GROUP_OF[session.state]
    if (filter.group !== null && own !== filter.group) continue
    // An archived session that needs the user must not stay unseen.
    if (session.isArchived && !filter.showsArchived && own !== 'waiting') continue
    if (query !== '' && !matchesText(session, query)) continue
    if (filter.isByFolder && own !== 'waiting')
      folders.set(session.cwd, [...(folders.get(session.cwd) ?? []), session])
    else states.get(own)?.push(session)
  }
  const byFolder = [...folders].toSorted(([one], [other]) => (one < other ? -1 : 1))
  return [
    ...[...states].flatMap(([group, list]) => entriesOf({ group, folder: null }, list, filter.sort)),
    ...byFolder.flatMap(([folder, list]) => entriesOf({ group: null, folder }, list, filter.sort)),
  ]
}

function entriesOf(
  head: { group: Group | null; folder: string | null },
  list: readonly Session[],
  sort: Sort,
): ListEntry[] {
  if (list.length === 0) return []
  const compare = COMPARE[sort]
  const sorted = list.toSorted(
    (one, other) =>
      Number(other.isPinned) - Number(one.isPinned) || compare(one, other) || (one.id < other.id ? 1 : -1),
  )
  return [{ ...head, size: list.length }, ...sorted.map((session) => ({ session }))]
}

const COMPARE: Readonly<Record<Sort, (one: Session, other: Session) => number>> = {
  newest: () => 0,
  active: (one, other) => (one.updatedAt === other.updatedAt ? 0 : one.updatedAt < other.updatedAt ? 1 : -1),
  name: (one, other) => sessionName(one).localeCompare(sessionName(other)),
  cost: (one, other) => other.costUsd - one.costUsd,
}

function matchesText(session: Session, query: string): boolean {
  const { cwd, model, lastText, id, tags } = session
  return [sessionName(session), folderName(cwd), cwd, model ?? '', lastText ?? '', id, ...tags].some((text) =>
    text.toLowerCase().includes(query),
  )
}
