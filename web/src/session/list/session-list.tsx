import { useDeferredValue, useMemo, useRef, useState } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { InboxRequest, Session } from '../../../../src/protocol/index.js'
import { number, t } from '../../i18n/i18n.js'
import { navigate } from '../../route.js'
import { useHasRole, useStore } from '../../store/state.js'
import { Icon } from '../../ui/icon.js'
import { Link } from '../../ui/link.js'
import { useAttempt } from '../../ui/use-attempt.js'
import { useKeys } from '../../ui/use-keys.js'
import { needsUser, remedyOf } from '../condition-label.js'
import { continueSession, forEach } from './bulk.js'
import { GROUPS, type Group, type ListEntry, listEntries } from './group.js'
import { Row } from './row.js'

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
  const shown = useMemo(
    () => entries.flatMap((entry) => ('session' in entry ? entry.session : [])),
    [entries],
  )
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
                <GroupHead key={entry.group} group={entry.group} size={entry.size} sessions={shown} />
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

function GroupHead({ group, size, sessions }: { group: Group; size: number; sessions: readonly Session[] }) {
  return (
    <div className="group-head">
      <h2 className={`group ${group}`}>
        {t(`group.${group}`)} <span>{number(size)}</span>
      </h2>
      {group === 'waiting' && <ContinueAll sessions={sessions} />}
    </div>
  )
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
