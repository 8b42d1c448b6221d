import { memo } from 'react'
import type { SearchResult } from '../../../src/protocol/index.js'
import { count, dateTime, t } from '../i18n/i18n.js'
import { eventPath } from '../route.js'
import { folderName } from '../session/session-label.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { groupResults, type ResultGroup } from './group.js'
import { type SearchQuery, searchPath } from './query.js'
import { marked } from './word.js'

interface ResultsProps {
  results: readonly SearchResult[]
  query: SearchQuery
}

/** The hits, grouped by session. Each leads to its place in the conversation. */
export const Results = memo(function Results({ results, query }: ResultsProps) {
  return (
    <ol className="results">
      {groupResults(results).map((group) => (
        <li key={group.sessionId}>
          <Group group={group} query={query} />
        </li>
      ))}
    </ol>
  )
})

function Group({ group, query }: { group: ResultGroup; query: SearchQuery }) {
  const name = printable(group.name ?? folderName(group.cwd))
  const words = query.q.trim()
  return (
    <section className="card result-group" aria-label={name}>
      <header className="row">
        <h2 className="grow truncate">{name}</h2>
        <small className="muted">
          <span title={group.cwd}>{printable(folderName(group.cwd))}</span> ·{' '}
          {count('search.hits', group.hits.length)}
        </small>
        {query.session === '' && (
          <Link to={searchPath({ ...query, session: group.sessionId })} className="small">
            {t('search.only_session')}
          </Link>
        )}
      </header>
      <ul>
        {group.hits.map((hit) => (
          <li key={hit.seq}>
            <Link to={eventPath(hit.sessionId, hit.seq, words)} className="result">
              <small className="muted">
                {typeName(hit.type)} · {dateTime(hit.at)}
              </small>
              <span>{marked(printable(hit.snippet), words)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}

const TYPES: Readonly<Record<string, 'message' | 'text' | 'thinking' | 'tool' | 'title' | 'error'>> = {
  'session.created': 'title',
  'session.changed': 'title',
  'message.queued': 'message',
  'text.ended': 'text',
  'thinking.ended': 'thinking',
  'tool.requested': 'tool',
  'tool.ended': 'tool',
  'question.requested': 'tool',
  'notice.raised': 'error',
  'error.raised': 'error',
}

function typeName(type: string): string {
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  return known ? t(`search.in.${known}`) : type
}
