/** The audit on the command line: the decisions, and whether the entries are unchanged. */

import { existsSync } from 'node:fs'
import { verifyDatabase } from '../../audit/database.js'
import { homeAt, homePath } from '../../home.js'
import { printable } from '../../lib/text/printable.js'
import type { AuditRecord } from '../../protocol/audit.js'
import { HubError } from '../../protocol/error.js'
import { inspectDatabase } from '../../store/damage.js'
import { connect } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { table } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { oneLine } from '../output/text.js'
import { type TimeOptions, timeText } from '../output/time.js'

interface CommonOptions extends TimeOptions {
  home?: string
  json?: boolean
}

/** The newest at the end, where a terminal shows them. */
export async function audit(
  options: CommonOptions & { limit: string; session?: string },
  terminal: Terminal,
) {
  const client = connect(homePath(options.home, process.env))
  const { limit, session: sessionId } = options
  const reply = await client.listAudit({ query: { limit, ...(sessionId !== undefined && { sessionId }) } })
  if (reply.alarm) terminal.note(terminal.color.red(printable(`Alarm: ${reply.alarm.subject}`)))
  if (options.json) terminal.json(reply)
  else if (reply.records.length === 0) terminal.note('No audit entries yet.')
  else terminal.out(auditTable(reply.records.toReversed(), options, terminal.columns))
  return EXIT.done
}

function auditTable(records: readonly AuditRecord[], options: TimeOptions, width: number | null): string {
  const rows = records.map(({ number, at, who, via, by, verdict, subject, rule }) => [
    String(number),
    timeText(at, options),
    printable(who === null ? by : `${who} (${via ?? by})`),
    verdict,
    oneLine(`${subject}${rule === null ? '' : `  [${rule}]`}`),
  ])
  const columns = [
    { title: 'entry', align: 'right' },
    { title: 'time' },
    { title: 'who', minWidth: 8 },
    { title: 'verdict' },
    { title: 'what', minWidth: 16, wraps: true },
  ] as const
  return table(columns, rows, { width })
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
