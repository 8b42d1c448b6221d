import { count, t } from '../i18n/i18n.js'
import { client } from '../store/state.js'
import { useAddressQuery } from '../ui/use-address-query.js'
import { usePages } from '../ui/use-pages.js'
import { Filters } from './filters.js'
import { NO_QUERY, requestOf, type SearchQuery } from './query.js'
import { Results } from './results.js'

const PAGE = 50
const TYPED = ['q', 'folder', 'tool', 'user'] as const

/** Full-text search over all messages and tool calls. The address holds the query. */
export function SearchView() {
  const { query, draft, change } = useAddressQuery('/search', NO_QUERY, TYPED)
  const { found, problem, more } = usePages(query, load)
  const hits = found?.items.length ?? 0

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
      {found && <Results results={found.items} query={found.query} />}
      {found && found.nextCursor !== null && (
        <button type="button" onClick={more}>
          {t('search.more')}
        </button>
      )}
    </div>
  )
}

async function load(query: SearchQuery, cursor: number | null) {
  const request = requestOf(query)
  if (request === null) return null
  const reply = await client.search({
    query: { ...request, limit: PAGE, ...(cursor !== null && { cursor }) },
  })
  return { items: reply.results, nextCursor: reply.nextCursor }
}
