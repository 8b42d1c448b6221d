import { type KeyboardEvent, useCallback, useEffect, useRef, useState } from 'react'
import type { FolderListing, RecentFolder } from '../../../../src/protocol/index.js'
import { t } from '../../i18n/i18n.js'
import { errorLabel } from '../../i18n/server-text.js'
import { client, useHasRole } from '../../store/state.js'
import { Dialog } from '../../ui/dialog.js'
import { Icon } from '../../ui/icon.js'
import { printable } from '../../ui/printable.js'

interface FolderBrowserProps {
  /** The folder to begin with. If it cannot be listed, the recent folders are shown. */
  start: string
  recent: readonly RecentFolder[]
  onChoose(path: string): void
  onClose(): void
}

/** Chooses a folder of the machine of the agents. Operators see recent and trusted folders and what is in them. */
export function FolderBrowser({ start, recent, onChoose, onClose }: FolderBrowserProps) {
  const isAdmin = useHasRole('admin')
  const { listing, problem, isLoading, open, leave } = useListing(start)
  const [filter, setFilter] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const enter = (path: string) => {
    setFilter('')
    open(path)
  }
  const places = [...(isAdmin ? ['/'] : []), ...recent.map(({ path }) => path)]
  const shown = (listing?.folders ?? []).filter(({ name }) =>
    name.toLowerCase().includes(filter.toLowerCase()),
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined || event.nativeEvent.isComposing) return
    event.preventDefault()
    const rows = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const at = rows.findIndex((row) => row === document.activeElement)
    rows[Math.max(0, Math.min(rows.length - 1, at + step))]?.focus()
  }
  return (
    <Dialog title={t('folder.choose')} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: arrows move between the buttons inside. */}
      <div className="folder-browser" onKeyDown={onKeyDown}>
        <div className="row">
          <button
            type="button"
            className="plain icon-only"
            aria-label={t('folder.up')}
            title={t('folder.up')}
            disabled={!listing}
            onClick={() => (listing?.parent ? enter(listing.parent) : leave())}
          >
            <Icon name="up" />
          </button>
          <code className="grow folder-path" title={listing?.path}>
            {listing ? printable(listing.path) : t('folder.recent')}
          </code>
        </div>
        {listing && (
          <input
            type="search"
            aria-label={t('folder.filter')}
            placeholder={t('folder.filter')}
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        )}
        {problem && <p role="alert">{problem}</p>}
        <ul ref={list} className="folder-list" aria-busy={isLoading}>
          {listing
            ? shown.map(({ name, path, isRepository }) => (
                <li key={name}>
                  <button type="button" className="plain" onClick={() => enter(path)}>
                    <Icon name={isRepository ? 'branch' : 'folder'} />
                    <span className="grow truncate">{printable(name)}</span>
                    {isRepository && <small className="muted">{t('folder.repository')}</small>}
                  </button>
                </li>
              ))
            : places.map((path) => (
                <li key={path}>
                  <button type="button" className="plain" onClick={() => enter(path)}>
                    <Icon name="folder" />
                    <span className="grow folder-path">{printable(path)}</span>
                  </button>
                </li>
              ))}
        </ul>
        {listing && shown.length === 0 && <p className="muted">{t('folder.none')}</p>}
        {listing && !listing.isWhole && <p className="muted">{t('folder.not_whole')}</p>}
        {!isAdmin && <p className="hint">{t('folder.operator')}</p>}
        <div className="row end">
          <button type="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button
            type="button"
            className="primary"
            disabled={!listing}
            onClick={() => listing && onChoose(listing.path)}
          >
            {t('folder.use')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

function useListing(start: string) {
  const [listing, setListing] = useState<FolderListing | null>(null)
  const [problem, setProblem] = useState('')
  const [isLoading, setIsLoading] = useState(false)
  /** Race: the reply for a folder that was left already does not count. */
  const wanted = useRef('')
  const open = useCallback((path: string, isFirst = false) => {
    wanted.current = path
    setIsLoading(true)
    setProblem('')
    client
      .listFolders({ query: { path } })
      .then(
        (found) => {
          if (wanted.current === path) setListing(found)
        },
        (error: unknown) => {
          if (wanted.current === path && !isFirst) setProblem(errorLabel(error))
        },
      )
      .finally(() => {
        if (wanted.current === path) setIsLoading(false)
      })
  }, [])
  useEffect(() => {
    if (start.startsWith('/')) open(start, true)
  }, [open, start])
  const leave = () => {
    wanted.current = ''
    setListing(null)
    setProblem('')
  }
  return { listing, problem, isLoading, open: (path: string) => open(path), leave }
}
