/** State of the live view: the lists, the selection, and the open dialog. */

import type { InboxRequest } from '../../protocol/request.js'
import type { Session } from '../../protocol/session.js'

export type Mode =
  | { kind: 'list' }
  | { kind: 'help' }
  | { kind: 'filter'; text: string }
  /** The complete text of a request, with a confirmation at its end. */
  | { kind: 'review'; requestId: string; top: number }
  | { kind: 'reason'; requestId: string; text: string }
  /** One question of a request after the other. */
  | { kind: 'answer'; requestId: string; answers: Record<string, string | string[]>; text: string }
  /** One field of a form after the other, with the lines typed so far. */
  | { kind: 'form'; requestId: string; at: number; lines: readonly string[]; text: string }
  | { kind: 'decline'; requestId: string }
  /** The conversation of a session; lines above the end. */
  | { kind: 'session'; sessionId: string; up: number }

export interface TopState {
  sessions: readonly Session[]
  requests: readonly InboxRequest[]
  link: 'connecting' | 'live' | 'lost'
  /** Id of a request or a session. It never moves to another one unless the user moves it. */
  selected: string | null
  filter: string
  mode: Mode
  message: string
  /** Requests whose answer is on its way. */
  answering: ReadonlySet<string>
  /** The end of a conversation. */
  tail: { sessionId: string; text: string } | null
}

export const START: TopState = {
  sessions: [],
  requests: [],
  link: 'connecting',
  selected: null,
  filter: '',
  mode: { kind: 'list' },
  message: '',
  answering: new Set(),
  tail: null,
}

export type Row = { kind: 'request'; request: InboxRequest } | { kind: 'session'; session: Session }

/** Requests first, oldest first; then sessions, those that changed last first. */
export function rowsOf({ sessions, requests, filter }: TopState): Row[] {
  const wanted = filter.toLowerCase()
  const fits = (...texts: (string | null)[]) => texts.some((text) => text?.toLowerCase().includes(wanted))
  const sessionOf = new Map(sessions.map((session) => [session.id, session]))
  return [
    ...requests
      .filter(({ title, sessionId }) => {
        const session = sessionOf.get(sessionId)
        return fits(title, session?.title ?? session?.name ?? null, session?.cwd ?? null)
      })
      .map((request) => ({ kind: 'request', request }) as const),
    ...sessions
      .filter(({ title, name, cwd }) => fits(title ?? name, cwd))
      .toSorted((one, other) => (one.updatedAt < other.updatedAt ? 1 : -1))
      .map((session) => ({ kind: 'session', session }) as const),
  ]
}

export function idOf(row: Row): string {
  return row.kind === 'request' ? row.request.id : row.session.id
}

/** The session that the selection concerns. */
export function selectedSession({ selected, sessions, requests }: TopState): string | null {
  const request = requests.find(({ id }) => id === selected)
  return request?.sessionId ?? sessions.find(({ id }) => id === selected)?.id ?? null
}

/** New lists from the daemon. A view of a request that is no longer pending closes: a key must not answer another one. */
export function withLists(
  state: TopState,
  lists: Partial<Pick<TopState, 'sessions' | 'requests'>>,
): TopState {
  const next = { ...state, ...lists }
  const isPending = (id: string) => next.requests.some((request) => request.id === id)
  const { mode, selected } = next
  const isGone = 'requestId' in mode && !isPending(mode.requestId)
  const wasSelected = selected !== null && state.requests.some(({ id }) => id === selected)
  const isAnswered = wasSelected && !isPending(selected ?? '')
  const [first] = rowsOf(next)
  const isFirstTime = selected === null && state.sessions.length + state.requests.length === 0
  return {
    ...next,
    ...(isGone && { mode: { kind: 'list' } as const }),
    ...(isAnswered &&
      !next.answering.has(selected ?? '') && { message: 'The request is no longer pending.' }),
    ...(isFirstTime && first && { selected: idOf(first) }),
    answering: new Set([...next.answering].filter(isPending)),
  }
}
