import { useSyncExternalStore } from 'react'

/** As in the style sheets. */
const NARROW = '(max-width: 760px)'

/** Whether there is room for one thing at a time only. */
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
