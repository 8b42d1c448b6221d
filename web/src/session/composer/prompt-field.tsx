import { type ClipboardEvent, type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from 'react'
import { useEscape } from '../../ui/escape.js'
import type { Suggestion } from './suggestion.js'
import { SuggestionList } from './suggestion-list.js'
import { type CompletionToken, replaceToken, tokenAt } from './token.js'
import { useHistory } from './use-history.js'
import { type MessagePlace, useSuggestions } from './use-suggestions.js'

interface PromptFieldProps {
  text: string
  place: MessagePlace
  label: string
  placeholder: string
  rows: number
  isDisabled?: boolean
  onText(text: string): void
  /** A key that is not for the list or the history. */
  onKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void
  onPaste(event: ClipboardEvent): void
}

/** The text of a message, with completion of /commands and @files, and with the user's earlier prompts. */
export function PromptField(props: PromptFieldProps) {
  const { text, place, label, placeholder, rows, isDisabled = false, onText, onKeyDown, onPaste } = props
  const field = useRef<HTMLTextAreaElement>(null)
  const [cursor, setCursor] = useState(0)
  const [hasFocus, setHasFocus] = useState(false)
  const [dismissed, setDismissed] = useState<string | null>(null)
  /** The text is an earlier prompt: the arrows go on to others, and no list is in their way. */
  const [isRecalled, setIsRecalled] = useState(false)
  const [chosen, setChosen] = useState(0)
  const id = useId()

  const token = hasFocus && !isDisabled && !isRecalled ? tokenAt(text, cursor) : null
  const key = token && `${token.kind}:${token.start}`
  const wanted = key !== null && key !== dismissed ? token : null
  const { list, isStale, isLoading, problem } = useSuggestions(place, wanted)
  const isOpen = wanted !== null && (list.length > 0 || isLoading || problem !== '')
  const active = Math.min(chosen, list.length - 1)
  useEscape(isOpen, () => setDismissed(key))

  const moveTo = useCursor(field, text)
  const takeHistoryKey = useHistory(place.sessionId ?? '', text, (prompt) => {
    onText(prompt)
    moveTo(prompt.length)
    setIsRecalled(true)
  })
  const pick = (of: CompletionToken, suggestion: Suggestion) => {
    const edit = replaceToken(text, of, suggestion.insert, suggestion.hasSpace)
    onText(edit.text)
    setCursor(edit.cursor)
    moveTo(edit.cursor)
    setChosen(0)
    field.current?.focus()
  }
  /** Whether the key was for the list. */
  const takeListKey = (event: KeyboardEvent): boolean => {
    const current = list[active]
    if (!wanted || !current || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const isPick = event.key === 'Tab' || (event.key === 'Enter' && !isWhole(text, wanted, current))
    if (step !== undefined) setChosen((active + step + list.length) % list.length)
    else if (!isPick) return false
    // The list for the last letter is on its way: what is picked is never what the user has not seen.
    else if (!isStale) pick(wanted, current)
    return true
  }
  return (
    <>
      <textarea
        ref={field}
        aria-label={label}
        aria-autocomplete="list"
        aria-haspopup="listbox"
        aria-controls={isOpen ? id : undefined}
        aria-activedescendant={isOpen && list.length > 0 ? `${id}-${active}` : undefined}
        rows={rows}
        value={text}
        disabled={isDisabled}
        placeholder={placeholder}
        onChange={({ target }) => {
          onText(target.value)
          setIsRecalled(false)
          setCursor(target.selectionStart)
          setChosen(0)
          if (tokenAt(target.value, target.selectionStart) === null) setDismissed(null)
        }}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onFocus={() => setHasFocus(true)}
        onBlur={() => setHasFocus(false)}
        onKeyDown={(event) => {
          // IME: Enter, Tab and arrows belong to a Korean or Japanese composition. Safari reports its end by 229 only.
          if (event.nativeEvent.isComposing || event.keyCode === 229) return
          if (takeListKey(event) || takeHistoryKey(event)) event.preventDefault()
          else onKeyDown(event)
        }}
        onPaste={onPaste}
      />
      {isOpen && (
        <SuggestionList
          id={id}
          anchor={field}
          list={list}
          active={active}
          isLoading={isLoading}
          problem={problem}
          onPick={(suggestion) => pick(wanted, suggestion)}
        />
      )}
    </>
  )
}

/** Whether the suggestion is typed already: then Enter sends the message. */
function isWhole(text: string, token: CompletionToken, suggestion: Suggestion): boolean {
  return text.slice(token.start, token.end) === suggestion.insert
}

/** Moves the cursor once the field has its new text. */
function useCursor(field: React.RefObject<HTMLTextAreaElement | null>, text: string) {
  const wanted = useRef<number | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: after the text has changed.
  useLayoutEffect(() => {
    if (wanted.current === null) return
    field.current?.setSelectionRange(wanted.current, wanted.current)
    wanted.current = null
  }, [text])
  return (to: number) => {
    wanted.current = to
  }
}
