/**
 * Makes the dashboard installable and fast to open. Caches the files of the page, never data: hashed assets are served
 * from the cache first, the page itself from the network first.
 */

const SHELL = 'signalbox-shell'
const ASSETS = 'signalbox-assets'
const MAX_ASSETS = 120

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (request.mode === 'navigate') event.respondWith(page(request))
})

/** Cache first: asset names contain a content hash, so a cached asset is never stale. */
async function asset(request) {
  const cache = await caches.open(ASSETS)
  const known = await cache.match(request)
  if (known) return known
  const fresh = await fetch(request)
  if (fresh.ok) {
    await cache.put(request, fresh.clone())
    const names = await cache.keys()
    for (const old of names.slice(0, Math.max(0, names.length - MAX_ASSETS))) await cache.delete(old)
  }
  return fresh
}

/** Network first. Falls back to the cached page, which shows that the daemon is unreachable. */
async function page(request) {
  const cache = await caches.open(SHELL)
  try {
    const fresh = await fetch(request)
    if (fresh.ok) await cache.put('/', fresh.clone())
    return fresh
  } catch (error) {
    const known = await cache.match('/')
    if (known) return known
    throw error
  }
}
