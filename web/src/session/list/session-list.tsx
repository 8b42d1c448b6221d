import { useCallback, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { Session } from '../../../../src/protocol/index.js'
import { number, t } from '../../i18n/i18n.js'
import { navigate } from '../../route.js'
import { useHasRole, useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { useOwnCommand } from '../../ui/own-command.js'
import { printable } from '../../ui/printable.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useKeys } from '../../ui/use-keys.js'
import { needsUser, remedyOf } from '../condition-label.js'
import { oldestRequests } from '../oldest-request.js'
import { folderName } from '../session-label.js'
import { continueSession, forEach } from './bulk.js'
import { GROUPS, type Group, type ListEntry, listEntries } from './group.js'
import { ListOptions } from './list-options.js'
import { setListView, useListView } from './list-view.js'
import { PaneEdge } from './pane-edge.js'
import { Row } from './row.js'
import { SelectionBar } from './selection-bar.js'

interface SessionListProps {
  openId: string | null
  /** Whether the list is the only pane, as on a phone. */
  isMain: boolean
}

export function SessionList({ openId, isMain }: SessionListProps) {
  const sessions = useStore((state) => state.sessions)
  const requests = useStore((state) => state.requests)
  const isLoaded = useStore((state) => state.isLoaded)
  const [text, setText] = useState('')
  const [group, setGroup] = useState<Group | null>(null)
  const list = useRef<VirtualizerHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const deferred = useDeferredValue(sessions)
  const { sort, isByFolder, showsArchived, isCompact, isFolded } = useListView()
  const entries = useMemo(
    () => listEntries(deferred.values(), { text, group, sort, isByFolder, showsArchived }),
    [deferred, text, group, sort, isByFolder, showsArchived],
  )
  /** Ids of the selected sessions; null unless sessions are being selected. */
  const [selection, setSelection] = useState<ReadonlySet<string> | null>(null)
  const mayAct = useHasRole('operator')
  const toggle = useCallback((id: string) => setSelection((before) => toggled(before, id)), [])
  const shown = useMemo(
    () => entries.flatMap((entry) => ('session' in entry ? entry.session : [])),
    [entries],
  )
  const oldest = useMemo(() => oldestRequests(requests.values()), [requests])

  const entriesRef = useRef(entries)
  entriesRef.current = entries
  // Not the focused element: keys arrive faster than rows are rendered, and virtualised rows lose the focus.
  const cursor = useRef<string | null>(null)
  const step = (by: number) => {
    const indexes = entries.flatMap((entry, index) => ('session' in entry ? [index] : []))
    const at = indexes.findIndex((index) => idOf(entries[index]) === (cursor.current ?? openId))
    const index = indexes[Math.max(0, Math.min(indexes.length - 1, at === -1 ? 0 : at + by))]
    if (index === undefined) return
    const id = idOf(entries[index])
    cursor.current = id
    const focus = (frames: number) => {
      // A later key press has moved the cursor.
      if (cursor.current !== id || frames === 0) return
      list.current?.scrollToIndex(index, { align: 'nearest' })
      const row = document.getElementById(`row-${id}`)
      row?.focus()
      // A row that is not rendered and measured yet cannot be focused: retry in the next frame.
      if (!row || row !== document.activeElement) requestAnimationFrame(() => focus(frames - 1))
    }
    focus(MAX_FRAMES)
  }
  useEffect(() => {
    const index = entriesRef.current.findIndex((entry) => idOf(entry) === openId)
    if (openId !== null && index >= 0 && cursor.current !== openId)
      list.current?.scrollToIndex(index, { align: 'nearest' })
  }, [openId, isLoaded])
  useKeys({
    x: () => mayAct && cursor.current !== null && toggle(cursor.current),
    '[': () => setListView({ isFolded: !isFolded }),
    j: () => step(1),
    k: () => step(-1),
    '/': () => search.current?.focus(),
    n: () => navigate('/new'),
  })

  const Pane = isMain ? 'main' : 'section'
  if (isFolded && !isMain) return <FoldedPane />
  return (
    <Pane
      className={isCompact ? 'list-pane compact' : 'list-pane'}
      aria-label={t('nav.sessions')}
      {...(isMain && { id: 'main', tabIndex: -1 })}
    >
      <header className="list-head">
        <div className="row">
          <h1 className="grow truncate">{t('nav.sessions')}</h1>
          {mayAct && (
            <button
              type="button"
              className="plain icon-only"
              aria-label={t('list.select')}
              aria-pressed={selection !== null}
              title={`${t('list.select')} (x)`}
              onClick={() => setSelection(selection === null ? new Set() : null)}
            >
              <Icon name="check" />
            </button>
          )}
          <Link
            to="/grid"
            className="button plain icon-only phone-only"
            aria-label={t('nav.grid')}
            title={`${t('nav.grid')} (g g)`}
          >
            <Icon name="grid" />
          </Link>
          <ListOptions />
          {!isMain && (
            <button
              type="button"
              className="plain icon-only wide-only"
              aria-label={t('list.fold')}
              title={`${t('list.fold')} ([)`}
              onClick={() => setListView({ isFolded: true })}
            >
              <Icon name="back" />
            </button>
          )}
          <Link to="/new" className="button primary" aria-label={t('new.short')} title={t('nav.new')}>
            <Icon name="plus" /> <span className="new-label">{t('new.short')}</span>
          </Link>
        </div>
        <input
          ref={search}
          type="search"
          value={text}
          onChange={(event) => setText(event.target.value)}
          placeholder={t('list.search')}
          aria-label={t('list.search')}
        />
        <fieldset className="chips">
          <legend className="visually-hidden">{t('list.filter')}</legend>
          {[null, ...GROUPS].map((name) => (
            <button
              key={name ?? 'all'}
              type="button"
              className="chip"
              aria-pressed={group === name}
              onClick={() => setGroup(name)}
            >
              {t(`group.${name ?? 'all'}`)}
            </button>
          ))}
        </fieldset>
        {selection !== null && (
          <SelectionBar
            selected={[...sessions.values()].filter(({ id }) => selection.has(id))}
            onSelectAll={() => setSelection(new Set(shown.map(({ id }) => id)))}
            onClose={() => setSelection(null)}
          />
        )}
      </header>
      {entries.length === 0 ? (
        <EmptyList isLoaded={isLoaded} hasSessions={sessions.size > 0} />
      ) : (
        <div
          className="rows"
          onFocus={({ target }) => {
            if (target.id.startsWith('row-')) cursor.current = target.id.slice(4)
          }}
        >
          <Virtualizer ref={list} as="ul" item="li">
            {entries.map((entry) =>
              'session' in entry ? (
                <Row
                  key={entry.session.id}
                  session={entry.session}
                  request={oldest.get(entry.session.id)}
                  isOpen={entry.session.id === openId}
                  isSelected={selection === null ? null : selection.has(entry.session.id)}
                  onToggle={toggle}
                />
              ) : (
                <GroupHead key={entry.group ?? entry.folder} entry={entry} sessions={shown} />
              ),
            )}
          </Virtualizer>
        </div>
      )}
      {!isMain && <PaneEdge />}
    </Pane>
  )
}

/** Limit of focus retries, in animation frames. Generous for busy machines. */
const MAX_FRAMES = 120

function idOf(entry: ListEntry | undefined): string | null {
  return entry && 'session' in entry ? entry.session.id : null
}

function EmptyList({ isLoaded, hasSessions }: { isLoaded: boolean; hasSessions: boolean }) {
  const command = useOwnCommand()
  if (!isLoaded) return <p className="empty">{t('loading')}</p>
  return (
    <div className="empty">
      <p>{hasSessions ? t('list.none_found') : t('list.none', { command })}</p>
    </div>
  )
}

interface GroupHeadProps {
  entry: Exclude<ListEntry, { session: Session }>
  sessions: readonly Session[]
}

function GroupHead({ entry: { group, folder, size }, sessions }: GroupHeadProps) {
  return (
    <div className="group-head">
      <h2 className={`group ${group ?? 'folder'}`} title={folder === null ? undefined : printable(folder)}>
        {group === null ? printable(folderName(folder ?? '')) : t(`group.${group}`)}{' '}
        <span>{number(size)}</span>
      </h2>
      {group === 'waiting' && <ContinueAll sessions={sessions} />}
    </div>
  )
}

/** The rest of the pane while it is folded. */
function FoldedPane() {
  return (
    <section className="list-pane folded" aria-label={t('nav.sessions')}>
      <button
        type="button"
        className="plain icon-only"
        aria-label={t('list.unfold')}
        title={`${t('list.unfold')} ([)`}
        onClick={() => setListView({ isFolded: false })}
      >
        <Icon name="chevron" />
      </button>
    </section>
  )
}

function toggled(before: ReadonlySet<string> | null, id: string): ReadonlySet<string> {
  const after = new Set(before)
  if (!after.delete(id)) after.add(id)
  return after
}

/** Retry or Continue for all sessions of the group to which it applies. */
function ContinueAll({ sessions }: { sessions: readonly Session[] }) {
  const mayAct = useHasRole('operator')
  const stuck = sessions.filter((session) => needsUser(session) && remedyOf(session) !== null)
  const attempt = useAttempt(() => forEach(stuck, ({ id }) => continueSession(id)))
  if (!mayAct || stuck.length < 2) return null
  return (
    <span className="row-actions">
      <button type="button" disabled={attempt.isBusy} onClick={attempt.run}>
        <Icon name="play" /> {t('list.continue_all', { n: stuck.length })}
      </button>
      {attempt.problem && <span role="alert">{attempt.problem}</span>}
    </span>
  )
}
