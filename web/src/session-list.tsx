import type { Session, SessionState } from '../../src/protocol/index.js'
import { openSession, useStore } from './store.js'
import { doing, folderName, nameOf } from './words.js'

/** What needs a person comes first. */
const GROUPS: readonly [string, readonly SessionState[]][] = [
  ['Waiting for you', ['permission', 'question']],
  ['Working', ['working']],
  ['Idle', ['idle']],
  ['Ended', ['ended']],
]

export function SessionList() {
  const sessions = useStore((state) => state.sessions)
  const openId = useStore((state) => state.open?.id)
  if (sessions.size === 0) return <p className="blank">No sessions yet.</p>
  const newestFirst = [...sessions.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1))
  return GROUPS.map(([title, states]) => {
    const shown = newestFirst.filter((session) => states.includes(session.state))
    if (shown.length === 0) return null
    return (
      <section key={title}>
        <h2>{title}</h2>
        <ul className="sessions">
          {shown.map((session) => (
            <li key={session.id}>
              <Row session={session} isOpen={session.id === openId} />
            </li>
          ))}
        </ul>
      </section>
    )
  })
}

function Row({ session, isOpen }: { session: Session; isOpen: boolean }) {
  return (
    <button type="button" className="session" aria-current={isOpen} onClick={() => openSession(session.id)}>
      <span className={`lamp ${session.state}`} aria-hidden="true" />
      <span className="title">{nameOf(session)}</span>
      <span className="detail">
        {doing(session)} · {folderName(session.cwd)}
      </span>
    </button>
  )
}
