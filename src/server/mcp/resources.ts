/** Resources of the MCP server: sessions, the inbox, one session and its transcript. */

import type { Published } from '../../journal/journal.js'
import { HubError } from '../../protocol/error.js'
import { SessionId } from '../../protocol/id.js'
import { readInbox, readSession, readTranscript } from './read-tools.js'
import { sessionSummary } from './summary.js'
import type { CallRoute } from './tool.js'
import { TRANSCRIPT_TYPES } from './transcript-entry.js'

const SESSIONS = 'signalbox://sessions'
const INBOX = 'signalbox://inbox'
const LISTED = 50

const JSON_TYPE = 'application/json'
export const RESOURCES = [
  { uri: SESSIONS, name: 'sessions', title: 'Sessions that have not ended', mimeType: JSON_TYPE },
  { uri: INBOX, name: 'inbox', title: 'Requests that wait for an answer', mimeType: JSON_TYPE },
]
export const TEMPLATES = [
  { uriTemplate: `${SESSIONS}/{id}`, name: 'session', title: 'One session', mimeType: JSON_TYPE },
  {
    uriTemplate: `${SESSIONS}/{id}/transcript`,
    name: 'transcript',
    title: 'The newest part of a transcript',
    mimeType: JSON_TYPE,
  },
]

const MISSING = 'No such resource. List them with resources/list.'

type Place = { kind: 'sessions' } | { kind: 'inbox' } | { kind: 'session' | 'transcript'; id: string }

export function placeOf(uri: string): Place {
  if (uri === SESSIONS) return { kind: 'sessions' }
  if (uri === INBOX) return { kind: 'inbox' }
  const [, id, rest] = /^signalbox:\/\/sessions\/([^/]+)(\/transcript)?$/.exec(uri) ?? []
  if (id !== undefined && SessionId.safeParse(id).success)
    return { kind: rest === undefined ? 'session' : 'transcript', id }
  throw new HubError('route_not_found', MISSING, {}, { plainText: MISSING })
}

export async function readResource(uri: string, call: CallRoute): Promise<unknown> {
  const place = placeOf(uri)
  switch (place.kind) {
    case 'sessions': {
      const { sessions, nextCursor } = await call('listSessions', {
        query: { ended: 'false', limit: LISTED },
      })
      return { sessions: sessions.map(sessionSummary), nextCursor }
    }
    case 'inbox':
      return readInbox(call)
    case 'session':
      return readSession(place.id, call)
    case 'transcript':
      return readTranscript(place.id, {}, call)
  }
}

const IN_TRANSCRIPT: ReadonlySet<string> = new Set(TRANSCRIPT_TYPES)
const IN_INBOX = /^(?:permission|question|request)\./
const IN_LIST = /^(?:session|turn|permission|question|worktree)\.|^message\.queued$/

/** The resources that an event changes. Deltas change none. */
export function changedBy({ event, position }: Published): string[] {
  if (position === undefined) return []
  const { type, sessionId } = event
  return [
    ...(IN_LIST.test(type) ? [SESSIONS] : []),
    ...(IN_INBOX.test(type) ? [INBOX] : []),
    `${SESSIONS}/${sessionId}`,
    ...(IN_TRANSCRIPT.has(type) ? [`${SESSIONS}/${sessionId}/transcript`] : []),
  ]
}
