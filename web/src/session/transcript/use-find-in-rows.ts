import { type RefObject, useEffect, useRef, useState } from 'react'
import { loadAllOlder } from '../../store/open-session.js'
import type { OpenSession } from '../../store/state.js'
import { useFind } from './find.js'
import { reveal, useHighlight } from './highlight.js'
import type { Entry } from './run.js'

const NOTHING: ReadonlySet<string> = new Set()

/** State of the search in a conversation: the words, the hits and the current one. Starts at the newest hit. */
export function useFindInRows(
  entries: readonly Entry[],
  { hasOlder, isLoadingOlder }: OpenSession,
  scroller: RefObject<HTMLElement | null>,
  showEntry: (place: number, align: 'center') => void,
) {
  const [isOpen, setIsOpen] = useState(false)
  const [query, setQuery] = useState('')
  const [currentId, setCurrentId] = useState<string | null>(null)
  const searched = isOpen ? query : ''
  const hits = useFind(entries, searched)
  useHighlight(scroller, searched)

  // Only the end of a long conversation is loaded at first.
  // Once per opening: without a connection it would be tried again and again.
  const needsOlder = searched.trim() !== '' && hasOlder
  useEffect(() => {
    if (needsOlder) void loadAllOlder()
  }, [needsOlder])

  const known = hits.findIndex(({ id }) => id === currentId)
  const number = known >= 0 ? known : hits.length - 1
  const current = hits[number]
  const latest = useRef(showEntry)
  latest.current = showEntry
  const shownId = current?.id
  // Not a dependency: rows above it change its place, and must not scroll away what the user reads meanwhile.
  const place = useRef(0)
  place.current = current?.place ?? 0
  useEffect(() => {
    const frame = scroller.current
    if (shownId === undefined || !frame) return
    latest.current(place.current, 'center')
    return reveal(frame, shownId, searched)
  }, [shownId, searched, scroller])

  return {
    isOpen,
    open: () => setIsOpen(true),
    path: current?.path ?? NOTHING,
    bar: {
      query,
      current: number + 1,
      hits: hits.length,
      isLoading: searched.trim() !== '' && isLoadingOlder,
      onQuery: (typed: string) => {
        setQuery(typed)
        setCurrentId(null)
      },
      onStep: (by: 1 | -1) => {
        const next = hits[(number + by + hits.length) % hits.length]
        if (next) setCurrentId(next.id)
      },
      onClose: () => {
        setIsOpen(false)
        scroller.current?.focus()
      },
    },
  }
}
