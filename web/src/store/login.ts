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
  addEventListener('hashchange', () => void onHashChange())
  await logInByLink()
  await restoreUnsent()
  await connect()
}

/** A link that is opened in a tab with this page changes only the hash: the browser does not load the page again. */
async function onHashChange(): Promise<void> {
  if (!(await logInByLink())) return
  // Another login may have another role: everything on the page is loaded again.
  if (getState().isLoggedIn) location.reload()
  else await connect()
}

/** Whether the URL had a valid code. The code is removed from the address, and from the history with it. */
async function logInByLink(): Promise<boolean> {
  const code = codeOf(location.hash)
  if (code === null) return false
  history.replaceState(null, '', location.pathname)
  setState({ problem: '' })
  try {
    await client.login({ body: { code } })
    return true
  } catch (error) {
    setState({ problem: errorLabel(error) })
    return false
  }
}

/** Accepts a code, a token, or the whole link with the code. */
export async function logIn(typed: string): Promise<void> {
  const secret = codeOf(typed) ?? typed.trim()
  await client.login({ body: { code: secret } }).catch(() => client.login({ body: { token: secret } }))
  await connect()
}

/** The code in a link, or in the hash of one. */
function codeOf(text: string): string | null {
  return new URLSearchParams(/#(\S*)/.exec(text)?.[1] ?? '').get('code')
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
