/** The event that the address names: a search result, shown at its place and highlighted. */

import { useCallback, useEffect, useMemo, useRef } from 'react'
import { itemIdOf } from '../../../../src/protocol/index.js'
import { useQueryString } from '../../route.js'
import { highlightWords } from '../../search/highlight.js'
import { loadFrom } from '../../store/open-session.js'
import type { OpenSession } from '../../store/state.js'
import { NOTHING } from './found.js'
import type { Row } from './row.js'
import { type Entry, isRun } from './run.js'

/** How many events before the hit are loaded, so that it does not stand at the upper edge. */
const EVENTS_BEFORE = 100
const MAX_FRAMES = 60

/** The ids from a row down to an item in it; empty if it is not in it. */
function pathTo(row: Row, id: string): string[] {
  if (row.item.id === id) return [id]
  const below = row.children.map((child) => pathTo(child, id)).find((path) => path.length > 0)
  return below ? [row.item.id, ...below] : []
}

function pathIn(entry: Entry, id: string): string[] {
  const rows = isRun(entry) ? entry.rows : [entry]
  return rows.flatMap((row) => pathTo(row, id))
}

interface HitOptions {
  open: OpenSession
  entries: readonly Entry[]
  /** Scrolls to an entry. */
  show(index: number, align: 'center'): void
}

export function useHit({ open, entries, show }: HitOptions) {
  const address = useQueryString()
  const { seq, words } = useMemo(() => {
    const params = new URLSearchParams(address)
    return { seq: Number(params.get('seq') ?? 0), words: params.get('q') ?? '' }
  }, [address])
  const first = open.events[0]?.seq
  useEffect(() => {
    if (seq > 0 && first !== undefined && first > seq && open.hasOlder && !open.isLoadingOlder)
      void loadFrom(Math.max(1, seq - EVENTS_BEFORE))
  }, [seq, first, open.hasOlder, open.isLoadingOlder])

  const event = useMemo(
    () => (seq > 0 ? open.events.find((one) => one.seq === seq) : undefined),
    [open.events, seq],
  )
  const id = event ? itemIdOf(event) : null
  const index = id === null ? -1 : entries.findIndex((entry) => pathIn(entry, id).length > 0)
  const entry = entries[index]
  const path = entry && id !== null ? pathIn(entry, id).join('\n') : ''
  const found = useMemo(() => (path === '' ? NOTHING : new Set(path.split('\n'))), [path])
  const shownId = index === -1 ? null : id
  // Not dependencies: what is loaded later moves the row, and must not scroll away what the user reads meanwhile.
  const latest = useRef({ show, index })
  latest.current = { show, index }
  // biome-ignore lint/correctness/useExhaustiveDependencies: another address is shown again.
  useEffect(() => {
    if (shownId === null) return
    latest.current.show(latest.current.index, 'center')
  }, [address, shownId])

  const focused = useRef<string | null>(null)
  const mark = useCallback(
    (element: HTMLElement | null) => {
      if (element === null) return
      if (focused.current !== address) focusWhenShown(element, MAX_FRAMES)
      focused.current = address
      return highlightWords(element, words)
    },
    [address, words],
  )
  return { found, index, mark }
}

/** A screen reader reads the row that has the focus. A row that is not measured yet is hidden and cannot have it. */
function focusWhenShown(element: HTMLElement, frames: number): void {
  requestAnimationFrame(() => {
    element.focus({ preventScroll: true })
    if (document.activeElement !== element && frames > 0) focusWhenShown(element, frames - 1)
  })
}
