import { useSyncExternalStore } from 'react'

/** The breakpoint of the style sheets. */
const NARROW = '(max-width: 760px)'

/** Whether the screen is narrow, so that the page shows one pane at a time. */
export function usePhone(): boolean {
  return useSyncExternalStore(
    (listener) => {
      const query = matchMedia(NARROW)
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => matchMedia(NARROW).matches,
  )
}
