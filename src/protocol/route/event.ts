/** Routes for events: lists, streams, search and usage. */

import { z } from 'zod'
import { Billing, DialectName } from '../dialect-name.js'
import { deltaTypes, EventEnvelope, eventTypes, type SessionEvent } from '../event/event.js'
import { SessionId } from '../id.js'
import { SearchResult } from '../search.js'
import { UsageBy, UsageRow, UsageSplit } from '../usage/usage.js'
import { Timestamp } from '../value.js'
import { BASE, Cursor, Limit, type Route, sessionParams } from './shape.js'

// Not validated again: the server validated events when it stored them, and a client must tolerate types that it does
// not know.
const AnyEvent = EventEnvelope as unknown as z.ZodType<SessionEvent>

const EventTypes = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(eventTypes)))

const StreamTypes = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum([...eventTypes, ...deltaTypes])))

const streamQuery = z.strictObject({
  after: Cursor.optional(),
  /** 0: no deltas. */
  deltas: z.enum(['0', '1']).optional(),
  type: StreamTypes.optional(),
  /** Format of another product. */
  dialect: DialectName.optional(),
})

const TimeZone = z
  .string()
  .max(100)
  .refine((name) => {
    try {
      return new Intl.DateTimeFormat('en', { timeZone: name }).format(0) !== ''
    } catch {
      return false
    }
  }, 'Expected a time zone such as Asia/Seoul')

export const eventRoutes = {
  listEvents: {
    method: 'GET',
    path: `${BASE}/sessions/:id/events`,
    role: 'viewer',
    summary: 'List stored events of a session after a sequence number, oldest first',
    params: sessionParams,
    query: z.strictObject({ after: Cursor.optional(), limit: Limit.optional(), type: EventTypes.optional() }),
    status: 200,
    reply: z.strictObject({
      events: z.array(AnyEvent),
      nextCursor: z.int().nullable(),
      /** Retention deleted the events between `after` and `next`. */
      gap: z.strictObject({ after: z.int(), next: z.int() }).nullable(),
    }),
  },
  streamSession: {
    method: 'GET',
    path: `${BASE}/sessions/:id/stream`,
    role: 'viewer',
    summary: 'Stream the events of a session; the id of each is its sequence number',
    params: sessionParams,
    query: streamQuery,
    status: 200,
    reply: null,
  },
  streamAll: {
    method: 'GET',
    path: `${BASE}/stream`,
    role: 'viewer',
    summary: 'Stream the events of all sessions; the id of each is its position among all',
    query: streamQuery,
    status: 200,
    reply: null,
  },
  search: {
    method: 'GET',
    path: `${BASE}/search`,
    role: 'viewer',
    summary: 'Search all messages and tool calls, newest first',
    query: z.strictObject({
      q: z.string().min(1).max(500),
      sessionId: SessionId.optional(),
      /** Only sessions in this folder or below it. */
      folder: z.string().min(1).max(4_096).optional(),
      /** Only calls of this tool and their results. */
      tool: z.string().min(1).max(200).optional(),
      /** Only messages of this user. */
      user: z.string().min(1).max(200).optional(),
      /** Only from this time on. */
      since: Timestamp.optional(),
      /** Only before this time. */
      until: Timestamp.optional(),
      limit: Limit.optional(),
      cursor: Cursor.optional(),
    }),
    status: 200,
    reply: z.strictObject({ results: z.array(SearchResult), nextCursor: z.int().nullable() }),
  },
  usage: {
    method: 'GET',
    path: `${BASE}/usage`,
    role: 'viewer',
    summary: 'Get token usage and cost by hour, day, session, model or project, including subagents',
    query: z.strictObject({
      by: UsageBy.optional(),
      /** Divides each row again. */
      split: UsageSplit.optional(),
      since: z.union([z.iso.date(), Timestamp]).optional(),
      /** Only before this time, in whole hours. */
      until: z.union([z.iso.date(), Timestamp]).optional(),
      /** Time zone that defines a day, such as `Asia/Seoul`. Default: the daemon's. */
      timeZone: TimeZone.optional(),
    }),
    status: 200,
    reply: z.strictObject({
      by: UsageBy,
      usage: z.array(UsageRow),
      total: UsageRow,
      /** `subscription`: not billed per use; the cost is what the API would have charged. */
      billing: Billing,
    }),
  },
} as const satisfies Record<string, Route>
