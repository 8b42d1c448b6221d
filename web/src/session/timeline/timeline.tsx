import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { duration, t } from '../../i18n/i18n.js'
import type { OpenSession } from '../../store/state.js'
import { callDetail, deciderName, toolName } from '../../tool/call.js'
import { printable } from '../../ui/printable.js'
import { useNow } from '../../ui/use-now.js'
import { ASIDE, Axis, CLOSER, RangeButtons, Track } from './axis.js'
import { type Bar, STAGES, timelineOf } from './model.js'
import { move, type Range, reveal, zoom } from './range.js'
import { useRangeGestures } from './use-range-gestures.js'

/** Every call on one axis of time: when it was asked for, waited, ran. */
export function Timeline({ open }: { open: OpenSession }) {
  const now = useNow()
  const isLive = open.session?.turn !== null
  // A session that rests does not move on with the clock.
  const time = isLive ? now : 0
  const model = useMemo(() => timelineOf(open.events, time), [open.events, time])
  const { bars, span } = model
  // Null: all of it, however long that becomes.
  const [chosen, setChosen] = useState<Range | null>(null)
  const range = chosen ?? { from: 0, to: span }
  const [focused, setFocused] = useState(0)
  const list = useRef<VirtualizerHandle>(null)
  const change = (next: Range) => setChosen(next.from <= 0 && next.to >= span ? null : next)
  const rows = useRangeGestures('.bar-track', {
    onZoom: (factor, part) => change(zoom(range, span, factor, range.from + part * (range.to - range.from))),
    onMove: (part) => change(move(range, span, part)),
  })
  if (bars.length === 0) return <p className="blank">{t('timeline.none')}</p>

  const focus = (place: number) => {
    const bar = bars[place]
    if (!bar) return
    setFocused(place)
    if (chosen) change(reveal(range, span, bar.start, bar.end ?? span))
    list.current?.scrollToIndex(place, { align: 'nearest' })
    requestAnimationFrame(() => document.getElementById(`bar-${place}`)?.focus())
  }
  const onKey = (event: KeyboardEvent, place: number) => {
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(place + 1),
      ArrowUp: () => focus(place - 1),
      ArrowLeft: () => change(move(range, span, -ASIDE)),
      ArrowRight: () => change(move(range, span, ASIDE)),
      '+': () => change(zoom(range, span, CLOSER, middleOf(bars[place], range))),
      '=': () => change(zoom(range, span, CLOSER, middleOf(bars[place], range))),
      '-': () => change(zoom(range, span, 1 / CLOSER)),
      '0': () => setChosen(null),
    }
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key]
    if (!act) return
    event.preventDefault()
    act()
  }
  const cwd = open.session?.cwd ?? ''

  return (
    <section className="timeline" aria-label={t('tab.timeline')}>
      <header className="row">
        <ul className="legend grow">
          {STAGES.map((name) => (
            <li key={name}>
              <span className={`swatch ${name}`} aria-hidden="true" /> {t(`stage.${name}`)}
            </li>
          ))}
        </ul>
        <RangeButtons
          isWhole={chosen === null}
          onZoom={(factor) => change(zoom(range, span, factor))}
          onMove={(part) => change(move(range, span, part))}
          onWhole={() => setChosen(null)}
        />
      </header>
      <Axis range={range} />
      <div className="timeline-rows" ref={rows}>
        <Virtualizer ref={list} as="ul" item="li">
          {bars.map((bar, place) => (
            <button
              key={bar.id}
              id={`bar-${place}`}
              type="button"
              className="bar-row"
              tabIndex={place === Math.min(focused, bars.length - 1) ? 0 : -1}
              aria-label={barLabel(bar, cwd)}
              onFocus={() => setFocused(place)}
              onKeyDown={(event) => onKey(event, place)}
            >
              <span className={bar.isInner ? 'bar-name cut inner' : 'bar-name cut'}>
                <strong>{printable(toolName(bar.name))}</strong>{' '}
                <code>{printable(callDetail(bar.input, cwd))}</code>
              </span>
              <Track bar={bar} range={range} />
              <span className="bar-time">{bar.end === null ? '…' : duration(bar.end - bar.start)}</span>
            </button>
          ))}
        </Virtualizer>
      </div>
      <p className="hint timeline-hint">
        <kbd>↑</kbd> <kbd>↓</kbd> {t('key.move')} · <kbd>+</kbd> <kbd>−</kbd> {t('key.zoom')} · <kbd>←</kbd>{' '}
        <kbd>→</kbd> {t('key.aside')} · <kbd>0</kbd> {t('zoom.whole')} · {t('timeline.pointer')}
      </p>
    </section>
  )
}

/** What is looked at, as far as it is seen. */
function middleOf(bar: Bar | undefined, { from, to }: Range): number {
  if (!bar) return (from + to) / 2
  const start = Math.max(from, bar.start)
  const end = Math.min(to, bar.end ?? to)
  return start <= end ? (start + end) / 2 : (from + to) / 2
}

function barLabel(bar: Bar, cwd: string): string {
  const stages = bar.stages.map(({ name, start, end }) => `${t(`stage.${name}`)} ${duration(end - start)}`)
  const by = bar.decidedBy === null ? [] : [t('timeline.decided', { who: deciderName(bar.decidedBy) })]
  const whole = bar.end === null ? t('tool.running') : duration(bar.end - bar.start)
  const outcome = bar.outcome === null ? [] : [t(`tool.${bar.outcome}`)]
  return [`${toolName(bar.name)} ${callDetail(bar.input, cwd)}`, whole, ...outcome, ...stages, ...by].join(
    ', ',
  )
}
