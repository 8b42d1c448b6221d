/** Marks found text in the drawn rows. The marks are ranges, so that the elements of React stay as they are. */

import { type RefObject, useEffect } from 'react'
import { matchesOf, rangesIn } from '../../ui/text-range.js'

const MAX_MARKS = 2_000
const NAME = 'found'

/** Rows are drawn while the user scrolls, so the marks follow every change of the elements. */
export function useHighlight(frame: RefObject<HTMLElement | null>, query: string): void {
  useEffect(() => {
    const element = frame.current
    const words = query.trim().toLowerCase()
    // Optional: a browser without the highlight API still leads to the row.
    if (!element || words === '' || !('highlights' in CSS)) return
    let drawing = 0
    const draw = () => {
      drawing = 0
      CSS.highlights.set(NAME, new Highlight(...rangesOf(element, words)))
    }
    const observer = new MutationObserver(() => {
      drawing ||= requestAnimationFrame(draw)
    })
    observer.observe(element, { childList: true, subtree: true, characterData: true })
    draw()
    return () => {
      observer.disconnect()
      cancelAnimationFrame(drawing)
      CSS.highlights.delete(NAME)
    }
  }, [frame, query])
}

function rangesOf(element: HTMLElement, words: string): Range[] {
  // An empty text is found everywhere.
  if (words === '') return []
  const pattern = new RegExp(words.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'giu')
  return rangesIn(element, (text) => matchesOf(text, pattern), MAX_MARKS)
}

/** Frames to wait for a row that is drawn, opened and filled. */
const MAX_FRAMES = 60

/** Scrolls to the first match in a row, in every box that it is in. Returns a function that gives up. */
export function reveal(frame: HTMLElement, id: string, query: string): () => void {
  const words = query.trim().toLowerCase()
  const name = CSS.escape(id)
  let frames = 0
  let waiting = requestAnimationFrame(look)
  function look() {
    const row = frame.querySelector<HTMLElement>(`[data-item="${name}"], [data-entry="${name}"]`)
    const [match] = row ? rangesOf(row, words) : []
    if (match) scrollTo(match, frame)
    else if (++frames < MAX_FRAMES) waiting = requestAnimationFrame(look)
  }
  return () => cancelAnimationFrame(waiting)
}

function scrollTo(match: Range, frame: HTMLElement): void {
  for (let box = match.startContainer.parentElement; box; box = box === frame ? null : box.parentElement) {
    const inside = match.getBoundingClientRect()
    const { top, bottom, height } = box.getBoundingClientRect()
    const isCut = box.scrollHeight > box.clientHeight && (inside.top < top || inside.bottom > bottom)
    if (isCut) box.scrollTop += inside.top - top - height / 2
  }
}
