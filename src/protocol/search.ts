/** A search hit: an event in a session's log. */

import { z } from 'zod'
import { SessionId } from './id.js'
import type { Session } from './session.js'
import { Timestamp } from './value.js'

export const SearchResult = z.strictObject({
  sessionId: SessionId,
  title: z.string().nullable(),
  /** As in the session: its title, or its first prompt in short. */
  name: z.string().nullable(),
  cwd: z.string(),
  seq: z.int(),
  at: Timestamp,
  type: z.string(),
  /** The match, with some text around it. */
  snippet: z.string(),
})
export type SearchResult = z.infer<typeof SearchResult>

/** The text that a filter on the list of sessions searches. */
export function searchedText({
  title,
  name,
  cwd,
  lastPrompt,
}: Pick<Session, 'title' | 'name' | 'cwd' | 'lastPrompt'>): string {
  return [title, name, cwd, lastPrompt].join('\n').toLowerCase()
}

const AROUND = 80

/** The text around the first match of a word of the query, on one line. */
export function snippetOf(text: string, query: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  const lower = line.toLowerCase()
  const words = new Set(query.toLowerCase().match(/[\p{L}\p{N}_]+/gu))
  const places = [...words].map((word) => lower.indexOf(word)).filter((place) => place >= 0)
  const place = places.reduce((first, one) => Math.min(first, one), places[0] ?? 0)
  const start = Math.max(0, place - AROUND)
  const end = Math.min(line.length, place + 2 * AROUND)
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`
}
