import { type KeyboardEvent, useRef } from 'react'
import { promptHistory } from '../../store/prompt-history.js'
import { getState } from '../../store/state.js'

interface Browsing {
  prompts: readonly string[]
  /** The prompt that is shown; -1 for the draft. */
  at: number
  draft: string
}

/**
 * ↑ at the start of the field shows the user's earlier prompts, the newest first; ↓ returns to newer ones and to the
 * draft. An edit ends it: then the arrows move in the text again.
 */
export function useHistory(sessionId: string, text: string, onText: (text: string) => void) {
  const browsing = useRef<Browsing | null>(null)
  const isBrowsing = () => {
    const { current } = browsing
    return current !== null && text === (current.prompts[current.at] ?? current.draft)
  }
  const show = (state: Browsing, at: number): boolean => {
    if (at < -1 || at >= state.prompts.length) return false
    browsing.current = at === -1 ? null : { ...state, at }
    onText(state.prompts[at] ?? state.draft)
    return true
  }
  /** Whether the key was used. */
  return (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    const { selectionStart, selectionEnd } = event.currentTarget
    const hasModifier = event.shiftKey || event.altKey || event.ctrlKey || event.metaKey
    if (hasModifier || selectionStart !== selectionEnd) return false
    const { current } = browsing
    if (event.key === 'ArrowUp') {
      if (current && isBrowsing()) return show(current, current.at + 1)
      if (selectionStart !== 0) return false
      const who = getState().about?.you.name ?? ''
      const all = promptHistory({ who, sessionId }, ownPrompts(sessionId, who))
      const prompts = all.filter((prompt) => prompt !== text)
      return show({ prompts, at: -1, draft: text }, 0)
    }
    return event.key === 'ArrowDown' && current !== null && isBrowsing() && show(current, current.at - 1)
  }
}

/** Prompts of this user in the open conversation, oldest first: also those sent by other clients. */
function ownPrompts(sessionId: string, who: string): string[] {
  const { open } = getState()
  if (!open || open.id !== sessionId) return []
  return open.transcript.items.flatMap((item) =>
    item.kind === 'message' && item.from.who === who && item.text.trim() !== '' ? [item.text] : [],
  )
}
