/** Sessions and requests: single, listed, counted. */

import { groupBy } from '../../lib/group-by.js'
import { searchedText } from '../../protocol/search.js'
import { isActive } from '../plan.js'
import { DEFAULT_LIMIT } from '../port/filter.js'
import type { Store } from '../port.js'
import { type Content, upTo } from './content.js'

export function createSessionList({
  log,
  sessions,
  requests,
  deletedConversations,
}: Content): Pick<
  Store,
  | 'session'
  | 'sessions'
  | 'activeSessions'
  | 'externalIds'
  | 'knownConversations'
  | 'counts'
  | 'request'
  | 'requests'
> {
  return {
    session: async (id) => sessions.get(id) ?? null,
    activeSessions: async (machine) =>
      [...sessions.values()]
        .filter((session) => session.kind === 'managed' && session.machine === machine && isActive(session))
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    sessions: async ({
      state,
      kind,
      machine,
      cwd,
      condition,
      isArchived,
      isEnded,
      tag,
      claudeSessionId: claude,
      externalId,
      isActive: active,
      text,
      before,
      limit,
    } = {}) =>
      [...sessions.values()]
        .toReversed()
        .filter((session) => state === undefined || session.state === state)
        .filter((session) => kind === undefined || session.kind === kind)
        .filter((session) => machine === undefined || session.machine === machine)
        .filter((session) => cwd === undefined || session.cwd === cwd)
        .filter((session) => condition === undefined || session.condition === condition)
        .filter((session) => isArchived === undefined || session.isArchived === isArchived)
        .filter(({ state: now }) => isEnded === undefined || (now === 'ended') === isEnded)
        .filter((session) => tag === undefined || session.tags.includes(tag))
        .filter((session) => claude === undefined || session.claudeSessionId === claude)
        .filter((session) => externalId === undefined || session.externalId === externalId)
        .filter((session) => active === undefined || isActive(session) === active)
        .filter((session) => text === undefined || searchedText(session).includes(text.toLowerCase()))
        .filter((session) => before === undefined || session.id < before)
        .slice(0, limit),
    externalIds: async () =>
      new Map([...sessions.values()].flatMap(({ id, externalId }) => (externalId ? [[id, externalId]] : []))),
    knownConversations: async (ids) =>
      ids.flatMap((claudeSessionId) => {
        const session = [...sessions.values()].find((one) => one.claudeSessionId === claudeSessionId)
        if (!session) return deletedConversations.filter((one) => one.claudeSessionId === claudeSessionId)
        const { id: sessionId, kind, conversation } = session
        return [{ claudeSessionId, sessionId, kind, isAdopted: conversation.kind === 'adopted' }]
      }),
    counts: async () => {
      const states = groupBy(sessions.values(), (session) => session.state)
      const pending = [...requests.values()].filter((request) => request.state === 'pending')
      return {
        sessions: Object.fromEntries([...states].map(([state, members]) => [state, members.length])),
        pendingRequests: pending.length,
        events: log.length,
      }
    },
    request: async (id) => requests.get(id) ?? null,
    requests: async ({ state, sessionId, toolUseId, after, limit, maxBytes } = {}) => {
      const found = [...requests.values()]
        .filter((request) => toolUseId === undefined || request.toolUseId === toolUseId)
        .filter((request) => state === undefined || request.state === state)
        .filter((request) => sessionId === undefined || request.sessionId === sessionId)
        .filter((request) => after === undefined || request.id > after)
        .toSorted((one, other) => (one.id < other.id ? -1 : 1))
      return upTo(maxBytes, found.slice(0, limit ?? DEFAULT_LIMIT), (request) => request)
    },
  }
}
