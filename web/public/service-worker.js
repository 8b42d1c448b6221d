/**
 * Makes the dashboard installable, fast to open, and able to open while the daemon is down. Caches the files of the
 * page, never data. The shell is cached whole at install, under its version; the build fills in the version and the list.
 * Push messages are in a file of their own.
 */

importScripts('/push-worker.js')

const VERSION = 'unbuilt'
const SHELL_FILES = ['/']

const SHELL = `signalbox-shell-${VERSION}`
const ASSETS = 'signalbox-assets'
const MAX_ASSETS = 120
/** A dead route does not refuse a connection: without a limit the page would wait for the browser's own timeout. */
const PAGE_MS = 5_000
/** Answers of a reverse proxy whose daemon is down. */
const DOWN = new Set([502, 503, 504])

self.addEventListener('install', (event) => {
  event.waitUntil(cacheShell().then(() => self.skipWaiting()))
})

self.addEventListener('activate', (event) => {
  event.waitUntil(removeOldShells().then(() => self.clients.claim()))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (request.mode === 'navigate') event.respondWith(page(request))
  else if (SHELL_FILES.includes(pathname)) event.respondWith(shellFile(request))
})

/** The page sends the assets that it loaded before this worker controlled it, such as its language. */
self.addEventListener('message', (event) => {
  const { assets } = event.data ?? {}
  if (Array.isArray(assets)) event.waitUntil(Promise.all(assets.filter(isAsset).map((path) => asset(path))))
})

function isAsset(path) {
  return typeof path === 'string' && /^\/assets\/[\w.-]+$/.test(path)
}

/** All or nothing, so that a cached page always has its scripts. Files without a digest in their name are revalidated. */
async function cacheShell() {
  const cache = await caches.open(SHELL)
  await cache.addAll(
    SHELL_FILES.map((name) => (isAsset(name) ? name : new Request(name, { cache: 'no-cache' }))),
  )
}

async function removeOldShells() {
  const names = await caches.keys()
  const isOld = (name) => name.startsWith('signalbox-shell') && name !== SHELL
  await Promise.all(names.filter(isOld).map((name) => caches.delete(name)))
}

/** Cache first: asset names contain a content hash, so a cached asset is never stale. */
async function asset(request) {
  const known = await caches.match(request)
  if (known) return known
  const cache = await caches.open(ASSETS)
  const fresh = await fetch(request)
  if (fresh.ok) {
    await cache.put(request, fresh.clone())
    const names = await cache.keys()
    for (const old of names.slice(0, Math.max(0, names.length - MAX_ASSETS))) await cache.delete(old)
  }
  return fresh
}

/**
 * Network first: after an upgrade the new page comes from the daemon. While the daemon is down, the cached page opens and
 * shows that it cannot connect. A page from the network is not cached, because its assets may not be.
 */
async function page(request) {
  const cached = async () => (await caches.open(SHELL)).match('/')
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(), PAGE_MS)
  try {
    const fresh = await fetch(request, { signal: limit.signal })
    return DOWN.has(fresh.status) ? ((await cached()) ?? fresh) : fresh
  } catch (error) {
    const known = await cached()
    if (known) return known
    throw error
  } finally {
    clearTimeout(timer)
  }
}

/** Icons and the manifest: from the network, if it can be reached. */
async function shellFile(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const known = await (await caches.open(SHELL)).match(new URL(request.url).pathname)
    if (known) return known
    throw error
  }
}
