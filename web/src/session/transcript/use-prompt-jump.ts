import { type RefObject, useEffect, useRef } from 'react'
import { loadOlder } from '../../store/open-session.js'
import type { OpenSession } from '../../store/state.js'
import { type Entry, entryId, isRun } from './run.js'

const SETTLE_MS = 120

/** Scrolls to the previous or next message of a user. */
export function usePromptJump(
  entries: readonly Entry[],
  open: OpenSession,
  scroller: RefObject<HTMLElement | null>,
  showEntry: (place: number, align: 'start') => void,
): (by: 1 | -1) => void {
  /** A jump that waits until earlier rows are loaded. */
  const isWaiting = useRef(false)

  const jump = (by: 1 | -1) => {
    const frame = scroller.current
    if (!frame) return
    const first = firstVisible(frame)
    const top = entries.findIndex((entry) => entryId(entry) === first)
    const target =
      by < 0
        ? entries.findLastIndex((entry, place) => place < top && isPrompt(entry))
        : entries.findIndex((entry, place) => place > top && isPrompt(entry))
    if (target >= 0) return showEntry(target, 'start')
    if (by > 0) return showEntry(entries.length - 1, 'start')
    if (!open.hasOlder) return showEntry(0, 'start')
    isWaiting.current = true
    void loadOlder()
  }
  const latest = useRef(jump)
  latest.current = jump
  const hasLoaded = open.events[0]?.seq
  useEffect(() => {
    if (!isWaiting.current || hasLoaded === undefined) return
    // Race: the list first scrolls to keep its place below the new rows, and would undo an earlier jump.
    const timer = setTimeout(() => {
      isWaiting.current = false
      latest.current(-1)
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [hasLoaded])
  return jump
}

/** A row that was scrolled to has a margin above it, in which the end of another is seen. */
function firstVisible(frame: HTMLElement): string | undefined {
  const { top } = frame.getBoundingClientRect()
  const drawn = [...frame.querySelectorAll<HTMLElement>('[data-entry]')]
  return drawn.find((row) => row.getBoundingClientRect().bottom > top + 28)?.dataset['entry']
}

function isPrompt(entry: Entry): boolean {
  return !isRun(entry) && entry.item.kind === 'message'
}
