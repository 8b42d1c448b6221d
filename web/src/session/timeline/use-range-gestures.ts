import { type RefCallback, useCallback, useRef } from 'react'

interface Gestures {
  /** `part`: position of the pointer on the track, from 0 to 1. */
  onZoom(factor: number, part: number): void
  /** `part`: fraction of the visible range. */
  onPan(part: number): void
}

const WHEEL_PIXELS = 400

/** Pinch or Ctrl + wheel zooms at the pointer. Drag or horizontal wheel pans. */
export function useRangeGestures(trackSelector: string, gestures: Gestures): RefCallback<HTMLElement> {
  const latest = useRef(gestures)
  latest.current = gestures
  return useCallback(
    (rows) => {
      if (!rows) return
      const cleanup = new AbortController()
      const { signal } = cleanup
      const trackOf = () => rows.querySelector(trackSelector)?.getBoundingClientRect() ?? null

      const onWheel = (event: WheelEvent) => {
        const track = trackOf()
        const isZoom = event.ctrlKey || event.metaKey
        const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)
        if (!track || (!isZoom && !isSideways)) return
        event.preventDefault()
        if (!isZoom) return latest.current.onPan((event.deltaX || event.deltaY) / track.width)
        const part = Math.min(1, Math.max(0, (event.clientX - track.left) / track.width))
        latest.current.onZoom(2 ** (event.deltaY / WHEEL_PIXELS), part)
      }

      let dragged: { pointerId: number; x: number } | null = null
      const onDown = (event: PointerEvent) => {
        const isOnTrack = event.target instanceof Element && event.target.closest(trackSelector) !== null
        if (isOnTrack && event.isPrimary && event.button === 0)
          dragged = { pointerId: event.pointerId, x: event.clientX }
      }
      const onDrag = (event: PointerEvent) => {
        const track = trackOf()
        if (dragged?.pointerId !== event.pointerId || !track) return
        latest.current.onPan((dragged.x - event.clientX) / track.width)
        dragged = { pointerId: event.pointerId, x: event.clientX }
      }
      const onUp = () => {
        dragged = null
      }

      // React attaches wheel listeners as passive, and a passive listener cannot prevent scrolling.
      rows.addEventListener('wheel', onWheel, { passive: false, signal })
      rows.addEventListener('pointerdown', onDown, { signal })
      addEventListener('pointermove', onDrag, { signal })
      addEventListener('pointerup', onUp, { signal })
      addEventListener('pointercancel', onUp, { signal })
      return () => cleanup.abort()
    },
    [trackSelector],
  )
}
