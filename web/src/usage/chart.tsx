import type { UsageRow, UsageSplit } from '../../../src/protocol/index.js'
import { t } from '../i18n/i18n.js'
import { printable } from '../ui/printable.js'
import { amount, rowName } from './label.js'
import { type Measure, partsOf, type Series, valueOf } from './series.js'

interface StackedColumnsProps {
  rows: readonly UsageRow[]
  /** The keys of all columns, also of those without usage. */
  slots: readonly string[]
  by: 'hour' | 'day'
  split: UsageSplit
  series: readonly Series[]
  measure: Measure
}

/** Columns over time, each stacked by model or folder. Hidden from screen readers: the table has the same numbers. */
export function StackedColumns({ rows, slots, by, split, series, measure }: StackedColumnsProps) {
  const known = new Map(rows.map((row) => [row.key, row]))
  const max = Math.max(...rows.map((row) => valueOf(row, measure)), 0.000001)
  return (
    <figure className="card days">
      <span className="days-scale" aria-hidden="true">
        <span>{amount(max, measure)}</span>
        <span>0</span>
      </span>
      <span className="days-columns" aria-hidden="true">
        {slots.map((slot) => {
          const row = known.get(slot)
          const parts = partsOf(row, series, measure)
          return (
            <span key={slot} className="days-column" title={titleOf(slot, by, row, measure)}>
              {parts.map((part, index) => (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: the order never changes.
                  key={index}
                  className={`series-${index}`}
                  style={{ height: `${(part / max) * 100}%` }}
                />
              ))}
            </span>
          )
        })}
      </span>
      <span className="days-ends" aria-hidden="true">
        <span>{rowName(slots[0] ?? '', by)}</span>
        <span>{rowName(slots.at(-1) ?? '', by)}</span>
      </span>
      <ul className="legend">
        {series.map(({ key, value }, index) => (
          <li key={key ?? ''}>
            <span className={`swatch series-${index}`} aria-hidden="true" />
            {key === null ? t('usage.others') : printable(rowName(key, split))}{' '}
            <strong>{amount(value, measure)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  )
}

function titleOf(slot: string, by: 'hour' | 'day', row: UsageRow | undefined, measure: Measure): string {
  return `${rowName(slot, by)}: ${amount(row ? valueOf(row, measure) : 0, measure)}`
}

const MAX_SHARES = 12

interface SharesProps {
  rows: readonly UsageRow[]
  measure: Measure
  nameOfRow(row: UsageRow): string
}

/** Bars, the largest first. Hidden from screen readers, as above. */
export function Shares({ rows, measure, nameOfRow }: SharesProps) {
  const shown = rows.slice(0, MAX_SHARES)
  const max = Math.max(...shown.map((row) => valueOf(row, measure)), 0.000001)
  return (
    <figure className="card shares" aria-hidden="true">
      {shown.map((row) => (
        <Share
          key={row.key}
          name={nameOfRow(row)}
          part={valueOf(row, measure) / max}
          label={amount(valueOf(row, measure), measure)}
        />
      ))}
    </figure>
  )
}

function Share({ name, part, label }: { name: string; part: number; label: string }) {
  return (
    <>
      <span className="truncate">{printable(name)}</span>
      <span className="share-track">
        <span className="share-fill" style={{ width: `${part * 100}%` }} />
      </span>
      <span>{label}</span>
    </>
  )
}
