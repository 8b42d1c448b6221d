/** A response that begins at once and ends when there is something to say: for a hook that waits in a terminal. */

import type { ServerResponse } from 'node:http'

/** A hook that hears nothing for some of these gives up. */
const HEARTBEAT_MS = 5_000

/** Takes over the response. Returns a function that ends it without a word. */
export function holdOpen(
  response: ServerResponse,
  wait: (signal: AbortSignal) => Promise<string | null>,
  onFault: (error: unknown) => void,
): () => void {
  const gone = new AbortController()
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  // The first byte shows that the daemon is here: the hook gives up if it does not come soon.
  response.write(' ')
  const heartbeat = setInterval(() => response.write(' '), HEARTBEAT_MS)
  const end = (answer: string | null) => {
    clearInterval(heartbeat)
    if (response.writableEnded) return
    // The newline distinguishes a complete answer from a truncated one.
    response.end(answer === null ? '' : `${answer}\n`)
  }
  response.on('close', () => {
    gone.abort()
    end(null)
  })
  wait(gone.signal).then(end, (error: unknown) => {
    onFault(error)
    end(null)
  })
  return () => gone.abort()
}
