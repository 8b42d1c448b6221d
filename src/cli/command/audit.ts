/** The audit on the command line: the decisions, and whether the entries are unchanged. */

import { existsSync } from 'node:fs'
import { verifyDatabase } from '../../audit/database.js'
import type { Client } from '../../client/client.js'
import { homeAt, homePath } from '../../home.js'
import { printable } from '../../lib/text/printable.js'
import type { AuditRecord } from '../../protocol/audit.js'
import { HubError } from '../../protocol/error.js'
import type { RouteRequest } from '../../protocol/route.js'
import { inspectDatabase } from '../../store/damage.js'
import { readDate } from '../command-date.js'
import { readNumber } from '../command-options.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'
import { type TimeOptions, timeText } from '../output/time.js'
import { findSessionId } from '../short-id.js'

interface CommonOptions extends TimeOptions {
  home?: string
  json?: boolean
}

interface FilterOptions {
  people?: boolean
  session?: string
  user?: string
  by?: string
  kind?: string
  verdict?: string
  tool?: string
  search?: string
  since?: string
  until?: string
  before?: string
  limit: string
}

/** The newest at the end, where a terminal shows them. */
export async function audit(options: CommonOptions & FilterOptions, terminal: Terminal) {
  const client = connect(homePath(options.home, process.env))
  const { session, before } = options
  const reply = await allOf(client, {
    ...filterOf(options),
    ...(session !== undefined && { sessionId: await findSessionId(client, session) }),
    ...(before !== undefined && { cursor: readNumber('--before', before, ENTRIES) }),
    limit: readNumber('--limit', options.limit, { min: 1, max: 1_000 }),
  })
  if (reply.alarm) terminal.note(terminal.color.red(printable(`Alarm: ${reply.alarm.subject}`)))
  if (options.json) terminal.json(reply)
  else if (reply.records.length === 0) terminal.note('No audit entries.')
  else terminal.out(auditTable(reply.records.toReversed(), options, terminal.columns))
  if (!options.json && reply.nextCursor !== null)
    terminal.note(`Earlier entries: --before ${reply.nextCursor}`)
  return EXIT.done
}

const ENTRIES = { min: 1, max: Number.MAX_SAFE_INTEGER }

function filterOf({ people, by, user, kind, verdict, tool, search, since, until }: FilterOptions) {
  if (people && by !== undefined) throw new HubError('request_invalid', 'Use --people or --by, not both.')
  const source = people ? 'person' : by
  return {
    ...(source !== undefined && { by: source }),
    ...(user !== undefined && { who: user }),
    ...(kind !== undefined && { kind }),
    ...(verdict !== undefined && { verdict }),
    ...(tool !== undefined && { tool }),
    ...(search !== undefined && { q: search }),
    ...(since !== undefined && { since: readDate('--since', since) }),
    ...(until !== undefined && { until: readDate('--until', until) }),
  }
}

/** A page can be short where a filter matches little: then the next one is asked for. */
async function allOf(
  client: Client,
  query: NonNullable<RouteRequest<'listAudit'>['query']> & { limit: number },
) {
  let reply = await client.listAudit({ query })
  const records = [...reply.records]
  while (records.length < query.limit && reply.nextCursor !== null) {
    const limit = query.limit - records.length
    reply = await client.listAudit({ query: { ...query, limit, cursor: reply.nextCursor } })
    records.push(...reply.records)
  }
  return { ...reply, records }
}

function auditTable(records: readonly AuditRecord[], options: TimeOptions, width: number | null): string {
  const rows = records.map(({ number, at, who, via, by, kind, verdict, subject, rule }) => [
    String(number),
    timeText(at, options, width === null ? 'second' : 'minute'),
    printable(who === null ? by : `${who} (${via ?? by})`),
    actionOf(kind, verdict),
    oneLine(`${subject}${rule === null ? '' : `  [${rule}]`}`),
  ])
  const columns = [
    { title: 'entry', align: 'right', dropsAt: 1 },
    { title: 'time' },
    { title: 'who', minWidth: 8, wraps: true },
    { title: 'action', minWidth: 9, wraps: true },
    { title: 'what', minWidth: 20, wraps: true },
  ] as const
  return table(columns, rows, { width })
}

/** A verdict says what was done; "done" does not: `workspace trusted`, `token revoked`. */
function actionOf(kind: AuditRecord['kind'], verdict: string): string {
  return verdict === 'done' ? kind.replaceAll(/[._]/g, ' ') : verdict
}

/** Reads the database itself, so that it works with and without the daemon. */
export async function verifyAudit(options: CommonOptions, terminal: Terminal): Promise<number> {
  const { path, database, auditSeal } = homeAt(homePath(options.home, process.env))
  if (!existsSync(database)) throw new HubError('home_unusable', `There is no audit in ${path}.`)
  const result = await verifyDatabase(database, auditSeal)
  if (options.json) terminal.json(result)
  else if (result.isIntact) terminal.note(`Audit verified: ${entries(result.rows)}, unchanged.`)
  else terminal.note(terminal.color.red(printable(`Audit verification failed. ${result.problem}`)))
  if (result.isIntact) return EXIT.done
  // A database that is damaged as a whole is another problem than entries that were changed.
  const { state, found, fix = '' } = await inspectDatabase(database)
  if (state !== 'broken') return EXIT.failed
  terminal.note(printable(`${found} ${fix}`.trim()))
  return EXIT.storage
}

function entries(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}

/** Accepts the alarm; its entry stays in the audit, and the accepting is an entry of its own. */
export async function acceptAudit(
  options: CommonOptions & { reason?: string },
  terminal: Terminal,
): Promise<number> {
  const client = connect(homePath(options.home, process.env))
  const { reason } = options
  const reply = await client.acceptAudit({ body: reason === undefined ? {} : { reason } })
  if (options.json) terminal.json(reply)
  else if (reply.alarm)
    terminal.note(printable(`Acknowledged the alarm of entry ${reply.alarm.number}: ${reply.alarm.subject}`))
  else terminal.note('There is no alarm to acknowledge.')
  return EXIT.done
}
