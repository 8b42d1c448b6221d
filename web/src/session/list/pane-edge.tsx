import type { KeyboardEvent, PointerEvent } from 'react'
import { t } from '../../i18n/i18n.js'
import { clampWidth, MAX_WIDTH, MIN_WIDTH, setListView, useListView } from './list-view.js'

const STEP = 24

/** The edge of the list: drag it, or move it with the arrow keys. A double click restores the default width. */
export function PaneEdge() {
  const { width } = useListView()
  const current = (edge: HTMLElement) => edge.parentElement?.offsetWidth ?? MIN_WIDTH
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key]
    if (by === undefined) return
    event.preventDefault()
    setListView({ width: clampWidth(current(event.currentTarget) + by) })
  }
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const edge = event.currentTarget
    if (!edge.hasPointerCapture(event.pointerId) || !edge.parentElement) return
    setListView({ width: clampWidth(event.clientX - edge.parentElement.getBoundingClientRect().left) })
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule cannot have the focus.
    <div
      className="pane-edge"
      role="separator"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a separator that can be moved has the focus.
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={t('list.resize')}
      aria-valuenow={width ?? MIN_WIDTH}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDoubleClick={() => setListView({ width: null })}
    />
  )
}
