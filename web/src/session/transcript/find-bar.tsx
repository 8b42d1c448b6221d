import { type KeyboardEvent, useEffect, useRef } from 'react'
import { t } from '../../i18n/i18n.js'
import { useEscape } from '../../ui/escape.js'
import { Icon } from '../../ui/icon.js'

interface FindBarProps {
  query: string
  /** The number of the current hit, from 1; 0 without hits. */
  current: number
  hits: number
  isLoading: boolean
  onQuery(query: string): void
  onStep(by: 1 | -1): void
  onClose(): void
}

/** The field to find text in the open conversation. */
export function FindBar({ query, current, hits, isLoading, onQuery, onStep, onClose }: FindBarProps) {
  const field = useRef<HTMLInputElement>(null)
  useEscape(true, onClose)
  useEffect(() => field.current?.select(), [])
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
    event.preventDefault()
    onStep(event.shiftKey ? -1 : 1)
  }
  return (
    <search className="find-bar">
      <input
        ref={field}
        aria-label={t('find.label')}
        placeholder={t('find.label')}
        value={query}
        // biome-ignore lint/a11y/noAutofocus: the user has just opened this field.
        autoFocus
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={onKey}
      />
      <span className="muted" role="status">
        {isLoading ? t('loading') : query.trim() === '' ? '' : t('find.count', { n: current, of: hits })}
      </span>
      <button
        type="button"
        className="plain icon-only"
        aria-label={t('find.previous')}
        disabled={hits === 0}
        onClick={() => onStep(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        className="plain icon-only"
        aria-label={t('find.next')}
        disabled={hits === 0}
        onClick={() => onStep(1)}
      >
        <Icon name="down" />
      </button>
      <button type="button" className="plain icon-only" aria-label={t('close')} onClick={onClose}>
        <Icon name="cross" />
      </button>
    </search>
  )
}
