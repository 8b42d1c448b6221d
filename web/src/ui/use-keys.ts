import { useLayoutEffect, useRef } from 'react'

export type Keys = Readonly<Record<string, () => void>>

/**
 * Global keyboard shortcuts. Ignored in text fields and while a dialog is open. Escape has its own file. Race: a layout
 * effect, because shortcuts must work as soon as the view is shown, and must not while its successor is loading: the hidden
 * view would answer a request that the user no longer sees.
 */
export function useKeys(keys: Keys): void {
  const latest = useRef(keys)
  latest.current = keys
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented)
        return
      if (isTyping(event.target, event.key) || document.querySelector('dialog[open]')) return
      const act = latest.current[event.key]
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function isTyping(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.closest('textarea, select, input:not([type=checkbox]):not([type=radio])')) return true
  // Enter on a focused button or link activates that element.
  return key === 'Enter' && target.closest('button, a, summary, label, input') !== null
}
