import { useEffect, useState } from 'react'
import type { InboxRequest } from '../../../src/protocol/index.js'
import { count, t } from '../i18n/i18n.js'
import { RequestCard } from '../inbox/request-card.js'
import { sessionPath } from '../route.js'
import { sessionName } from '../session/session-label.js'
import { client, useStore } from '../store/state.js'
import { Link } from '../ui/link.js'
import { printable } from '../ui/printable.js'

/** `/requests/ID`: one request, as a notification opens it, and the way to the next one. */
export function RequestView({ id }: { id: string }) {
  const found = useRequest(id)
  const request = found === 'missing' ? null : found
  const session = useStore(({ sessions }) => (request ? sessions.get(request.sessionId) : undefined))
  const waiting = useStore(({ requests }) => requests)
  const others = [...waiting.values()].filter((other) => other.id !== id)
  const [next] = others.toSorted((one, other) => (one.requestedAt < other.requestedAt ? -1 : 1))
  return (
    <div className="page narrow inbox">
      {found === 'missing' && <p className="empty">{t('request.missing')}</p>}
      {found === null && <p className="empty">{t('loading')}</p>}
      {request && (
        <>
          <p className="request-source">
            <Link to={sessionPath(request.sessionId)} className="truncate">
              {session ? printable(sessionName(session)) : request.sessionId}
            </Link>
          </p>
          <RequestCard key={request.id} request={request} cwd={session?.cwd ?? ''} isCurrent />
        </>
      )}
      <nav className="row">
        {next && (
          <Link
            to={`/requests/${next.id}`}
            className={request?.state === 'pending' ? 'button' : 'button primary'}
          >
            {count('request.next', others.length)}
          </Link>
        )}
        <Link to="/inbox" className="button plain">
          {t('request.all')}
        </Link>
      </nav>
    </div>
  )
}

/** From the lists that follow events; one that is in none of them is fetched. */
function useRequest(id: string): InboxRequest | 'missing' | null {
  const known = useStore(({ requests, answered }) => answered.get(id) ?? requests.get(id) ?? null)
  const isLoaded = useStore((state) => state.isLoaded)
  const [fetched, setFetched] = useState<InboxRequest | 'missing' | null>(null)
  useEffect(() => {
    setFetched(null)
    if (known || !isLoaded) return
    client.getRequest({ params: { id } }).then(
      ({ request }) => setFetched(request),
      () => setFetched('missing'),
    )
  }, [id, known, isLoaded])
  return known ?? fetched
}
