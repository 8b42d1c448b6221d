import { useState } from 'react'
import type { AuditRecord } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { client, useHasRole } from '../../store/state.js'
import { OwnCommand } from '../../ui/own-command.js'
import { useAddressQuery } from '../../ui/use-address-query.js'
import { usePages } from '../../ui/use-pages.js'
import { Alarm } from './alarm.js'
import { AuditFilters } from './filters.js'
import { type AuditQuery, FIRST_QUERY, filterOf } from './query.js'
import { Records } from './records.js'

const PAGE = 100
const TYPED = ['q', 'who', 'tool'] as const

/** The audit log, newest first. Admins only. */
export function AuditTab() {
  const isAdmin = useHasRole('admin')
  return isAdmin ? <AuditLog /> : <p className="empty">{t('audit.not_allowed')}</p>
}

function AuditLog() {
  const [alarm, setAlarm] = useState<AuditRecord | null>(null)
  const { query, draft, change } = useAddressQuery('/policy/audit', FIRST_QUERY, TYPED)
  const load = async (wanted: AuditQuery, cursor: number | null) => {
    const reply = await client.listAudit({
      query: { ...filterOf(wanted), limit: PAGE, ...(cursor !== null && { cursor }) },
    })
    setAlarm(reply.alarm)
    return { items: reply.records, nextCursor: reply.nextCursor }
  }
  const { found, problem, isLoading, more, reload } = usePages(query, load)
  return (
    <section className="card panel" aria-label={t('policy.tab.audit')}>
      {alarm && <Alarm alarm={alarm} onAccepted={reload} />}
      <AuditFilters query={draft} onChange={change} />
      {problem && <p role="alert">{problem}</p>}
      <p className="visually-hidden" role="status">
        {found && t('audit.found', { n: found.items.length })}
      </p>
      {found?.items.length === 0 && <p className="empty">{t('audit.none')}</p>}
      {found && found.items.length > 0 && <Records records={found.items} />}
      {found && found.nextCursor !== null && (
        <button type="button" disabled={isLoading} onClick={more}>
          {t('audit.earlier', { number: found.nextCursor })}
        </button>
      )}
      <div className="row">
        <p className="muted grow">{t('audit.chain')}</p>
        <button type="button" onClick={reload}>
          {t('refresh')}
        </button>
      </div>
      <OwnCommand words="audit verify" />
    </section>
  )
}
