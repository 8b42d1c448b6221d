import { useEffect, useMemo, useState } from 'react'
import type { InboxRequest } from '../../../src/protocol/index.js'
import { count, elapsed, t } from '../i18n/i18n.js'
import { navigate, sessionPath } from '../route.js'
import { folderName, sessionName } from '../session/session-label.js'
import { useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { OwnCommand } from '../ui/own-command.js'
import { printable } from '../ui/printable.js'
import { useKeys } from '../ui/use-keys.js'
import { useNow } from '../ui/use-now.js'
import { RequestCard } from './request-card.js'

/** Pending requests of all sessions, oldest first. Requests resolved since the view was opened stay in place. */
export function InboxView() {
  const requests = useStore((state) => state.requests)
  const answered = useStore((state) => state.answered)
  const isLoaded = useStore((state) => state.isLoaded)
  const [before] = useState(() => new Set(answered.keys()))
  const [currentId, setCurrentId] = useState<string | null>(null)
  const list = useMemo(
    () => visibleRequests(requests.values(), answered.values(), before),
    [requests, answered, before],
  )
  const current =
    list.find(({ id }) => id === currentId) ?? list.find(({ state }) => state === 'pending') ?? list[0]

  // The selection does not move when another client answers the selected request.
  useEffect(() => {
    if (currentId === null && current) setCurrentId(current.id)
  }, [currentId, current])

  const step = (by: number) => {
    const at = list.findIndex(({ id }) => id === current?.id)
    const next = list[Math.max(0, Math.min(list.length - 1, at + by))]
    if (!next) return
    setCurrentId(next.id)
    document.getElementById(`request-${next.id}`)?.scrollIntoView({ block: 'nearest' })
  }
  const press = (act: string) => {
    const button = document.querySelector<HTMLButtonElement>(`.request.current [data-act="${act}"]`)
    if (button && !button.disabled) button.click()
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    a: () => press('allow'),
    d: () => press('deny'),
    e: () => press('edit'),
    Enter: () => current && navigate(sessionPath(current.sessionId)),
  })

  return (
    <div className="page narrow inbox">
      <header>
        <h1>{t('nav.inbox')}</h1>
        <p>{requests.size > 0 ? count('inbox.waiting', requests.size) : t('inbox.none')}</p>
      </header>
      {list.length === 0 && isLoaded && (
        <div className="empty">
          <h2>{t('inbox.empty')}</h2>
          <p>{t('inbox.empty_explained')}</p>
          <OwnCommand words="inbox" />
        </div>
      )}
      <ol className="requests">
        {list.map((request) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: j and k do the same.
          <li key={request.id} id={`request-${request.id}`} onClick={() => setCurrentId(request.id)}>
            <RequestSource request={request} />
            <Card request={request} isCurrent={request.id === current?.id} />
          </li>
        ))}
      </ol>
      {list.length > 0 && (
        <p className="hint">
          <kbd>j</kbd> <kbd>k</kbd> {t('key.move')} · <kbd>a</kbd> {t('allow')} · <kbd>d</kbd> {t('deny')} ·{' '}
          <kbd>e</kbd> {t('edit')} · <kbd>?</kbd> {t('keys.title')}
        </p>
      )}
    </div>
  )
}

/** `before`: what had been answered when the view was opened. Not by time: clocks of browser and daemon differ. */
export function visibleRequests(
  pending: Iterable<InboxRequest>,
  answered: Iterable<InboxRequest>,
  before: ReadonlySet<string>,
): InboxRequest[] {
  const since = [...answered].filter(({ id }) => !before.has(id))
  return [...pending, ...since].toSorted((one, other) =>
    one.requestedAt === other.requestedAt
      ? one.id < other.id
        ? -1
        : 1
      : one.requestedAt < other.requestedAt
        ? -1
        : 1,
  )
}

function RequestSource({ request }: { request: InboxRequest }) {
  const session = useStore((state) => state.sessions.get(request.sessionId))
  const now = useNow()
  return (
    <p className="request-source">
      <Link to={sessionPath(request.sessionId)} className="truncate">
        {session ? printable(sessionName(session)) : request.sessionId}
      </Link>
      {session && <span className="truncate">{printable(folderName(session.cwd))}</span>}
      <time dateTime={request.requestedAt}>{elapsed(now - Date.parse(request.requestedAt))}</time>
    </p>
  )
}

function Card({ request, isCurrent }: { request: InboxRequest; isCurrent: boolean }) {
  const cwd = useStore((state) => state.sessions.get(request.sessionId)?.cwd ?? '')
  return <RequestCard request={request} cwd={cwd} isCurrent={isCurrent} />
}
