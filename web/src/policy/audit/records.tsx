import type { AuditRecord } from '../../../../src/protocol/index.js'
import { dateTime, duration, t } from '../../i18n/i18n.js'
import { reasonLabel } from '../../i18n/server-text.js'
import { sessionPath } from '../../route.js'
import { sessionName } from '../../session/session-label.js'
import { useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { printable } from '../../ui/printable.js'
import { sourceLabel, verdictLabel } from './label.js'
import { auditPath } from './query.js'

/** Entries of the audit, newest first. */
export function Records({ records }: { records: readonly AuditRecord[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
    <div className="scroll-box tall" role="group" aria-label={t('policy.tab.audit')} tabIndex={0}>
      <table className="table wide text-cells audit">
        <thead>
          <tr>
            <th scope="col">{t('audit.what')}</th>
            <th scope="col">{t('audit.verdict')}</th>
            <th scope="col">{t('audit.who')}</th>
            <th scope="col">{t('backtest.time')}</th>
            <th scope="col">{t('audit.number')}</th>
          </tr>
        </thead>
        <tbody>
          {records.map((record) => (
            <Row key={record.number} record={record} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

const COLORS: Readonly<Record<string, string>> = {
  allow: 'green',
  allowAll: 'green',
  deny: 'red',
  block: 'red',
  alarm: 'red',
}
function Row({ record }: { record: AuditRecord }) {
  const { number, hash, at, kind, who, via, by, subject, verdict, rule, sessionId, latencyMs } = record
  const session = useStore((state) => (sessionId === null ? undefined : state.sessions.get(sessionId)))
  const label = reasonLabel(record)
  // The text of an alarm is its subject as well: it is shown once, in the user's language.
  const isSubject = subject === record.reason
  const why = [rule, isSubject ? '' : label].filter((text) => text !== null && text !== '').join(': ')
  return (
    <tr>
      <td>
        <strong>{t(`audit.kind.${kind}`)}</strong> <code>{printable(isSubject ? label : subject)}</code>
        <small className="muted">
          {sessionId !== null && (
            <>
              <Link to={sessionPath(sessionId)}>{session ? printable(sessionName(session)) : sessionId}</Link>{' '}
              <Link
                to={auditPath({ session: sessionId, by: 'all' })}
                className="only-this"
                aria-label={t('search.only_session')}
                title={t('search.only_session')}
              >
                <Icon name="search" />
              </Link>
            </>
          )}
          {why !== '' && <span>{printable(why)}</span>}
        </small>
      </td>
      <td>
        <span className={`badge ${Object.hasOwn(COLORS, verdict) ? COLORS[verdict] : ''}`}>
          {verdictLabel(verdict)}
        </span>
        {latencyMs !== null && (
          <small className="muted">{t('audit.after', { time: duration(latencyMs) })}</small>
        )}
      </td>
      <td>
        {who === null ? sourceLabel(by) : printable(who)}
        {via !== null && <small className="muted">{printable(via)}</small>}
      </td>
      <td>
        <time dateTime={at}>{dateTime(at)}</time>
      </td>
      <td title={hash}>{number}</td>
    </tr>
  )
}
