import { useEffect } from 'react'
import { Inbox } from './inbox.js'
import { Login } from './login.js'
import { NewSession } from './new-session.js'
import { SessionList } from './session-list.js'
import { SessionView } from './session-view.js'
import { openSession, useStore } from './store.js'

export function App() {
  const isLoggedIn = useStore((state) => state.isLoggedIn)
  const waiting = useStore((state) => state.requests.size)

  useEffect(() => {
    document.title = waiting > 0 ? `(${waiting}) Signalbox` : 'Signalbox'
  }, [waiting])

  if (isLoggedIn === null) return <p className="blank">Connecting…</p>
  return isLoggedIn ? <Room /> : <Login />
}

function Room() {
  const open = useStore((state) => state.open)
  const about = useStore((state) => state.about)
  const connection = useStore((state) => state.connection)
  return (
    <div className={open ? 'room has-session' : 'room'}>
      <header className="bar">
        <button type="button" className="name" onClick={() => openSession(null)}>
          <img src="/icon.svg" alt="" width="22" height="22" /> Signalbox
        </button>
        {about?.model === 'scripted' && (
          <span
            className="badge"
            title="No account was found, so a script answers. Sessions, tools and permissions are real."
          >
            scripted model
          </span>
        )}
        <span className={`connection ${connection}`} role="status">
          {connection === 'live' ? 'live' : 'reconnecting…'}
        </span>
      </header>
      <nav aria-label="Sessions">
        <SessionList />
      </nav>
      <main>
        {open ? (
          <SessionView />
        ) : (
          <>
            <Inbox />
            <NewSession />
          </>
        )}
      </main>
    </div>
  )
}
