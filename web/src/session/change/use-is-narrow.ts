import { useLayoutEffect, useState } from 'react'

/** Less than this leaves no room for a list beside the lines. */
const NARROW = 640

/** Whether the element is narrow, whatever the width of the screen: a pane beside it may take most of that. */
export function useIsNarrow(element: HTMLElement | null): boolean {
  const [isNarrow, setIsNarrow] = useState(false)
  useLayoutEffect(() => {
    if (!element) return
    const measure = () => setIsNarrow(element.clientWidth < NARROW)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return isNarrow
}
