/** The push part of the service worker: shows notifications, and answers from their buttons. */

const ANSWERS = '/api/v1/answers'
/** A bad line: the answer is repeated over gaps of this length. The token makes it one answer, however often it is sent. */
const GAPS_MS = [0, 2_000, 5_000, 10_000, 20_000]
const LIMIT_MS = 15_000

self.addEventListener('push', (event) => {
  event.waitUntil(show(payloadIn(event.data)))
})

self.addEventListener('notificationclick', (event) => {
  const { notification, action } = event
  notification.close()
  const data = notification.data ?? {}
  const answer = (data.actions ?? []).find(({ decision }) => decision === action)
  event.waitUntil(answer ? send(answer, notification) : open(data.url))
})

/** The browser replaces subscriptions from time to time. The page, which has the login, hands the new one over. */
self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(postToPages({ resubscribe: true }))
})

function payloadIn(data) {
  try {
    return data?.json() ?? {}
  } catch {
    return {}
  }
}

/** Browsers demand that a push message shows something. One that is not understood opens the inbox. */
async function show(payload) {
  const { type, tag, title = 'Signalbox', body = '' } = payload
  if (type === 'settled') {
    const shown = await self.registration.getNotifications({ tag })
    if (!payload.mustShow) {
      for (const one of shown) one.close()
      return
    }
    await self.registration.showNotification(title, {
      ...look(body),
      tag,
      silent: true,
      data: { url: '/inbox' },
    })
    return
  }
  const { url = '/inbox', openLabel, problem, actions = [] } = payload
  await self.registration.showNotification(title, {
    ...look(body),
    ...(tag !== undefined && { tag, renotify: true }),
    data: { url, problem, actions },
    // Most browsers show two. A press on the text opens the request, too.
    actions: [
      ...actions.map(({ decision, label }) => ({ action: decision, title: label })),
      ...(openLabel === undefined ? [] : [{ action: 'open', title: openLabel }]),
    ].slice(0, Notification.maxActions),
  })
}

function look(body) {
  return { body, icon: '/icon-192.png', badge: '/badge-96.png' }
}

/**
 * Says so where the answer was not accepted: silence would look like an answer. It says so from the first attempt that
 * failed on, since the system may end the worker before the last one, and closes that when the answer has arrived.
 */
async function send({ token, decision }, { title, tag, data }) {
  const { url, problem = '' } = data
  const options = { ...look(problem), ...(tag !== '' && { tag }), data: { url } }
  for (const [attempt, gap] of GAPS_MS.entries()) {
    await new Promise((resolve) => setTimeout(resolve, gap))
    const status = await post({ token, decision })
    if (status >= 200 && status < 300) {
      if (attempt > 0) for (const one of await self.registration.getNotifications({ tag })) one.close()
      return
    }
    // Refused: it was answered elsewhere, has expired, or was revoked.
    const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429
    if (isRefused || attempt === 0)
      await self.registration.showNotification(title, { ...options, silent: !isRefused })
    if (isRefused) return
  }
}

/** The status; 0 without a response. */
async function post(body) {
  try {
    const { status } = await fetch(ANSWERS, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(LIMIT_MS),
    })
    return status
  } catch {
    return 0
  }
}

/** In a page that is open, or in a new one. Only a path of this dashboard is opened, whatever the message says. */
async function open(url) {
  const { pathname } = URL.canParse(url, self.location.origin)
    ? new URL(url, self.location.origin)
    : { pathname: '/inbox' }
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find((one) => one.focused) ?? pages[0]
  if (!page) return self.clients.openWindow(pathname)
  page.postMessage({ open: pathname })
  return page.focus().catch(() => {}) // Where the browser does not allow it, the page shows the request all the same.
}

async function postToPages(message) {
  for (const page of await self.clients.matchAll({ type: 'window', includeUncontrolled: true }))
    page.postMessage(message)
}
