import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { duration, t } from '../../i18n/i18n.js'
import type { OpenSession } from '../../store/state.js'
import { callDetail, deciderName, toolName } from '../../tool/call.js'
import { printable } from '../../ui/printable.js'
import { useNow } from '../../ui/use-now.js'
import { Axis, PAN_STEP, RangeControls, Track, ZOOM_STEP } from './axis.js'
import { type Bar, buildTimeline, STAGES } from './model.js'
import { pan, type Range, reveal, zoom } from './range.js'
import { useRangeGestures } from './use-range-gestures.js'

/** All tool calls on one time axis, each with the stages policy check, waiting, running and hooks. */
export function Timeline({ open }: { open: OpenSession }) {
  const now = useNow()
  const isLive = open.session?.turn !== null
  // An idle session does not depend on the clock, so it is not re-rendered every second.
  const time = isLive ? now : 0
  const model = useMemo(() => buildTimeline(open.events, time), [open.events, time])
  const { bars, span } = model
  // Null: the full range, also when it grows.
  const [chosen, setChosen] = useState<Range | null>(null)
  const range = chosen ?? { from: 0, to: span }
  const [focused, setFocused] = useState(0)
  const list = useRef<VirtualizerHandle>(null)
  const change = (next: Range) => setChosen(next.from <= 0 && next.to >= span ? null : next)
  const rows = useRangeGestures('.bar-track', {
    onZoom: (factor, part) => change(zoom(range, span, factor, range.from + part * (range.to - range.from))),
    onPan: (part) => change(pan(range, span, part)),
  })
  if (bars.length === 0) return <p className="empty">{t('timeline.none')}</p>

  const focus = (index: number) => {
    const bar = bars[index]
    if (!bar) return
    setFocused(index)
    if (chosen) change(reveal(range, span, bar.start, bar.end ?? span))
    list.current?.scrollToIndex(index, { align: 'nearest' })
    requestAnimationFrame(() => document.getElementById(`bar-${index}`)?.focus())
  }
  const onKey = (event: KeyboardEvent, index: number) => {
    const actions: Readonly<Record<string, () => void>> = {
      ArrowDown: () => focus(index + 1),
      ArrowUp: () => focus(index - 1),
      ArrowLeft: () => change(pan(range, span, -PAN_STEP)),
      ArrowRight: () => change(pan(range, span, PAN_STEP)),
      '+': () => change(zoom(range, span, ZOOM_STEP, visibleCentre(bars[index], range))),
      '=': () => change(zoom(range, span, ZOOM_STEP, visibleCentre(bars[index], range))),
      '-': () => change(zoom(range, span, 1 / ZOOM_STEP)),
      '0': () => setChosen(null),
    }
    const action = event.ctrlKey || event.metaKey || event.altKey ? undefined : actions[event.key]
    if (!action) return
    event.preventDefault()
    action()
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
        <RangeControls
          isFullRange={chosen === null}
          onZoom={(factor) => change(zoom(range, span, factor))}
          onPan={(part) => change(pan(range, span, part))}
          onReset={() => setChosen(null)}
        />
      </header>
      <Axis range={range} />
      <div className="timeline-rows" ref={rows}>
        <Virtualizer ref={list} as="ul" item="li">
          {bars.map((bar, index) => (
            <button
              key={bar.id}
              id={`bar-${index}`}
              type="button"
              className="bar-row"
              tabIndex={index === Math.min(focused, bars.length - 1) ? 0 : -1}
              aria-label={barLabel(bar, cwd)}
              onFocus={() => setFocused(index)}
              onKeyDown={(event) => onKey(event, index)}
            >
              <span className={bar.isSubagent ? 'bar-name truncate of-subagent' : 'bar-name truncate'}>
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
        <kbd>→</kbd> {t('key.pan')} · <kbd>0</kbd> {t('zoom.all')} · {t('timeline.pointer')}
      </p>
    </section>
  )
}

/** Centre of the visible part of a bar. */
function visibleCentre(bar: Bar | undefined, { from, to }: Range): number {
  if (!bar) return (from + to) / 2
  const start = Math.max(from, bar.start)
  const end = Math.min(to, bar.end ?? to)
  return start <= end ? (start + end) / 2 : (from + to) / 2
}

function barLabel(bar: Bar, cwd: string): string {
  const stages = bar.stages.map(({ name, start, end }) => `${t(`stage.${name}`)} ${duration(end - start)}`)
  const by = bar.decidedBy === null ? [] : [t('timeline.decided', { who: deciderName(bar.decidedBy) })]
  const length = bar.end === null ? t('tool.running') : duration(bar.end - bar.start)
  const outcome = bar.outcome === null ? [] : [t(`tool.${bar.outcome}`)]
  return [`${toolName(bar.name)} ${callDetail(bar.input, cwd)}`, length, ...outcome, ...stages, ...by].join(
    ', ',
  )
}
