/** Groups and filters the session list. Sessions that need the user come first, the newest first in each group. */

import type { Session, SessionState } from '../../../../src/protocol/index.js'
import { needsUser } from '../condition-label.js'
import { folderName, sessionName } from '../session-label.js'

export const GROUPS = ['waiting', 'working', 'idle', 'ended'] as const
export type Group = (typeof GROUPS)[number]

const GROUP_OF: Readonly<Record<SessionState, Group>> = {
  permission: 'waiting',
  question: 'waiting',
  working: 'working',
  idle: 'idle',
  ended: 'ended',
}

export type ListEntry = { group: Group; size: number } | { session: Session }

export interface Filter {
  text: string
  group: Group | null
}

export function listEntries(sessions: Iterable<Session>, { text, group }: Filter): ListEntry[] {
  const query = text.trim().toLowerCase()
  const found = new Map<Group, Session[]>(GROUPS.map((name) => [name, []]))
  for (const session of sessions) {
    const own = needsUser(session) ? 'waiting' : GROUP_OF[session.state]
    if (group !== null && own !== group) continue
    if (query === '' || matchesText(session, query)) found.get(own)?.push(session)
  }
  return GROUPS.flatMap((name): ListEntry[] => {
    const list = found.get(name) ?? []
    if (list.length === 0) return []
    const newestFirst = list.toSorted((a, b) => (a.id < b.id ? 1 : -1))
    return [{ group: name, size: list.length }, ...newestFirst.map((session) => ({ session }))]
  })
}

function matchesText(session: Session, query: string): boolean {
  const { cwd, model, lastText, id } = session
  return [sessionName(session), folderName(cwd), cwd, model ?? '', lastText ?? '', id].some((text) =>
    text.toLowerCase().includes(query),
  )
}
