import type { UsageBy, UsageRow, UsageSplit } from '../../../src/protocol/index.js'
import { compact, number, t } from '../i18n/i18n.js'
import { sessionPath } from '../route.js'
import { useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { amount, costLabel, isManaged, rowName } from './label.js'
import { MAX_SERIES, type Measure, valueOf } from './series.js'

interface UsageTableProps {
  rows: readonly UsageRow[]
  by: UsageBy
  split: UsageSplit
  measure: Measure
}

/** The numbers of the chart. */
export function UsageTable({ rows, by, split, measure }: UsageTableProps) {
  return (
    <div className="table-box">
      <table className="table wide usage-table">
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
          {rows.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <RowName row={row} by={by} />
              </th>
              <td>{compact(row.inputTokens)}</td>
              <td>{compact(row.cacheReadInputTokens + row.cacheCreationInputTokens)}</td>
              <td>{compact(row.outputTokens)}</td>
              {by !== 'session' && <td>{number(row.sessions)}</td>}
              <td>
                {costLabel(row)}
                {row.shares && row.shares.length > 1 && (
                  <small className="muted">{sharesLabel(row, split, measure)}</small>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function sharesLabel({ shares = [] }: UsageRow, split: UsageSplit, measure: Measure): string {
  const named = shares
    .slice(0, MAX_SERIES)
    .map((share) => `${rowName(share.key, split)} ${amount(valueOf(share, measure), measure)}`)
  return printable([...named, ...(shares.length > MAX_SERIES ? ['…'] : [])].join(' · '))
}

function RowName({ row: { key }, by }: { row: UsageRow; by: UsageBy }) {
  const session = useStore((state) => (by === 'session' ? state.sessions.get(key) : undefined))
  const name = printable(rowName(key, by, session))
  if (session && isManaged(key)) return <Link to={sessionPath(key)}>{name}</Link>
  return <span title={printable(key)}>{name}</span>
}
