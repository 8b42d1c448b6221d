/** Tools that only read. */

import { z } from 'zod'
import { RequestId, SessionId } from '../../protocol/id.js'
import { UsageBy } from '../../protocol/usage/usage.js'
import { requestSummary, sessionSummary } from './summary.js'
import { type CallRoute, defineMcpTool } from './tool.js'
import { TRANSCRIPT_TYPES, transcriptEntry } from './transcript-entry.js'

const MAX_PAGE = 50
const Count = z.int().min(1).max(MAX_PAGE).default(20).describe('How many, at most 50')
/** Events of a transcript that are read without a place to begin. */
const NEWEST = 200

export const AnySession = z
  .union([SessionId, z.uuid()])
  .describe("The session's id, as list_sessions returns it")

export const readTools = [
  defineMcpTool({
    name: 'list_sessions',
    title: 'List sessions',
    description:
      'Lists agent sessions, newest first: state, folder, what each does, and how many requests wait.',
    route: 'listSessions',
    readOnly: true,
    args: z.strictObject({
      text: z.string().max(200).optional().describe('Only sessions with this text in name or folder'),
      state: z.enum(['active', 'ended', 'all']).default('active'),
      limit: Count,
      cursor: SessionId.optional().describe('nextCursor of the previous page'),
    }),
    async run({ text, state, limit, cursor }, call) {
      const { sessions, nextCursor } = await call('listSessions', {
        query: {
          ...(text !== undefined && { q: text }),
          ...(state !== 'all' && { ended: state === 'ended' ? 'true' : 'false' }),
          limit,
          ...(cursor !== undefined && { cursor }),
        },
      })
      return { sessions: sessions.map(sessionSummary), nextCursor }
    },
  }),
  defineMcpTool({
    name: 'get_session',
    title: 'Show a session',
    description: 'Shows the present state of one session.',
    route: 'getSession',
    readOnly: true,
    args: z.strictObject({ sessionId: AnySession }),
    run: ({ sessionId }, call) => readSession(sessionId, call),
  }),
  defineMcpTool({
    name: 'read_transcript',
    title: 'Read a transcript',
    description:
      'Reads the conversation of a session: messages, texts of the agent, tool calls, requests and results. ' +
      'Without "after" it begins near the end; pass nextCursor as "after" to read on.',
    route: 'listEvents',
    readOnly: true,
    args: z.strictObject({
      sessionId: AnySession,
      after: z.int().min(0).optional().describe('Only entries with a greater seq; 0 for the beginning'),
      limit: z.int().min(1).max(NEWEST).default(100),
    }),
    run: ({ sessionId, after, limit }, call) => readTranscript(sessionId, { after, limit }, call),
  }),
  defineMcpTool({
    name: 'search',
    title: 'Search',
    description: 'Searches all messages, texts and tool calls of all sessions, newest first.',
    route: 'search',
    readOnly: true,
    args: z.strictObject({
      query: z.string().min(1).max(500),
      sessionId: SessionId.optional(),
      limit: Count,
      cursor: z.int().min(0).optional().describe('nextCursor of the previous page'),
    }),
    run: ({ query, sessionId, limit, cursor }, call) =>
      call('search', {
        query: {
          q: query,
          ...(sessionId !== undefined && { sessionId }),
          limit,
          ...(cursor !== undefined && { cursor }),
        },
      }),
  }),
  defineMcpTool({
    name: 'get_usage',
    title: 'Show usage',
    description: 'Adds up tokens and cost by day, hour, session, model or project.',
    route: 'usage',
    readOnly: true,
    args: z.strictObject({
      by: UsageBy.default('day'),
      since: z.iso.date().optional().describe('Only from this day on, such as 2026-11-01'),
    }),
    run: ({ by, since }, call) => call('usage', { query: { by, ...(since !== undefined && { since }) } }),
  }),
  defineMcpTool({
    name: 'list_requests',
    title: 'List the inbox',
    description: 'Lists permissions and questions that wait for an answer, oldest first.',
    route: 'listRequests',
    readOnly: true,
    args: z.strictObject({
      sessionId: SessionId.optional(),
      limit: Count,
      cursor: RequestId.optional().describe('nextCursor of the previous page'),
    }),
    run: ({ sessionId, limit, cursor }, call) => readInbox(call, { sessionId, limit, cursor }),
  }),
]

export async function readSession(id: string, call: CallRoute) {
  return { session: sessionSummary((await call('getSession', { params: { id } })).session) }
}

export async function readInbox(
  call: CallRoute,
  {
    sessionId,
    limit = MAX_PAGE,
    cursor,
  }: { sessionId?: string | undefined; limit?: number; cursor?: string | undefined } = {},
) {
  const { requests, nextCursor } = await call('listRequests', {
    query: {
      state: 'pending',
      limit,
      ...(sessionId !== undefined && { sessionId }),
      ...(cursor !== undefined && { cursor }),
    },
  })
  return { requests: requests.map(requestSummary), nextCursor }
}

export async function readTranscript(
  sessionId: string,
  { after, limit = NEWEST }: { after?: number | undefined; limit?: number },
  call: CallRoute,
) {
  const begin =
    after ?? Math.max(0, (await call('getSession', { params: { id: sessionId } })).session.lastSeq - NEWEST)
  const { events, nextCursor, gap } = await call('listEvents', {
    params: { id: sessionId },
    query: { after: begin, limit, type: TRANSCRIPT_TYPES.join(',') },
  })
  return {
    entries: events.map(transcriptEntry).filter((entry) => entry !== null),
    nextCursor,
    ...(gap && { deleted: gap }),
  }
}
