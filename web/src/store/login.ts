/** Logs this browser in and out, and starts to follow events once it is logged in. */

import { errorLabel } from '../i18n/server-text.js'
import { keepPush } from '../notification/push.js'
import { fetchLists, followEvents } from './events.js'
import { clearOffline } from './offline-queue.js'
import { rememberCommand } from './own-command.js'
import { forgetPrompts } from './prompt-history.js'
import { restoreUnsent } from './send.js'
import { client, getState, setState } from './state.js'
import { isUnreachable } from './unreachable.js'

const RECONNECT_MS = 2_000
const STORAGE_MS = 3_000

interface FirstReplies {
  about: ReturnType<typeof client.about>
  lists: ReturnType<typeof fetchLists>
}

/**
 * Asks for everything that the list needs at once, not one after the other. The page has preloaded the same addresses
 * (scripts/finish-web.mjs): the replies may be there already.
 */
export function requestFirst(): FirstReplies {
  const replies = { about: client.about(), lists: fetchLists() }
  // Handled where they are used, which is not at once.
  replies.about.catch(() => {})
  replies.lists.catch(() => {})
  return replies
}

/** Logs in with the code in the URL, if there is one, and connects. */
export async function start(first: FirstReplies): Promise<void> {
  addEventListener('hashchange', () => void onHashChange())
  // The replies are those of an earlier login, or of none.
  const isFresh = await logInByLink()
  await restoreUnsent()
  await connect(isFresh ? requestFirst() : first)
}

/** A link that is opened in a tab with this page changes only the hash: the browser does not load the page again. */
async function onHashChange(): Promise<void> {
  if (!(await logInByLink())) return
  // Another login may have another role: everything on the page is loaded again.
  if (getState().isLoggedIn) location.reload()
  else await connect(requestFirst())
}

/** Whether the URL had a valid code. The code is removed from the address, and from the history with it. */
async function logInByLink(): Promise<boolean> {
  const code = codeOf(location.hash)
  // A link for pairing shows first what it gives.
  if (code === null || location.pathname === '/pair') return false
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
  await connect(requestFirst())
}

/** The code in a link, or in the hash of one. */
function codeOf(text: string): string | null {
  return new URLSearchParams(/#(\S*)/.exec(text)?.[1] ?? '').get('code')
}

export async function logOut(): Promise<void> {
  await client.logout({ body: {} })
  await clearOffline()
  forgetPrompts()
  location.assign('/')
}

async function connect({ about: reply, lists }: FirstReplies): Promise<void> {
  try {
    const { about } = await reply
    setState({ isLoggedIn: true, about, problem: '' })
    if (about.command !== undefined) rememberCommand(about.command)
  } catch (error) {
    if (isUnreachable(error)) {
      setState({ connection: 'waiting' })
      setTimeout(() => void connect(requestFirst()), RECONNECT_MS)
    } else {
      setState({ isLoggedIn: false })
    }
    return
  }
  void followEvents(lists)
  void watchStorage()
  void keepPush().catch(() => {}) // Tried again at the next start; Settings shows the state.
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
