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
  const waiting = useStore((state) => state.requests.size)
  const newestFirst = [...sessions.values()].toSorted((one, other) => (one.id < other.id ? 1 : -1))
  return (
    <>
      <button
        type="button"
        className="session home"
        aria-current={openId === undefined}
        onClick={() => openSession(null)}
      >
        <span aria-hidden="true">＋</span>
        <span className="title">New session and inbox{waiting > 0 && ` (${waiting})`}</span>
      </button>
      {GROUPS.map(([title, states]) => (
        <Group
          key={title}
          title={title}
          sessions={newestFirst.filter(({ state }) => states.includes(state))}
          openId={openId}
        />
      ))}
    </>
  )
}

function Group({
  title,
  sessions,
  openId,
}: {
  title: string
  sessions: Session[]
  openId: string | undefined
}) {
  if (sessions.length === 0) return null
  return (
    <section>
      <h2>{title}</h2>
      <ul className="sessions">
        {sessions.map((session) => (
          <li key={session.id}>
            <Row session={session} isOpen={session.id === openId} />
          </li>
        ))}
      </ul>
    </section>
  )
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
