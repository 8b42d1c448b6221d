/** The stream of notifications to one MCP client, as server-sent events. */

import type { ServerResponse } from 'node:http'
import type { NotificationStream } from './post-transport.js'

/** Proxies close connections on which nothing is sent. */
const KEEP_ALIVE_MS = 15_000
/** A client that has read nothing for this long is let go; it can come back. */
const STALLED_MS = 60_000

export function openNotificationStream(outgoing: ServerResponse, sessionId: string): NotificationStream {
  outgoing.writeHead(200, {
    'content-type': 'text/event-stream',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
    'mcp-session-id': sessionId,
  })
  // Sends the headers at once.
  outgoing.write(': open\n\n')
  let blockedSince: number | null = null
  outgoing.on('drain', () => {
    blockedSince = null
  })
  const write = (text: string) => {
    if (!outgoing.write(text)) blockedSince ??= Date.now()
  }
  const timer = setInterval(() => {
    // It was ended, and the client does not read the rest.
    if (outgoing.writableEnded) outgoing.destroy()
    else if (blockedSince === null) write(': keepalive\n\n')
    else if (Date.now() - blockedSince >= STALLED_MS) outgoing.destroy()
  }, KEEP_ALIVE_MS).unref()
  outgoing.once('close', () => clearInterval(timer))
  return {
    canWrite: () => blockedSince === null && !outgoing.destroyed,
    write: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    end: () => outgoing.end(),
  }
}
