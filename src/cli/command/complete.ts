/** `signalbox complete`: ids that a shell offers. Silent and quick, whatever happens: a shell waits for it at each Tab. */

import type { Client } from '../../client/client.js'
import { homePath } from '../../home.js'
import { findDaemon } from '../connect.js'
import { EXIT } from '../exit-code.js'
import type { Terminal } from '../output/terminal.js'
import { shortIds } from '../short-id.js'

const LIMIT_MS = 800

export async function complete(
  kind: string,
  word: string | undefined,
  options: { home?: string },
  terminal: Terminal,
): Promise<number> {
  const client = findDaemon(homePath(options.home, process.env))
  if (!client) return EXIT.done
  const offered = await Promise.race([
    offer(client, kind).catch(() => []),
    new Promise<Offer[]>((resolve) => setTimeout(resolve, LIMIT_MS, []).unref()),
  ])
  const short = shortIds(offered.map(({ id }) => id))
  for (const { id, title } of offered) {
    // The start of a whole id may be typed; otherwise the short end is offered, as lists show it.
    const shown = word && id.startsWith(word) ? id : (short.get(id) ?? id)
    // Shells read these lines: ids and plain words only.
    if (/^\w+$/.test(shown))
      terminal.stream(`${shown}\t${title.replaceAll(/[^\p{L}\p{N} .,_-]/gu, ' ').slice(0, 60)}\n`)
  }
  return EXIT.done
}

interface Offer {
  id: string
  title: string
}

async function offer(client: Client, kind: string): Promise<Offer[]> {
  if (kind === 'session') {
    const { titleOf } = await import('../list/session-text.js')
    const { sessions } = await client.listSessions({ query: { limit: 200 } })
    return sessions.map((session) => ({ id: session.id, title: titleOf(session) }))
  }
  if (kind === 'request') {
    const { requests } = await client.listRequests({ query: { state: 'pending', limit: 200 } })
    return requests.map(({ id, title }) => ({ id, title }))
  }
  if (kind === 'token') {
    const { tokens } = await client.listTokens()
    return tokens.map(({ id, name }) => ({ id, title: name }))
  }
  return []
}
