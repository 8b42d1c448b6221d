import { type ReactNode, useState } from 'react'
import { t } from '../../i18n/i18n.js'
import { sessionName } from '../../session/session-label.js'
import { useStore } from '../../store/state.js'
import { Chips } from '../../ui/chips.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { KINDS, VERDICTS, verdictLabel } from './label.js'
import type { AuditQuery } from './query.js'

interface FiltersProps {
  query: AuditQuery
  onChange(part: Partial<AuditQuery>): void
}

const SOURCES = ['person', 'policy', 'all'] as const
/** Those behind the summary. */
const MORE = ['who', 'kind', 'verdict', 'tool', 'since', 'until'] as const

/** The source of the decision, a text, and more filters on request. */
export function AuditFilters({ query, onChange }: FiltersProps) {
  const used = MORE.filter((name) => query[name] !== '').length
  const [isOpen, setIsOpen] = useState(used > 0)
  const session = useStore((state) => state.sessions.get(query.session))
  return (
    <div className="search-filters">
      <Chips
        label={t('audit.by')}
        values={SOURCES}
        chosen={SOURCES.find((by) => by === query.by) ?? 'all'}
        nameOf={(by) => t(`audit.by.${by}`)}
        onChoose={(by) => onChange({ by })}
      />
      <input
        type="search"
        aria-label={t('audit.text')}
        placeholder={t('audit.text')}
        value={query.q}
        onChange={(event) => onChange({ q: event.target.value })}
      />
      {query.session !== '' && (
        <p className="row">
          <span className="badge truncate">
            {t('search.session')}: {printable(session ? sessionName(session) : query.session)}
          </span>
          <button type="button" className="plain" onClick={() => onChange({ session: '' })}>
            <Icon name="cross" /> {t('audit.all_sessions')}
          </button>
        </p>
      )}
      <details open={isOpen} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
        <summary>
          {t('search.filters')}
          {used > 0 && <span className="count">{used}</span>}
        </summary>
        <div className="filter-fields">
          <Field label={t('audit.who')}>
            <input value={query.who} onChange={(event) => onChange({ who: event.target.value })} />
          </Field>
          <Field label={t('search.tool')}>
            <input value={query.tool} onChange={(event) => onChange({ tool: event.target.value })} />
          </Field>
          <Field label={t('audit.verdict')}>
            <select value={query.verdict} onChange={(event) => onChange({ verdict: event.target.value })}>
              <option value="">{t('audit.any')}</option>
              {VERDICTS.map((verdict) => (
                <option key={verdict} value={verdict}>
                  {verdictLabel(verdict)}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t('audit.kind')}>
            <select value={query.kind} onChange={(event) => onChange({ kind: event.target.value })}>
              <option value="">{t('audit.any')}</option>
              {KINDS.map((kind) => (
                <option key={kind} value={kind}>
                  {t(`audit.kind.${kind}`)}
                </option>
              ))}
            </select>
          </Field>
          <Field label={t('search.since')}>
            <input
              type="date"
              value={query.since}
              onChange={(event) => onChange({ since: event.target.value })}
            />
          </Field>
          <Field label={t('search.until')}>
            <input
              type="date"
              value={query.until}
              onChange={(event) => onChange({ until: event.target.value })}
            />
          </Field>
        </div>
      </details>
    </div>
  )
}

function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is in it.
    <label>
      {label}
      {children}
    </label>
  )
}
