import { moment, t } from '../../i18n/i18n.js'
import { Icon } from '../../ui/icon.js'
import type { Bar } from './model.js'
import { type Range, ticks } from './range.js'

/** One zoom step halves the visible range, one pan step moves it by a quarter. */
export const ZOOM_STEP = 0.5
export const PAN_STEP = 0.25
/** In percent: a label further to the right would be cut off on a phone. */
const LAST_LABEL = 88
const MAX_TICKS = 6

interface RangeControlsProps {
  isFullRange: boolean
  onZoom(factor: number): void
  onPan(part: number): void
  onReset(): void
}

export function RangeControls({ isFullRange, onZoom, onPan, onReset }: RangeControlsProps) {
  return (
    <div className="row range-controls">
      <button
        type="button"
        className="icon-only"
        disabled={isFullRange}
        onClick={() => onPan(-PAN_STEP)}
        aria-label={t('pan.earlier')}
      >
        <Icon name="back" />
      </button>
      <button
        type="button"
        className="icon-only"
        disabled={isFullRange}
        onClick={() => onPan(PAN_STEP)}
        aria-label={t('pan.later')}
      >
        <span className="flipped">
          <Icon name="back" />
        </span>
      </button>
      <button
        type="button"
        className="icon-only"
        disabled={isFullRange}
        onClick={() => onZoom(1 / ZOOM_STEP)}
        aria-label={t('zoom.out')}
      >
        −
      </button>
      <button type="button" className="icon-only" onClick={() => onZoom(ZOOM_STEP)} aria-label={t('zoom.in')}>
        +
      </button>
      <button type="button" disabled={isFullRange} onClick={onReset}>
        {t('zoom.all')}
      </button>
    </div>
  )
}

export function Axis({ range }: { range: Range }) {
  return (
    <div className="bar-row axis" aria-hidden="true">
      <span />
      <span className="axis-track">
        {ticks(range, MAX_TICKS).map((at) => (
          <span key={at} className="tick" style={{ left: `${percentOf(at, range)}%` }}>
            {percentOf(at, range) <= LAST_LABEL && moment(at)}
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
        const left = Math.max(0, percentOf(start, range))
        const width = Math.min(100, percentOf(end, range)) - left
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

function percentOf(at: number, { from, to }: Range): number {
  return ((at - from) / (to - from)) * 100
}
