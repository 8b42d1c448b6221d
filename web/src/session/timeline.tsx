import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { printable } from '../part/printable.js'
import type { OpenSession } from '../store/state.js'
import { callDetail, toolName } from '../tool/call.js'
import { useNow } from '../use-now.js'
import { duration, t } from '../word/word.js'
import { type Bar, STAGES, timelineOf } from './timeline-model.js'

const ZOOMS = [1, 2, 4, 8, 16, 32] as const

/** Every call on one axis of time: when it was asked for, waited, ran. */
export function Timeline({ open }: { open: OpenSession }) {
  const now = useNow()
  const isLive = open.session?.turn !== null
  // A session that rests does not move on with the clock.
  const model = useMemo(
    () => timelineOf(open.events, isLive ? now : 0),
    [open.events, isLive, isLive ? now : 0],
  )
  const [zoom, setZoom] = useState(0)
  const [focused, setFocused] = useState(0)
  const list = useRef<VirtualizerHandle>(null)
  const scale = ZOOMS[zoom] ?? 1
  if (model.bars.length === 0) return <p className="blank">{t('timeline.none')}</p>

  const step = (event: KeyboardEvent, place: number) => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    const next = Math.max(0, Math.min(model.bars.length - 1, place + by))
    if (by === 0) return
    event.preventDefault()
    setFocused(next)
    list.current?.scrollToIndex(next, { align: 'nearest' })
    requestAnimationFrame(() => document.getElementById(`bar-${next}`)?.focus())
  }

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
        <span className="soft">{duration(model.span)}</span>
        <button
          type="button"
          disabled={zoom === 0}
          onClick={() => setZoom(zoom - 1)}
          aria-label={t('zoom.out')}
        >
          −
        </button>
        <button
          type="button"
          disabled={zoom === ZOOMS.length - 1}
          onClick={() => setZoom(zoom + 1)}
          aria-label={t('zoom.in')}
        >
          +
        </button>
      </header>
      <div className="timeline-rows">
        <Virtualizer ref={list} as="ul" item="li">
          {model.bars.map((bar, place) => (
            <button
              key={bar.id}
              id={`bar-${place}`}
              type="button"
              className="bar-row"
              tabIndex={place === focused ? 0 : -1}
              aria-label={barLabel(bar, open.session?.cwd ?? '', model.span)}
              onFocus={() => setFocused(place)}
              onKeyDown={(event) => step(event, place)}
            >
              <span className={bar.parentId === null ? 'bar-name cut' : 'bar-name cut inner'}>
                <strong>{printable(toolName(bar.name))}</strong>{' '}
                <code>{printable(callDetail(bar.input, open.session?.cwd ?? ''))}</code>
              </span>
              <span className="bar-track">
                <span
                  className="bar-scale"
                  style={{ width: `${100 * scale}%`, marginLeft: `${shift(model.span, scale)}%` }}
                >
                  {bar.stages.map((stage) => (
                    <span
                      key={`${stage.name}${stage.start}`}
                      className={`bar ${stage.name} ${bar.outcome ?? 'open'}`}
                      style={{
                        left: `${(stage.start / model.span) * 100}%`,
                        width: `max(3px, ${((stage.end - stage.start) / model.span) * 100}%)`,
                      }}
                    />
                  ))}
                </span>
              </span>
              <span className="bar-time">{bar.end === null ? '…' : duration(bar.end - bar.start)}</span>
            </button>
          ))}
        </Virtualizer>
      </div>
    </section>
  )
}

/** Closer up, the end is what is looked at. */
function shift(_span: number, scale: number): number {
  return -(scale - 1) * 100
}

function barLabel(bar: Bar, cwd: string, span: number): string {
  const stages = bar.stages.map(({ name, start, end }) => `${t(`stage.${name}`)} ${duration(end - start)}`)
  const by = bar.decidedBy === null ? [] : [t('timeline.decided', { who: bar.decidedBy })]
  const whole = bar.end === null ? t('tool.running') : duration((bar.end ?? span) - bar.start)
  return [`${toolName(bar.name)} ${callDetail(bar.input, cwd)}`, whole, ...stages, ...by].join(', ')
}
