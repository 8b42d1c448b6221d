/** `signalbox sessions`: the list of sessions, once or kept up to date. */

import type { Client } from '../../../client/client.js'
import { conditions, sessionKinds, sessionStates } from '../../../protocol/choice.js'
import { HubError } from '../../../protocol/error.js'
import type { TranscriptStatus } from '../../../protocol/terminal/transcript-status.js'
import { pendingRequests } from '../../all-requests.js'
import { allSessions, type SessionQuery } from '../../all-sessions.js'
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
  history?: boolean
  tag?: string
  kind?: string
  machine?: string
  cwd?: string
  externalId?: string
  search?: string
  limit?: string
  watch?: boolean
}

const DEFAULT_LIMIT = 1_000
const MAX_LIMIT = 100_000

export async function sessions(options: SessionsOptions, terminal: Terminal): Promise<number> {
  const client = clientFor(options)
  const query = readQuery(options)
  if (options.watch) return watchSessions(client, query, options, terminal)
  const list = await readList(client, query)
  const kept = options.history ? (await client.transcriptStatus()).transcripts : null
  if (options.json) terminal.json({ sessions: list.sessions, ...(options.history && { transcripts: kept }) })
  else if (list.sessions.length === 0)
    terminal.note(hint('No sessions. Start one with: signalbox run "what to do"'))
  else terminal.out(draw(list, terminal))
  if (kept) terminal.note(importText(kept))
  if (list.isCut) terminal.note(`Only the newest ${list.sessions.length} are shown. Use --limit for more.`)
  return EXIT.done
}

function importText({
  isOn,
  sessions: all,
  importedSessions,
  bytes,
  importedBytes,
}: TranscriptStatus): string {
  if (!isOn) return 'Conversations of terminals are not kept: transcripts.keep is false.'
  const megabytes = (count: number) => Math.ceil(count / 1e6)
  return importedSessions === all
    ? `Kept: the transcripts of ${all} sessions, ${megabytes(bytes)} MB.`
    : `Importing: ${importedSessions} of ${all} sessions, ${megabytes(importedBytes)} of ${megabytes(bytes)} MB.`
}

interface Query {
  filter: SessionQuery
  most: number
}

function readQuery(options: SessionsOptions): Query {
  const { limit } = options
  const most = limit === undefined ? DEFAULT_LIMIT : readNumber('--limit', limit, { min: 1, max: MAX_LIMIT })
  return { filter: readFilter(options), most }
}

/** Imported conversations are archived, and only they are both observed and archived by default. */
function readFilter(given: SessionsOptions): SessionQuery {
  const options = given.history ? { ...given, archived: true, kind: 'observed' } : given
  const { all, archived, state, condition, tag, kind, machine, cwd, externalId, search } = options
  return {
    ...(state !== undefined && { state: readChoice('--state', state, sessionStates) }),
    ...(condition !== undefined && { condition: readChoice('--condition', condition, conditions) }),
    ...(!all && { archived: archived ? 'true' : 'false' }),
    ...(!all && !archived && state === undefined && { ended: 'false' }),
    ...(tag !== undefined && { tag }),
    ...(kind !== undefined && { kind: readChoice('--kind', kind, sessionKinds) }),
    ...(machine !== undefined && { machine }),
    ...(cwd !== undefined && { cwd }),
    ...(externalId !== undefined && { externalId }),
    ...(search !== undefined && { q: search }),
  }
}

async function readList(client: Client, { filter, most }: Query): Promise<SessionList> {
  const { sessions: found, isCut } = await allSessions(client, filter, most)
  const isWaiting = found.some((session) => session.pendingRequests.length > 0)
  const requests = isWaiting ? await pendingRequests(client) : []
  return { sessions: found, requests, isCut }
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
    list = await readList(client, query).catch((error: unknown) => {
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
  process.stdout.on('resize', show)
  try {
    await followChanges(client, refresh, left.signal, { onLost })
  } finally {
    if (timer) clearInterval(timer)
    process.stdout.off('resize', show)
    process.off('SIGINT', leave).off('SIGTERM', leave)
  }
  return EXIT.interrupted
}
