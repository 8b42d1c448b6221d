import { type KeyboardEvent, lazy, Suspense, useEffect, useId, useRef, useState } from 'react'
import type { RecentFolder } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { client } from '../../store/state.js'
import { useEscape } from '../../ui/escape.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'
import { usePopup } from '../../ui/use-popup.js'

const FolderBrowser = lazy(async () => ({ default: (await import('./folder-browser.js')).FolderBrowser }))

const MAX_SHOWN = 12

/** Folders of sessions and trusted ones, the last used first. Empty until they are loaded. */
export function useRecentFolders(): readonly RecentFolder[] {
  const [folders, setFolders] = useState<readonly RecentFolder[]>([])
  useEffect(() => {
    client.listRecentFolders({ query: { limit: 50 } }).then(
      (reply) => setFolders(reply.folders),
      () => {},
    )
  }, [])
  return folders
}

interface FolderFieldProps {
  value: string
  recent: readonly RecentFolder[]
  onChange(folder: string): void
}

/** The folder of a new session: typed, chosen from recent ones, or found in the folder browser. */
export function FolderField({ value, recent, onChange }: FolderFieldProps) {
  const [isOpen, setIsOpen] = useState(false)
  /** Narrows the list from the first letter that is typed on. */
  const [isTyped, setIsTyped] = useState(false)
  const [active, setActive] = useState(-1)
  const [isBrowsing, setIsBrowsing] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const wanted = isTyped ? value.trim().toLowerCase() : ''
  const list = recent.filter(({ path }) => path.toLowerCase().includes(wanted)).slice(0, MAX_SHOWN)
  const isShown = isOpen && list.length > 0
  const popup = usePopup(input, { isOpen: isShown, side: 'below', isFitted: true })
  useEscape(isShown, () => setIsOpen(false))

  const open = () => {
    setActive(-1)
    setIsOpen(true)
  }
  const choose = (path: string) => {
    onChange(path)
    setIsTyped(false)
    setIsOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const current = list[active]
    if (step !== undefined && list.length > 0) {
      event.preventDefault()
      if (isOpen) setActive((active + step + list.length) % list.length)
      else open()
    } else if (event.key === 'Enter' && isShown && current) {
      event.preventDefault()
      choose(current.path)
    } else if (event.key === 'Tab' && isShown && current) choose(current.path)
  }
  return (
    <div className="folder-field">
      <label htmlFor={`${id}-field`}>{t('new.folder')}</label>
      <div className="row">
        <input
          ref={input}
          id={`${id}-field`}
          className="grow"
          role="combobox"
          aria-expanded={isShown}
          aria-controls={isShown ? id : undefined}
          aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          value={value}
          placeholder="/path/to/your/project"
          onChange={(event) => {
            onChange(event.target.value)
            setIsTyped(true)
            open()
          }}
          onClick={open}
          // Race: a default that arrives late must not change the text under the user's cursor.
          onFocus={() => onChange(value)}
          onBlur={() => setIsOpen(false)}
          onKeyDown={onKeyDown}
        />
        <button type="button" onClick={() => setIsBrowsing(true)}>
          <Icon name="folder" /> {t('folder.browse')}
        </button>
      </div>
      {isShown && (
        <div
          ref={popup.ref}
          id={id}
          popover="manual"
          role="listbox"
          aria-label={t('folder.recent')}
          className="popup"
          style={popup.style}
          onMouseDown={(event) => event.preventDefault()}
        >
          {list.map(({ path, isTrusted }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys.
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus.
            <div
              key={path}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === active}
              className={index === active ? 'popup-option active' : 'popup-option'}
              onClick={() => choose(path)}
            >
              <span className="folder-path">{printable(path)}</span>
              {isTrusted && <small className="muted">{t('folder.trusted')}</small>}
            </div>
          ))}
        </div>
      )}
      <Suspense>
        {isBrowsing && (
          <FolderBrowser
            start={value}
            recent={recent}
            onChoose={(path) => {
              choose(path)
              setIsBrowsing(false)
            }}
            onClose={() => setIsBrowsing(false)}
          />
        )}
      </Suspense>
    </div>
  )
}
