import { RequestCard } from './request-card.js'
import { openSession, useStore } from './store.js'
import { nameOf } from './words.js'

/** Everything that waits, from all sessions, oldest first. */
export function Inbox() {
  const requests = useStore((state) => state.requests)
  const sessions = useStore((state) => state.sessions)
  if (requests.size === 0) return null
  const oldestFirst = [...requests.values()].toSorted((one, other) =>
    one.requestedAt < other.requestedAt ? -1 : 1,
  )
  return (
    <section aria-label="Inbox">
      <h2>Waiting for you</h2>
      {oldestFirst.map((request) => {
        const session = sessions.get(request.sessionId)
        return (
          <div key={request.id}>
            <button type="button" className="where" onClick={() => openSession(request.sessionId)}>
              {session ? nameOf(session) : request.sessionId}
            </button>
            <RequestCard request={request} />
          </div>
        )
      })}
    </section>
  )
}
