import { useEffect, useState } from 'react'
import type { AuditRecord } from '../../../src/protocol/index.js'
import { dateTime, duration, t } from '../i18n/i18n.js'
import { errorLabel, reasonLabel } from '../i18n/server-text.js'
import { sessionPath } from '../route.js'
import { sessionName } from '../session/session-label.js'
import { client, useHasRole, useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { OwnCommand } from '../ui/own-command.js'
import { printable } from '../ui/printable.js'
import { useAttempt } from '../ui/use-attempt.js'

const PAGE = 100

interface Page {
  alarm: AuditRecord | null
  records: readonly AuditRecord[]
  nextCursor: number | null
}

/** The audit log, newest first. Admins only. */
export function AuditTab() {
  const isAdmin = useHasRole('admin')
  return isAdmin ? <AuditLog /> : <p className="empty">{t('audit.not_allowed')}</p>
}

function AuditLog() {
  const [page, setPage] = useState<Page | null>(null)
  const [problem, setProblem] = useState('')
  const load = async (cursor: number | null) => {
    try {
      const fresh = await client.listAudit({ query: { limit: PAGE, ...(cursor !== null && { cursor }) } })
      setPage((known) => ({
        records: cursor === null ? fresh.records : [...(known?.records ?? []), ...fresh.records],
        nextCursor: fresh.nextCursor,
        alarm: fresh.alarm,
      }))
      setProblem('')
    } catch (error) {
      setProblem(errorLabel(error))
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: load once, when the view is opened.
  useEffect(() => void load(null), [])
  return (
    <section className="card panel" aria-label={t('policy.tab.audit')}>
      <div className="row">
        <p className="muted grow">{t('audit.chain')}</p>
        <button type="button" onClick={() => void load(null)}>
          {t('refresh')}
        </button>
      </div>
      <OwnCommand words="audit verify" />
      {problem && <p role="alert">{problem}</p>}
      {page?.alarm && <Alarm alarm={page.alarm} onAccepted={() => void load(null)} />}
      {page?.records.length === 0 && <p className="empty">{t('audit.none')}</p>}
      {page && page.records.length > 0 && <Records records={page.records} />}
      {page && page.nextCursor !== null && (
        <button type="button" onClick={() => void load(page.nextCursor)}>
          {t('search.more')}
        </button>
      )}
    </section>
  )
}

/** An integrity problem found at startup. Shown until an admin accepts it. */
function Alarm({ alarm, onAccepted }: { alarm: AuditRecord; onAccepted: () => void }) {
  const accept = useAttempt(async () => {
    await client.acceptAudit({ body: {} })
    onAccepted()
  })
  return (
    <div className="row" role="alert">
      <p className="grow">
        <strong>{t('audit.alarm', { number: alarm.number })}</strong>{' '}
        {printable(reasonLabel(alarm) || alarm.subject)}
        {accept.problem && <span> {accept.problem}</span>}
      </p>
      <button type="button" disabled={accept.isBusy} onClick={accept.run}>
        {t('audit.alarm.accept')}
      </button>
    </div>
  )
}

function Records({ records }: { records: readonly AuditRecord[] }) {
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
const VERDICTS = [
  'allow',
  'allowAll',
  'deny',
  'block',
  'answered',
  'unanswered',
  'accept',
  'decline',
  'cancel',
  'revoked',
  'changed',
  'done',
  'alarm',
] as const

function verdictLabel(verdict: string): string {
  const known = VERDICTS.find((name) => name === verdict)
  return known ? t(`audit.verdict.${known}`) : printable(verdict)
}

const SOURCES = [
  'policy',
  'timeout',
  'shutdown',
  'terminal',
  'agent',
  'daemon',
  'file',
  'grant',
  'hook',
] as const

function byLabel(by: string): string {
  const known = SOURCES.find((name) => name === by)
  return known ? t(`by.${known}`) : printable(by)
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
            <Link to={sessionPath(sessionId)}>{session ? printable(sessionName(session)) : sessionId}</Link>
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
        {who === null ? byLabel(by) : printable(who)}
        {via !== null && <small className="muted">{printable(via)}</small>}
      </td>
      <td>
        <time dateTime={at}>{dateTime(at)}</time>
      </td>
      <td title={hash}>{number}</td>
    </tr>
  )
}
