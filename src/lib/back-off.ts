/** Delays between retries: exponential, with a limit. */

const FIRST_MS = 1_000
const MAX_MS = 5 * 60_000

/** The delay after this number of consecutive failures. */
export function retryDelay(failures: number, { firstMs = FIRST_MS, maxMs = MAX_MS } = {}): number {
  return Math.min(maxMs, firstMs * 2 ** Math.min(30, Math.max(0, failures - 1)))
}
