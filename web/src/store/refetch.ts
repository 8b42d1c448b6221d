/** Loads again what an event has changed. */

import { type ErrorCode, HubError } from '../../../src/protocol/index.js'

const RETRIES = 5
const RETRY_MS = 2_000

/** Never rejects. A lost connection is not retried here: all lists are loaded again once it is back. */
export async function refetch(load: () => Promise<void>, wait = delay): Promise<void> {
  for (let attempt = 0; attempt <= RETRIES; attempt++) {
    if (attempt > 0) await wait(RETRY_MS)
    try {
      return await load()
    } catch (error) {
      if (!(error instanceof HubError && TEMPORARY.has(error.code))) return
    }
  }
}

const TEMPORARY: ReadonlySet<ErrorCode> = new Set([
  'requests_limited',
  'storage_unavailable',
  'internal_error',
])

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
