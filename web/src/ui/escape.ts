/**
 * Decides what Escape does. It closes what was opened last (menu, form, dialog). If nothing is open it leaves the focused
 * field. Only then does the view get the key, so that closing something never stops an agent.
 */

import { useLayoutEffect, useRef } from 'react'

type Action = () => void

/** Close what is open, the last opened at the end. */
const layers: Action[] = []
const viewActions: Action[] = []

/** Closes something with Escape while it is open. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useEntry(layers, isOpen, close)
}

/** The action of this view for Escape when nothing is open and no field has the focus. */
export function useEscapeInView(isActive: boolean, act: () => void): void {
  useEntry(viewActions, isActive, act)
}

function useEntry(list: Action[], isListed: boolean, act: Action): void {
  const latest = useRef(act)
  latest.current = act
  // Race: a layout effect, so that what is visible can be closed, and what is hidden is not.
  useLayoutEffect(() => {
    if (!isListed) return
    const entry = () => latest.current()
    list.push(entry)
    return () => {
      list.splice(list.indexOf(entry), 1)
    }
  }, [list, isListed])
}

/** The one listener of the page. Components that use the key themselves prevent its default. */
export function useEscapeKey(): void {
  useLayoutEffect(() => {
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function onKey(event: KeyboardEvent): void {
  // IME: Escape also cancels a Korean or Japanese composition.
  if (event.key !== 'Escape' || event.isComposing || event.defaultPrevented) return
  const field = fieldOf(event.target)
  const close = layers.at(-1)
  if (close) {
    event.preventDefault()
    // A key that is held down must not close everything, one thing after the other.
    if (!event.repeat) close()
  } else if (field) {
    field.blur()
  } else if (!event.repeat) {
    viewActions.at(-1)?.()
  }
}

function fieldOf(target: EventTarget | null): HTMLElement | null {
  if (!(target instanceof HTMLElement)) return null
  return target.closest<HTMLElement>('textarea, select, input:not([type=checkbox]):not([type=radio])')
}
