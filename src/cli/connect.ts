/** Finds the daemon of a home. */

import { readFileSync } from 'node:fs'
import type { Agent } from 'node:http'
import { join } from 'node:path'
import { type Client, type ClientOptions, createClient } from '../client/client.js'
import { readAddress } from '../home.js'
import { HubError } from '../protocol/error.js'
import { createQuickFetch } from './quick-fetch.js'

/** A client for the running daemon; rejects with advice if there is none. */
export function connect(home: string): Client {
  const client = findDaemon(home)
  if (client) return client
  const address = readAddress(home)
  throw new HubError(
    'daemon_unreachable',
    address
      ? `Cannot log in to Signalbox at ${address.url} (pid ${address.pid}): ${join(home, 'token')} is missing. Restart the daemon to create a new token.`
      : 'Signalbox is not running. Start it with "signalbox start".',
  )
}

interface ConnectOptions {
  /** In place of that of the home. */
  token?: string | undefined
  via?: ClientOptions['via']
  /** Keeps connections. A command hardly ever asks twice: then to keep one costs more than the question. */
  agent?: Agent
}

/** A client for the daemon that this home names, running or not; null if it names none. */
export function findDaemon(home: string, options: ConnectOptions = {}): Client | null {
  const address = readAddress(home)
  const { token = readTokenFile(home), via = 'cli', agent = false } = options
  if (!address || !token) return null
  const fetch = createQuickFetch(agent)
  return createClient({
    url: address.url,
    token,
    via,
    // A command that follows events outlives the daemon, and the next daemon may listen on another port.
    fetch: (url, init) => fetch(url.replace(address.url, readAddress(home)?.url ?? address.url), init),
  })
}

function readTokenFile(home: string): string | null {
  try {
    return readFileSync(join(home, 'token'), 'utf8').trim()
  } catch {
    return null
  }
}
