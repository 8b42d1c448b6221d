import { memo } from 'react'
import type { InboxRequest, Session } from '../../../src/protocol/index.js'
import { elapsed, t } from '../i18n/i18n.js'
import { RequestCard } from '../inbox/request-card.js'
import { sessionPath } from '../route.js'
import { Remedy } from '../session/list/row.js'
import { sessionName, statusClass, statusSince, statusText } from '../session/session-label.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'
import { useNow } from '../ui/use-now.js'
import { Tail } from './tail.js'

interface TileProps {
  session: Session
  /** Its oldest pending request. */
  request: InboxRequest | undefined
  isCurrent: boolean
  onCurrent(id: string): void
}

/** One session in the grid: its state, the end of its conversation, and its request, which is answered here. */
export const Tile = memo(({ session, request, isCurrent, onCurrent }: TileProps) => {
  const name = printable(sessionName(session))
  const now = useNow()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: j and k do the same.
    <article
      id={`tile-${session.id}`}
      className={`tile card ${statusClass(session)} ${isCurrent ? 'current' : ''}`}
      aria-label={name}
      aria-current={isCurrent ? 'true' : undefined}
      onClick={() => onCurrent(session.id)}
      onFocus={() => onCurrent(session.id)}
    >
      <header className="tile-head">
        <span className={`status-dot ${statusClass(session)}`} aria-hidden="true" />
        <h2 className="truncate">
          <Link to={sessionPath(session.id)}>{name}</Link>
        </h2>
        <time className="since" dateTime={statusSince(session, request)}>
          {elapsed(now - Date.parse(statusSince(session, request)))}
        </time>
        <p className="tile-status truncate">{printable(statusText(session, request))}</p>
        <Remedy session={session} />
      </header>
      <Tail id={session.id} cwd={session.cwd} label={`${t('tab.conversation')}: ${name}`} />
      {request && (
        <div className="tile-request">
          <RequestCard key={request.id} request={request} cwd={session.cwd} isCurrent={isCurrent} />
        </div>
      )}
    </article>
  )
})
