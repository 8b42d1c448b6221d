/** The full-text query over events. */

import type { Statements } from '../../lib/sqlite/statements.js'
import { phrasesOf } from '../../lib/text/search-text.js'
import type { StoredEvent } from '../port/append.js'
import { DEFAULT_LIMIT, type SearchFilter } from '../port/filter.js'
import { withoutSlash } from '../port/folder.js'
import { type EventRow, readEvent } from './stored-row.js'
import type { TextIndex } from './text-index.js'

export async function searchEvents(index: TextIndex, filter: SearchFilter): Promise<StoredEvent[]> {
  const { text, sessionId, types, before, limit, maxBytes = Number.POSITIVE_INFINITY } = filter
  const phrases = phrasesOf(text)
  if (phrases.length === 0) return []
  const match = phrases.map((words) => `"${words.join(' ')}"*`).join(' AND ')
  const find = (upTo: Statements['upTo']) =>
    upTo<EventRow>(
      maxBytes,
      ({ data }) => data.length,
      `SELECT position, session.id AS sessionId, seq, event.id AS id, at, type, data
       FROM event_text JOIN event ON event.position = event_text.rowid
         JOIN session ON session.key = event.session AND session.state <> 'deleted'
       WHERE event_text MATCH ?1 AND (?2 IS NULL OR event_text.rowid < ?2) AND (?3 IS NULL OR session.id = ?3)
         AND (?5 IS NULL OR session.cwd = ?5 OR substr(session.cwd, 1, length(?5) + 1) = ?5 || '/')
         AND (?6 IS NULL OR type IN (SELECT value FROM json_each(?6)))
         AND (?7 IS NULL OR at >= ?7) AND (?8 IS NULL OR at < ?8)
       ORDER BY event_text.rowid DESC LIMIT ?4`,
      match,
      before ?? null,
      sessionId ?? null,
      limit ?? DEFAULT_LIMIT,
      filter.folder === undefined ? null : withoutSlash(filter.folder),
      types === undefined ? null : JSON.stringify(types),
      timeOf(filter.since),
      timeOf(filter.until),
    )
  return (await index.search(match, find)).map(readEvent)
}

function timeOf(time: string | undefined): number | null {
  return time === undefined ? null : Date.parse(time)
}
