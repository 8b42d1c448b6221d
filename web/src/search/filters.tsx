import { useId, useMemo, useState } from 'react'
import { t } from '../i18n/i18n.js'
import { sessionName } from '../session/session-label.js'
import { useStore } from '../store/state.js'
import { Icon } from '../ui/icon.js'
import { printable } from '../ui/printable.js'
import { FILTERS, type FilterName, type SearchQuery } from './query.js'

interface FiltersProps {
  query: SearchQuery
  onChange(part: Partial<SearchQuery>): void
}

/** Suggestions only: tools of MCP servers have names of their own. */
const TOOLS = ['Bash', 'Read', 'Write', 'Edit', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'Agent', 'TodoWrite']

export function Filters({ query, onChange }: FiltersProps) {
  const sessions = useStore((state) => state.sessions)
  const folders = useMemo(
    () => [...new Set([...sessions.values()].map(({ cwd }) => cwd))].toSorted(),
    [sessions],
  )
  const used = FILTERS.filter((name) => query[name] !== '').length
  const [isOpen, setIsOpen] = useState(used > 0)
  const session = sessions.get(query.session)
  return (
    <div className="search-filters">
      {query.session !== '' && (
        <p className="row">
          <span className="badge truncate">
            {t('search.session')}: {printable(session ? sessionName(session) : query.session)}
          </span>
          <button type="button" className="plain" onClick={() => onChange({ session: '' })}>
            <Icon name="cross" /> {t('search.all_sessions')}
          </button>
        </p>
      )}
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          {t('search.filters')}
          {used > 0 && <span className="count">{used}</span>}
        </summary>
        <div className="filter-fields">
          <TextFilter name="folder" query={query} onChange={onChange} options={folders} />
          <TextFilter name="tool" query={query} onChange={onChange} options={TOOLS} />
          <TextFilter name="user" query={query} onChange={onChange} options={[]} />
          <TextFilter name="since" query={query} onChange={onChange} options={null} />
          <TextFilter name="until" query={query} onChange={onChange} options={null} />
        </div>
      </details>
    </div>
  )
}

interface TextFilterProps extends FiltersProps {
  name: Exclude<FilterName, 'session'>
  /** Null: a date. */
  options: readonly string[] | null
}

function TextFilter({ name, query, onChange, options }: TextFilterProps) {
  const id = useId()
  return (
    <label>
      {t(`search.${name}`)}
      <input
        type={options === null ? 'date' : 'text'}
        value={query[name]}
        list={options !== null && options.length > 0 ? id : undefined}
        autoComplete="off"
        onChange={(event) => onChange({ [name]: event.target.value })}
      />
      {options !== null && options.length > 0 && (
        <datalist id={id}>
          {options.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
    </label>
  )
}
