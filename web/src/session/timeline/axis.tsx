import { moment, t } from '../../i18n/i18n.js'
import { Icon } from '../../ui/icon.js'
import type { Bar } from './model.js'
import { type Range, ticks } from './range.js'

/** What a step closer leaves of what is seen, and how far a step aside goes. */
export const CLOSER = 0.5
export const ASIDE = 0.25
const TICKS = 6

interface RangeButtonsProps {
  isWhole: boolean
  onZoom(factor: number): void
  onMove(part: number): void
  onWhole(): void
}

export function RangeButtons({ isWhole, onZoom, onMove, onWhole }: RangeButtonsProps) {
  return (
    <div className="row range-buttons">
      <button
        type="button"
        className="icon-only"
        disabled={isWhole}
        onClick={() => onMove(-ASIDE)}
        aria-label={t('move.earlier')}
      >
        <Icon name="back" />
      </button>
      <button
        type="button"
        className="icon-only"
        disabled={isWhole}
        onClick={() => onMove(ASIDE)}
        aria-label={t('move.later')}
      >
        <span className="turned">
          <Icon name="back" />
        </span>
      </button>
      <button
        type="button"
        className="icon-only"
        disabled={isWhole}
        onClick={() => onZoom(1 / CLOSER)}
        aria-label={t('zoom.out')}
      >
        −
      </button>
      <button type="button" className="icon-only" onClick={() => onZoom(CLOSER)} aria-label={t('zoom.in')}>
        +
      </button>
      <button type="button" disabled={isWhole} onClick={onWhole}>
        {t('zoom.whole')}
      </button>
    </div>
  )
}

export function Axis({ range }: { range: Range }) {
  return (
    <div className="bar-row axis" aria-hidden="true">
      <span />
      <span className="axis-track">
        {ticks(range, TICKS).map((at) => (
          <span key={at} className="tick" style={{ left: `${placeOf(at, range)}%` }}>
            {moment(at)}
          </span>
        ))}
      </span>
      <span />
    </div>
  )
}

export function Track({ bar, range }: { bar: Bar; range: Range }) {
  return (
    <span className="bar-track">
      {bar.stages.map(({ name, start, end }) => {
        if (end < range.from || start > range.to) return null
        const left = Math.max(0, placeOf(start, range))
        const width = Math.min(100, placeOf(end, range)) - left
        return (
          <span
            key={`${name}${start}`}
            className={`bar ${name} ${bar.outcome ?? 'open'}`}
            style={{ left: `${left}%`, width: `max(3px, ${width}%)` }}
          />
        )
      })}
    </span>
  )
}

function placeOf(at: number, { from, to }: Range): number {
  return ((at - from) / (to - from)) * 100
}
