/** Logs this browser in and out, and starts to follow events once it is logged in. */

import { errorLabel } from '../i18n/server-text.js'
import { followEvents } from './events.js'
import { clearOffline } from './offline-queue.js'
import { restoreUnsent } from './send.js'
import { client, getState, setState } from './state.js'
import { isUnreachable } from './unreachable.js'

const RECONNECT_MS = 2_000
const STORAGE_MS = 3_000

/** Logs in with the code in the URL, if there is one, and connects. */
export async function start(): Promise<void> {
  const code = new URLSearchParams(location.hash.slice(1)).get('code')
  if (code !== null) {
    history.replaceState(null, '', location.pathname)
    await client.login({ body: { code } }).catch((error: unknown) => setState({ problem: errorLabel(error) }))
  }
  await restoreUnsent()
  await connect()
}

export async function logIn(secret: string): Promise<void> {
  await client.login({ body: { code: secret } }).catch(() => client.login({ body: { token: secret } }))
  await connect()
}

export async function logOut(): Promise<void> {
  await client.logout({ body: {} })
  await clearOffline()
  location.assign('/')
}

async function connect(): Promise<void> {
  try {
    const { about } = await client.about()
    setState({ isLoggedIn: true, about, problem: '' })
  } catch (error) {
    if (isUnreachable(error)) {
      setState({ connection: 'waiting' })
      setTimeout(() => void connect(), RECONNECT_MS)
    } else {
      setState({ isLoggedIn: false })
    }
    return
  }
  void followEvents()
  void watchStorage()
}

/** Polls the storage state: while nothing can be stored there are no events that could report it. */
async function watchStorage(): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, STORAGE_MS))
    if (getState().isLoggedIn !== true) return
    if (document.hidden || getState().connection !== 'live') continue
    const about = await client.about().then(
      (reply) => reply.about,
      () => null,
    )
    if (about && about.storage?.kind !== getState().about?.storage?.kind) setState({ about })
  }
}
