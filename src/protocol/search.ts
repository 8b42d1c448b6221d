/** A place in a session's log where the words of a search stand. */

import { z } from 'zod'
import { SessionId } from './id.js'
import type { Session } from './session.js'
import { Timestamp } from './value.js'

export const SearchResult = z.strictObject({
  sessionId: SessionId,
  title: z.string().nullable(),
  cwd: z.string(),
  seq: z.int(),
  at: Timestamp,
  /** The type of the event. */
  type: z.string(),
  /** The words, with some around them. */
  snippet: z.string(),
})
export type SearchResult = z.infer<typeof SearchResult>

/** What lists of sessions are searched in. */
export function searchedText({
  title,
  cwd,
  lastPrompt,
}: Pick<Session, 'title' | 'cwd' | 'lastPrompt'>): string {
  return [title, cwd, lastPrompt].join('\n').toLowerCase()
}

const AROUND = 80

/** The part of a text where a word of the query stands first, in one line. */
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
