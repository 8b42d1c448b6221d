import { type ReactNode, useDeferredValue, useEffect, useState } from 'react'
import type { SearchResult } from '../../../src/protocol/index.js'
import { dateTime, t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { sessionPath } from '../route.js'
import { folderName } from '../session/session-label.js'
import { client } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'

const PAGE = 50

interface Found {
  results: readonly SearchResult[]
  nextCursor: number | null
}

/** Full-text search over all messages and tool calls. */
export function SearchView() {
  const [text, setText] = useState(() => new URLSearchParams(location.search).get('q') ?? '')
  const query = useDeferredValue(text.trim())
  const [found, setFound] = useState<Found | null>(null)
  const [problem, setProblem] = useState('')

  useEffect(() => {
    setProblem('')
    if (query === '') return setFound(null)
    let isStale = false
    // Debounce: wait until typing pauses.
    const timer = setTimeout(() => {
      client.search({ query: { q: query, limit: PAGE } }).then(
        (reply) => {
          if (!isStale) setFound(reply)
        },
        (error: Error) => {
          if (!isStale) setProblem(errorLabel(error))
        },
      )
    }, 200)
    return () => {
      isStale = true
      clearTimeout(timer)
    }
  }, [query])

  const more = async (cursor: number) => {
    const next = await client.search({ query: { q: query, limit: PAGE, cursor } })
    setFound({ results: [...(found?.results ?? []), ...next.results], nextCursor: next.nextCursor })
  }

  return (
    <div className="page narrow">
      <header>
        <h1>{t('nav.search')}</h1>
        <p>{t('search.explained')}</p>
      </header>
      <input
        type="search"
        aria-label={t('search.terms')}
        placeholder={t('search.terms')}
        value={text}
        // biome-ignore lint/a11y/noAutofocus: the view consists of this field.
        autoFocus
        onChange={(event) => setText(event.target.value)}
      />
      {problem && <p role="alert">{problem}</p>}
      {found?.results.length === 0 && <p className="empty">{t('list.none_found')}</p>}
      <ol className="results">
        {found?.results.map((result) => (
          <li key={`${result.sessionId} ${result.seq}`}>
            <Link to={sessionPath(result.sessionId)} className="card result">
              <span className="row">
                <strong className="grow truncate">{printable(result.name ?? folderName(result.cwd))}</strong>
                <small className="muted">
                  {printable(folderName(result.cwd))} · {typeName(result.type)} · {dateTime(result.at)}
                </small>
              </span>
              <span>{marked(printable(result.snippet), query)}</span>
            </Link>
          </li>
        ))}
      </ol>
      {found && found.nextCursor !== null && (
        <button type="button" onClick={() => void more(found.nextCursor ?? 0).catch(() => {})}>
          {t('search.more')}
        </button>
      )}
    </div>
  )
}

const TYPES: Readonly<Record<string, 'message' | 'text' | 'thinking' | 'tool'>> = {
  'message.queued': 'message',
  'text.ended': 'text',
  'thinking.ended': 'thinking',
  'tool.requested': 'tool',
  'tool.ended': 'tool',
}

function typeName(type: string): string {
  const known = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined
  return known ? t(`search.in.${known}`) : type
}

function marked(text: string, query: string): ReactNode {
  const words = query.match(/[\p{L}\p{N}_]+/gu) ?? []
  if (words.length === 0) return text
  const parts = text.split(new RegExp(`(${words.join('|')})`, 'iu'))
  // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part))
}
