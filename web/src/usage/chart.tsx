import type { UsageBy, UsageRow } from '../../../src/protocol/index.js'
import { day, money } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'

const MAX_SHARES = 12

interface UsageChartProps {
  rows: readonly UsageRow[]
  by: UsageBy
  days: number
  nameOfRow(row: UsageRow): string
}

/** Hidden from screen readers: the table below has the same numbers. */
export function UsageChart({ rows, by, days, nameOfRow }: UsageChartProps) {
  return by === 'day' ? <Days rows={rows} days={days} /> : <Shares rows={rows} nameOfRow={nameOfRow} />
}

function Days({ rows, days }: Pick<UsageChartProps, 'rows' | 'days'>) {
  const columns = fillDays(rows, days)
  const max = maxCost(columns)
  return (
    <figure className="card days" aria-hidden="true">
      <span className="days-scale">
        <span>{money(max)}</span>
        <span>{money(0)}</span>
      </span>
      <span className="days-columns">
        {columns.map(({ key, costUsd }) => (
          <span
            key={key}
            className="days-column"
            title={`${day(key)}: ${money(costUsd)}`}
            style={{ height: `${costUsd === 0 ? 0 : Math.max(1.5, (costUsd / max) * 100)}%` }}
          />
        ))}
      </span>
      <span className="days-ends">
        <span>{day(columns[0]?.key ?? '')}</span>
        <span>{day(columns.at(-1)?.key ?? '')}</span>
      </span>
    </figure>
  )
}

function Shares({ rows, nameOfRow }: Pick<UsageChartProps, 'rows' | 'nameOfRow'>) {
  const shown = rows.slice(0, MAX_SHARES)
  const max = maxCost(shown)
  return (
    <figure className="card shares" aria-hidden="true">
      {shown.map((row) => (
        <Share key={row.key} name={nameOfRow(row)} costUsd={row.costUsd} max={max} />
      ))}
    </figure>
  )
}

function Share({ name, costUsd, max }: { name: string; costUsd: number; max: number }) {
  return (
    <>
      <span className="truncate">{printable(name)}</span>
      <span className="share-track">
        <span className="share-fill" style={{ width: `${(costUsd / max) * 100}%` }} />
      </span>
      <span>{money(costUsd)}</span>
    </>
  )
}

function maxCost(rows: readonly { costUsd: number }[]): number {
  return Math.max(...rows.map((row) => row.costUsd), 0.000001)
}

/** Adds the days without usage, so that the axis has no gaps. */
function fillDays(rows: readonly UsageRow[], days: number): { key: string; costUsd: number }[] {
  const known = new Map(rows.map((row) => [row.key, row.costUsd]))
  return Array.from({ length: days }, (_, index) => {
    // The Swedish locale formats dates as YYYY-MM-DD, like the daemon, in the browser's time zone.
    const key = new Date(Date.now() - (days - 1 - index) * 86_400_000).toLocaleDateString('sv-SE')
    return { key, costUsd: known.get(key) ?? 0 }
  })
}
