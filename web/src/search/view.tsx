import { useEffect, useMemo, useRef, useState } from 'react'
import type { SearchResult } from '../../../src/protocol/index.js'
import { count, t } from '../i18n/i18n.js'
import { errorLabel } from '../i18n/server-text.js'
import { replaceQuery, useQueryString } from '../route.js'
import { client } from '../store/state.js'
import { Filters } from './filters.js'
import { parseQuery, queryString, requestOf, type SearchQuery } from './query.js'
import { Results } from './results.js'

const PAGE = 50
/** Debounce: waits until typing pauses. */
const PAUSE_MS = 200

interface Found {
  /** The query that these results answer. */
  query: SearchQuery
  results: readonly SearchResult[]
  nextCursor: number | null
}

/** Full-text search over all messages and tool calls. The address holds the query. */
export function SearchView() {
  const address = useQueryString()
  const query = useMemo(() => parseQuery(address), [address])
  const [draft, change] = useDraft(query, address)
  const { found, problem, more } = useResults(query)
  const hits = found?.results.length ?? 0

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
        value={draft.q}
        // biome-ignore lint/a11y/noAutofocus: the view consists of this field.
        autoFocus
        onChange={(event) => change({ q: event.target.value })}
      />
      <Filters query={draft} onChange={change} />
      {problem && <p role="alert">{problem}</p>}
      <p className="visually-hidden" role="status">
        {found && (hits === 0 ? t('list.none_found') : count('search.hits', hits))}
      </p>
      {hits === 0 && found && <p className="empty">{t('list.none_found')}</p>}
      {found && <Results results={found.results} query={found.query} />}
      {found && found.nextCursor !== null && (
        <button type="button" onClick={more}>
          {t('search.more')}
        </button>
      )}
    </div>
  )
}

/** The text being typed. It reaches the address after a pause: browsers limit how often the address may change. */
function useDraft(query: SearchQuery, address: string) {
  const [draft, setDraft] = useState(query)
  const written = useRef(address)
  useEffect(() => {
    // Changed by a link or by Back, not by this view.
    if (address !== written.current) setDraft(parseQuery(address))
    written.current = address
  }, [address])
  useEffect(() => {
    const next = queryString(draft)
    const timer = setTimeout(() => {
      written.current = next
      replaceQuery('/search', next)
    }, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  const change = (part: Partial<SearchQuery>) => setDraft((latest) => ({ ...latest, ...part }))
  return [draft, change] as const
}

function useResults(query: SearchQuery) {
  const [found, setFound] = useState<Found | null>(null)
  const [problem, setProblem] = useState('')
  const wanted = useRef(query)
  const load = async (before: Found | null) => {
    wanted.current = query
    const request = requestOf(query)
    if (request === null) return setFound(null)
    const cursor = before?.nextCursor ?? null
    try {
      const reply = await client.search({
        query: { ...request, limit: PAGE, ...(cursor !== null && { cursor }) },
      })
      // Race: a slow answer to an older query is dropped.
      if (wanted.current !== query) return
      setFound({ ...reply, query, results: [...(before?.results ?? []), ...reply.results] })
    } catch (error) {
      if (wanted.current === query) setProblem(errorLabel(error))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: loads only when the query changes.
  useEffect(() => {
    setProblem('')
    void load(null)
  }, [query])
  return { found, problem, more: () => void load(found) }
}
