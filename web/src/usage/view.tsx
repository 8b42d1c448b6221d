import { useState } from 'react'
import type { Session, UsageBy, UsageRow } from '../../../src/protocol/index.js'
import { compact, day, money, number, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { folderName, modelName, sessionName } from '../session/session-label.js'
import { client, useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { useLoaded } from '../ui/use-loaded.js'
import { UsageChart } from './chart.js'

const GROUPINGS: readonly UsageBy[] = ['day', 'model', 'project', 'session']
const SPANS = [7, 30, 90] as const
const EVERY_MS = 15_000

/** Tokens and cost, as a chart and a table. */
export function UsageView() {
  const [by, setBy] = useState<UsageBy>('day')
  const [days, setDays] = useState<number>(30)
  return (
    <div className="page">
      <header>
        <h1>{t('nav.usage')}</h1>
        <p>{t('usage.explained')}</p>
      </header>
      <div className="row">
        <fieldset className="chips">
          <legend className="visually-hidden">{t('usage.by')}</legend>
          {GROUPINGS.map((grouping) => (
            <button
              key={grouping}
              type="button"
              className="chip"
              aria-pressed={grouping === by}
              onClick={() => setBy(grouping)}
            >
              {t(`usage.by.${grouping}`)}
            </button>
          ))}
        </fieldset>
        <span className="grow" />
        <select
          aria-label={t('usage.period')}
          value={days}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {SPANS.map((span) => (
            <option key={span} value={span}>
              {t('usage.days', { n: span })}
            </option>
          ))}
        </select>
      </div>
      <UsageReport key={`${by} ${days}`} by={by} days={days} />
    </div>
  )
}

function UsageReport({ by, days }: { by: UsageBy; days: number }) {
  const sessions = useStore((state) => state.sessions)
  const usage = useLoaded(() => {
    const since = new Date(Date.now() - (days - 1) * 86_400_000).toISOString().slice(0, 10)
    const timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
    return client.usage({ query: { by, since, timeZone } })
  }, EVERY_MS)
  if (usage.problem) return <p role="alert">{usage.problem}</p>
  if (!usage.value) return <p className="empty">{t('loading')}</p>
  const { usage: rows, total, billing } = usage.value
  if (rows.length === 0) return <p className="empty">{t('usage.none')}</p>
  const shown = by === 'day' ? rows : rows.toSorted((one, other) => other.costUsd - one.costUsd)
  return (
    <>
      <section className="totals">
        <Total name={t('cost')} value={money(total.costUsd)} />
        <Total name={t('usage.in')} value={compact(totalInput(total))} />
        <Total name={t('usage.out')} value={compact(total.outputTokens)} />
        <Total name={t('nav.sessions')} value={number(total.sessions)} />
      </section>
      {total.unpriced.length > 0 && (
        <p className="muted">
          {t('usage.unpriced', { models: printable(total.unpriced.map(modelName).join(', ')) })}
        </p>
      )}
      {billing === 'subscription' && <p className="muted">{t('usage.subscription')}</p>}
      <UsageChart
        rows={shown}
        by={by}
        days={days}
        nameOfRow={({ key }) => rowName(key, by, sessions.get(key))}
      />
      <div className="table-box">
        <table className="table wide">
          <caption>{t(`usage.by.${by}`)}</caption>
          <thead>
            <tr>
              <th scope="col">{t(`usage.by.${by}`)}</th>
              <th scope="col">{t('tokens.in')}</th>
              <th scope="col">{t('tokens.cache')}</th>
              <th scope="col">{t('tokens.out')}</th>
              {by !== 'session' && <th scope="col">{t('nav.sessions')}</th>}
              <th scope="col">{t('cost')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <RowName row={row} by={by} />
                </th>
                <td>{compact(row.inputTokens)}</td>
                <td>{compact(row.cacheReadInputTokens + row.cacheCreationInputTokens)}</td>
                <td>{compact(row.outputTokens)}</td>
                {by !== 'session' && <td>{number(row.sessions)}</td>}
                <td>
                  {money(row.costUsd)}
                  {row.unpriced.length > 0 && ' + ?'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

function totalInput({ inputTokens, cacheReadInputTokens, cacheCreationInputTokens }: UsageRow): number {
  return inputTokens + cacheReadInputTokens + cacheCreationInputTokens
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <p className="card total">
      <strong>{value}</strong>
      <span>{name}</span>
    </p>
  )
}

function RowName({ row: { key }, by }: { row: UsageRow; by: UsageBy }) {
  const session = useStore((state) => (by === 'session' ? state.sessions.get(key) : undefined))
  const name = printable(rowName(key, by, session))
  if (by === 'session' && isManaged(key)) return <Link to={sessionPath(key)}>{name}</Link>
  return <span title={printable(key)}>{name}</span>
}

function rowName(key: string, by: UsageBy, session: Session | undefined): string {
  switch (by) {
    case 'day':
      return day(key)
    case 'model':
      return modelName(key)
    case 'project':
      return folderName(key)
    case 'session':
      if (session) return sessionName(session)
      return isManaged(key) ? key : t('usage.untracked', { id: key.slice(0, 8) })
  }
}

/** Usage of sessions outside Signalbox comes from their transcripts and has Claude's session id as the key. */
function isManaged(key: string): boolean {
  return key.startsWith('ses_')
}
