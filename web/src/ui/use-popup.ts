import { type CSSProperties, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'

const GAP = 4
const MAX_HEIGHT = 360
/** A list needs at least this much room to be of use on its side. */
const ENOUGH = 170

interface Popup {
  /** For the element with `popover="manual"`. */
  ref(element: HTMLElement | null): void
  style: CSSProperties
}

interface PopupOptions {
  isOpen: boolean
  /** Where it goes if there is room. */
  side: 'above' | 'below'
  /** As wide as the field. Otherwise at least as wide, and as wide as its content. */
  isFitted?: boolean
}

/**
 * Places a list beside a field, above the keyboard of a phone. It is in the top layer, so that no box that scrolls cuts it
 * off.
 */
export function usePopup(
  anchor: RefObject<HTMLElement | null>,
  { isOpen, side, isFitted = false }: PopupOptions,
): Popup {
  const [style, setStyle] = useState<CSSProperties>({})
  const element = useRef<HTMLElement | null>(null)
  useLayoutEffect(() => {
    if (!isOpen) return
    const place = () => {
      const box = anchor.current?.getBoundingClientRect()
      if (!box) return
      const width = isFitted ? box.width : Math.max(box.width, element.current?.offsetWidth ?? 0)
      setStyle({
        ...placeBeside(box, side),
        left: Math.max(GAP, Math.min(box.left, innerWidth - width - GAP)),
        ...(isFitted ? { width } : { minWidth: box.width }),
      })
    }
    place()
    const { visualViewport } = window
    // Capture: a box that scrolls does not let the event through otherwise.
    document.addEventListener('scroll', place, { capture: true, passive: true })
    addEventListener('resize', place)
    visualViewport?.addEventListener('resize', place)
    visualViewport?.addEventListener('scroll', place)
    return () => {
      document.removeEventListener('scroll', place, { capture: true })
      removeEventListener('resize', place)
      visualViewport?.removeEventListener('resize', place)
      visualViewport?.removeEventListener('scroll', place)
    }
  }, [anchor, isOpen, side, isFitted])
  const ref = useCallback((shown: HTMLElement | null) => {
    element.current = shown
    shown?.showPopover()
  }, [])
  return { ref, style }
}

function placeBeside(box: DOMRect, side: 'above' | 'below'): CSSProperties {
  const visible = window.visualViewport
  const top = visible?.offsetTop ?? 0
  const bottom = top + (visible?.height ?? innerHeight)
  const [above, below] = [box.top - top - 2 * GAP, bottom - box.bottom - 2 * GAP]
  const isAbove = side === 'above' ? above >= ENOUGH || above > below : below < ENOUGH && above > below
  return {
    maxHeight: Math.max(80, Math.min(MAX_HEIGHT, isAbove ? above : below)),
    ...(isAbove ? { bottom: innerHeight - box.top + GAP } : { top: box.bottom + GAP }),
  }
}
