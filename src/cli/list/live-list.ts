/** Calls a function whenever something may have changed, and after each reconnect, until the user leaves. */

import type { Client } from '../../client/client.js'

/** Many events at once are one change. */
const PAUSE_MS = 300
/** Backpressure: after a long list the daemon rests this many times as long as it took. */
const REST = 3

export interface LiveListOptions {
  /** Only events of these types are a change. */
  types?: readonly string[]
  onLost(): void
}

/** Resolves when `signal` aborts; rejects if `refresh` fails for another reason than a daemon that is away. */
export async function followChanges(
  client: Client,
  refresh: () => Promise<void>,
  signal: AbortSignal,
  { types, onLost }: LiveListOptions,
): Promise<void> {
  let isWanted = false
  let wake = () => {}
  const want = () => {
    isWanted = true
    wake()
  }
  const events = client.events({
    deltas: false,
    signal,
    ...(types && { types }),
    onState: (state) => {
      // Changes during an outage have no events of their own here.
      if (state === 'live') want()
      if (state === 'waiting') onLost()
    },
  })
  const reading = (async () => {
    for await (const _ of events) want()
  })()
  const drawing = (async () => {
    while (!signal.aborted) {
      if (!isWanted)
        await new Promise<void>((resolve) => {
          wake = resolve
          signal.addEventListener('abort', () => resolve(), { once: true })
        })
      if (signal.aborted) return
      isWanted = false
      const start = performance.now()
      await refresh()
      const pauseMs = Math.max(PAUSE_MS, REST * (performance.now() - start))
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
    }
  })()
  await Promise.race([reading, drawing])
}
