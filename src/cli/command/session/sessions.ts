/** `signalbox sessions`: the list of sessions, once or kept up to date. */

import type { Client } from '../../../client/client.js'
import { conditions, sessionKinds, sessionStates } from '../../../protocol/choice.js'
import { HubError } from '../../../protocol/error.js'
import { pendingRequests } from '../../all-requests.js'
import { type CommandOptions, clientFor, readChoice, readNumber } from '../../command-options.js'
import { EXIT } from '../../exit-code.js'
import { followChanges } from '../../list/live-list.js'
import { type SessionList, sessionTable } from '../../list/session-table.js'
import type { Terminal } from '../../output/terminal.js'
import { hint } from '../../own-command.js'

export interface SessionsOptions extends CommandOptions {
  all?: boolean
  state?: string
  condition?: string
  archived?: boolean
  tag?: string
  kind?: string
  cwd?: string
  externalId?: string
  search?: string
  limit?: string
  watch?: boolean
}

export async function sessions(options: SessionsOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const query = readQuery(options)
  if (options.watch) return watchSessions(client, query, options, terminal)
  const list = await readList(client, query, options)
  if (options.json) terminal.json({ sessions: list.sessions })
  else if (list.sessions.length === 0)
    terminal.note(hint('No sessions. Start one with: signalbox run "what to do"'))
  else terminal.out(draw(list, terminal))
  return EXIT.done
}

type Query = NonNullable<NonNullable<Parameters<Client['listSessions']>[0]>['query']>

function readQuery(options: SessionsOptions): Query {
  const { state, condition, tag, kind, cwd, externalId, search, limit } = options
  return {
    ...(state !== undefined && { state: readChoice('--state', state, sessionStates) }),
    ...(condition !== undefined && { condition: readChoice('--condition', condition, conditions) }),
    ...(!options.all && { archived: options.archived ? 'true' : 'false' }),
    ...(tag !== undefined && { tag }),
    ...(kind !== undefined && { kind: readChoice('--kind', kind, sessionKinds) }),
    ...(cwd !== undefined && { cwd }),
    ...(externalId !== undefined && { externalId }),
    ...(search !== undefined && { q: search }),
    limit: limit === undefined ? 1_000 : readNumber('--limit', limit, { min: 1, max: 1_000 }),
  }
}

async function readList(
  client: Client,
  query: Query,
  { all, archived, state }: SessionsOptions,
): Promise<SessionList> {
  const { sessions: found } = await client.listSessions({ query })
  const shown =
    all || archived || state === 'ended' ? found : found.filter((session) => session.state !== 'ended')
  const isWaiting = shown.some((session) => session.pendingRequests.length > 0)
  const requests = isWaiting ? await pendingRequests(client) : []
  return { sessions: shown, requests, ids: found.map(({ id }) => id) }
}

function draw(list: SessionList, { columns }: Terminal): string {
  return sessionTable(list, { width: columns, now: Date.now() })
}

/** Ages go on without events. */
const AGE_MS = 5_000

async function watchSessions(
  client: Client,
  query: Query,
  options: SessionsOptions,
  terminal: Terminal,
): Promise<number> {
  const left = new AbortController()
  const leave = () => left.abort()
  process.once('SIGINT', leave).once('SIGTERM', leave)
  let list: SessionList | null = null
  let isLost = false
  const show = () => {
    if (!list || options.json) return
    const text = list.sessions.length === 0 ? 'No sessions.\n' : draw(list, terminal)
    const lost = isLost ? terminal.color.red('The daemon is not responding. Retrying.\n') : ''
    terminal.redraw(`${text}${lost}`)
  }
  const refresh = async () => {
    list = await readList(client, query, options).catch((error: unknown) => {
      if (error instanceof HubError && error.code === 'daemon_unreachable') return list
      throw error
    })
    isLost = false
    if (options.json && list) terminal.json({ sessions: list.sessions })
    show()
  }
  const onLost = () => {
    isLost = true
    show()
  }
  // In a pipe only changes are of interest.
  const timer = terminal.columns === null ? null : setInterval(show, AGE_MS)
  try {
    await followChanges(client, refresh, left.signal, { onLost })
  } finally {
    if (timer) clearInterval(timer)
    process.off('SIGINT', leave).off('SIGTERM', leave)
  }
  return EXIT.interrupted
}
