import { type RefObject, useEffect, useRef } from 'react'
import { count, t } from '../../i18n/i18n.js'
import { Icon, type IconName } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { usePopup } from '../../ui/use-popup.js'
import type { Suggestion } from './suggestion.js'

const ICONS: Readonly<Record<Suggestion['kind'], IconName>> = {
  file: 'file',
  folder: 'folder',
  command: 'chevron',
  skill: 'plug',
  prompt: 'bookmark',
}

interface SuggestionListProps {
  id: string
  /** The field that keeps the focus. */
  anchor: RefObject<HTMLElement | null>
  list: readonly Suggestion[]
  active: number
  isLoading: boolean
  problem: string
  onPick(suggestion: Suggestion): void
}

export function SuggestionList({
  id,
  anchor,
  list,
  active,
  isLoading,
  problem,
  onPick,
}: SuggestionListProps) {
  const popup = usePopup(anchor, { isOpen: true, side: 'above', isFitted: true })
  const box = useRef<HTMLElement | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when another suggestion is active.
  useEffect(() => {
    box.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }, [active, list])
  return (
    <>
      <span className="visually-hidden" role="status">
        {list.length > 0 ? count('complete.found', list.length) : problem || (isLoading ? t('loading') : '')}
      </span>
      <div
        ref={(element) => {
          box.current = element
          popup.ref(element)
        }}
        popover="manual"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be focusable.
        tabIndex={0}
        className="popup suggestions-popup"
        style={popup.style}
        // The field keeps the focus, and names the active suggestion.
        onMouseDown={(event) => event.preventDefault()}
      >
        {list.length === 0 && (
          <p className="popup-note muted" aria-hidden="true">
            {problem || t('loading')}
          </p>
        )}
        <div id={id} role="listbox" aria-label={t('complete')}>
          {list.map((suggestion, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
            <div
              key={suggestion.id}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              className={index === active ? 'popup-option suggestion active' : 'popup-option suggestion'}
              onClick={() => onPick(suggestion)}
            >
              <Icon name={ICONS[suggestion.kind]} />
              <span className="suggestion-line">
                <span className="popup-name">{printable(suggestion.name)}</span>
                {suggestion.hint && <span className="muted truncate">{printable(suggestion.hint)}</span>}
              </span>
              {!['file', 'folder', 'command'].includes(suggestion.kind) && (
                <span className="suggestion-kind">
                  {t(`complete.${suggestion.kind as 'skill' | 'prompt'}`)}
                </span>
              )}
              {suggestion.description && (
                <small className="muted truncate">{printable(suggestion.description)}</small>
              )}
            </div>
          ))}
        </div>
      </div>
    </>
  )
}
