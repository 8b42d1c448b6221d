/** `signalbox complete`: ids and names that a shell offers. Silent and quick, whatever happens: a shell waits for it at each Tab. */

import type { Client } from '../../client/client.js'
import { homePath } from '../../home.js'
import { efforts, permissionModes } from '../../protocol/choice.js'
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
  const asked = client
    ? await Promise.race([
        offer(client, kind).catch(() => []),
        new Promise<Offer[]>((resolve) => setTimeout(resolve, LIMIT_MS, []).unref()),
      ])
    : []
  const offered = asked.length > 0 ? asked : (KNOWN[kind] ?? []).map((id) => ({ id, title: '' }))
  const short = kind in NAMED ? new Map<string, string>() : shortIds(offered.map(({ id }) => id))
  for (const { id, title } of offered) {
    // The start of a whole id may be typed; otherwise the short end is offered, as lists show it.
    const shown = word && id.startsWith(word) ? id : (short.get(id) ?? id)
    // Shells read these lines: ids, names and plain words only.
    if (/^[\p{L}\p{N}_][\p{L}\p{M}\p{N}._-]*$/u.test(shown))
      terminal.stream(`${shown}\t${title.replaceAll(/[^\p{L}\p{N} .,_-]/gu, ' ').slice(0, 60)}\n`)
  }
  return EXIT.done
}

/** Words that need no daemon, or are offered while it does not know better. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  effort: efforts,
  mode: permissionModes,
  model: ['opus', 'sonnet', 'haiku'],
}

/** Kinds with names instead of ids. */
const NAMED = { effort: true, mode: true, model: true, prompt: true }

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
  if (kind === 'model') {
    const { models } = await client.listModels()
    return models.map(({ value, description }) => ({ id: value, title: description }))
  }
  if (kind === 'prompt') {
    const { prompts } = await client.listPrompts()
    return prompts.map(({ name, text }) => ({ id: name, title: text }))
  }
  return []
}
