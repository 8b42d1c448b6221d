import { keepPush } from './notification/push.js'
import { navigate } from './route.js'

interface FromWorker {
  open?: unknown
  resubscribe?: unknown
}

/** Optional: without the service worker the page opens more slowly, and not at all while the daemon is down. */
export function startServiceWorker(): void {
  const { serviceWorker } = navigator
  if (!serviceWorker) return
  serviceWorker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
    // A notification was pressed while this page is open.
    if (typeof data.open === 'string' && data.open.startsWith('/')) navigate(data.open)
    // The browser has replaced its subscription.
    if (data.resubscribe === true) void keepPush().catch(() => {})
  })
  void serviceWorker
    .register('/service-worker.js')
    .then(() => serviceWorker.ready)
    .then(({ active }) => active?.postMessage({ assets: loadedAssets() }, []))
    .catch(() => {})
}

/** Loaded before the worker was there, so it has not seen them: the language, and the chunks of the first view. */
function loadedAssets(): string[] {
  return performance
    .getEntriesByType('resource')
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname)
}
