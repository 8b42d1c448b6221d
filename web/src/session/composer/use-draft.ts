import { useEffect, useState } from 'react'

/** Keeps the draft of each session, or of a new one, across reloads and navigation. */
export function useDraft(id: string): [string, (text: string) => void] {
  const key = `signalbox.draft.${id}`
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  useEffect(() => {
    setText(sessionStorage.getItem(key) ?? '')
  }, [key])
  return [
    text,
    (next) => {
      setText(next)
      try {
        if (next === '') sessionStorage.removeItem(key)
        else sessionStorage.setItem(key, next)
      } catch {
        // Over the storage quota: the draft is kept only until the page is closed.
      }
    },
  ]
}
