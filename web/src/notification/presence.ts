/** Reports which sessions an active user has in view, so that no notification is sent about them. */

import { onPath, parseRoute } from '../route.js'
import { client, getState } from '../store/state.js'

const EVERY_MS = 20_000
/** While there are no channels: one may be added. */
const UNUSED_MS = 5 * 60_000
const MAX_SESSIONS = 50

export function startPresence(): void {
  let [nextAt, unusedUntil] = [0, 0]
  const report = () => {
    const now = Date.now()
    if (document.hidden || now < Math.max(nextAt, unusedUntil) || getState().isLoggedIn !== true) return
    nextAt = now + EVERY_MS
    client.notePresence({ body: { sessionIds: sessionsInView() } }).then(
      ({ isUsed }) => {
        if (!isUsed) unusedUntil = Date.now() + UNUSED_MS
      },
      () => {},
    )
  }
  for (const type of ['pointerdown', 'keydown', 'wheel', 'touchmove', 'focus'])
    addEventListener(type, report, { passive: true, capture: true })
  const reportNow = () => {
    nextAt = 0
    report()
  }
  document.addEventListener('visibilitychange', reportNow)
  // Another session is in view.
  onPath(reportNow)
}

function sessionsInView(): string[] {
  const route = parseRoute(location.pathname)
  const { requests } = getState()
  if (route.view === 'session') return [route.id]
  if (route.view === 'request') {
    const request = requests.get(route.id)
    return request ? [request.sessionId] : []
  }
  if (route.view !== 'inbox') return []
  return [...new Set([...requests.values()].map(({ sessionId }) => sessionId))].slice(0, MAX_SESSIONS)
}
