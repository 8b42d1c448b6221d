import { memo, useDeferredValue, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { InboxRequest, Session } from '../../../../src/protocol/index.js'
import { count, elapsed, money, number, t } from '../../i18n/i18n.js'
import { navigate, sessionPath } from '../../route.js'
import { useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { printable } from '../../ui/printable.js'
import { useKeys } from '../../ui/use-keys.js'
import { useNow } from '../../ui/use-now.js'
import {
  contextShort,
  folderName,
  lastMessage,
  modelName,
  sessionName,
  statusClass,
  statusSince,
  statusText,
} from '../session-label.js'
import { GROUPS, type Group, type ListEntry, listEntries } from './group.js'

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
  const entries = useMemo(() => listEntries(deferred.values(), { text, group }), [deferred, text, group])
  const oldest = useMemo(() => oldestRequests(requests.values()), [requests])

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
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    '/': () => search.current?.focus(),
    n: () => navigate('/new'),
  })

  const Pane = isMain ? 'main' : 'section'
  return (
    <Pane className="list-pane" aria-label={t('nav.sessions')} {...(isMain && { id: 'main', tabIndex: -1 })}>
      <header className="list-head">
        <div className="row">
          <h1 className="grow">{t('nav.sessions')}</h1>
          <Link to="/new" className="button primary">
            <Icon name="plus" /> {t('new.short')}
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
                />
              ) : (
                <h2 key={entry.group} className={`group ${entry.group}`}>
                  {t(`group.${entry.group}`)} <span>{number(entry.size)}</span>
                </h2>
              ),
            )}
          </Virtualizer>
        </div>
      )}
    </Pane>
  )
}

/** Limit of focus retries, in animation frames. Generous for busy machines. */
const MAX_FRAMES = 120

function idOf(entry: ListEntry | undefined): string | null {
  return entry && 'session' in entry ? entry.session.id : null
}

function oldestRequests(requests: Iterable<InboxRequest>): Map<string, InboxRequest> {
  const oldest = new Map<string, InboxRequest>()
  for (const request of requests) {
    const known = oldest.get(request.sessionId)
    if (!known || request.requestedAt < known.requestedAt) oldest.set(request.sessionId, request)
  }
  return oldest
}

function EmptyList({ isLoaded, hasSessions }: { isLoaded: boolean; hasSessions: boolean }) {
  if (!isLoaded) return <p className="empty">{t('loading')}</p>
  return (
    <div className="empty">
      <p>{hasSessions ? t('list.none_found') : t('list.none')}</p>
    </div>
  )
}

interface RowProps {
  session: Session
  request: InboxRequest | undefined
  isOpen: boolean
}

const Row = memo(function Row({ session, request, isOpen }: RowProps) {
  const agents = Object.keys(session.agents).length
  const tasks = Object.keys(session.tasks).length
  return (
    <Link
      id={`row-${session.id}`}
      to={sessionPath(session.id)}
      className={`session-row ${session.state}`}
      aria-current={isOpen ? 'true' : undefined}
    >
      <span className={`status-dot ${statusClass(session)}`} aria-hidden="true" />
      <span className="title truncate">{printable(sessionName(session))}</span>
      <Elapsed at={statusSince(session, request)} />
      <LastMessage session={session} />
      <span className="status truncate">
        {printable(statusText(session, request))}
        {session.state === 'idle' && session.lastText !== null && (
          <span className="preview"> · {printable(session.lastText)}</span>
        )}
      </span>
      <span className="facts truncate">
        <span>{printable(folderName(session.cwd))}</span>
        {session.branch !== null && <span>{printable(session.branch)}</span>}
        {session.model !== null && <span>{printable(modelName(session.model))}</span>}
        {session.turns > 0 && <span>{contextShort(session)}</span>}
        {session.costUsd > 0 && <span>{money(session.costUsd)}</span>}
        {agents > 0 && <span>{count('agents', agents)}</span>}
        {tasks > 0 && <span>{count('tasks', tasks)}</span>}
        {session.queue.length > 0 && <span>{count('queued', session.queue.length)}</span>}
        {session.kind === 'observed' && <span>{t('observed')}</span>}
      </span>
    </Link>
  )
})

/** The second line: the last message, below the name. */
function LastMessage({ session }: { session: Session }) {
  const text = lastMessage(session)
  if (text === null) return null
  return (
    <span className="last-message truncate">
      <span className="visually-hidden">{t('list.last_message')}: </span>
      {printable(text)}
    </span>
  )
}

function Elapsed({ at }: { at: string }) {
  const now = useNow()
  return (
    <time className="since" dateTime={at}>
      {elapsed(now - Date.parse(at))}
    </time>
  )
}
