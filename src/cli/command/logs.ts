/** `signalbox logs`: what the daemon logged, or the SDK log of a session. Reads the files of the home, so that it works without a daemon. */

import { join } from 'node:path'
import { homePath } from '../../home.js'
import { systemClock } from '../../lib/clock.js'
import { HubError } from '../../protocol/error.js'
import { StreamWatch } from '../../terminal/stream/stream-watch.js'
import type { CommandOptions } from '../command-options.js'
import { findDaemon } from '../connect.js'
import { EXIT } from '../exit-code.js'
import { DayLines } from '../log/day-lines.js'
import { LogPrinter } from '../log/log-printer.js'
import { isWantedEntry, type LogOptions, readLogQuery } from '../log/log-query.js'
import { isLineOf, loggedSessionId } from '../log/logged-session.js'
import type { Terminal } from '../output/terminal.js'
import type { TimeOptions } from '../output/time.js'
import { hint } from '../own-command.js'

export interface LogsOptions extends CommandOptions, TimeOptions, LogOptions {}

const POLL_MS = 1_000

export async function logs(
  short: string | undefined,
  options: LogsOptions,
  terminal: Terminal,
): Promise<number> {
  const home = homePath(options.home, process.env)
  const folder = join(home, 'logs')
  const query = readLogQuery(options)
  if (short !== undefined && options.level !== undefined)
    throw new HubError(
      'request_invalid',
      'Messages of a session have no level. Leave out --level, or the id for the log of the daemon.',
    )
  const client = findDaemon(home)
  const isRunning = Boolean(await client?.about().catch(() => null))
  const id = short === undefined ? null : await loggedSessionId(folder, short, isRunning ? client : null)
  const lines = new DayLines(folder, id === null ? 'daemon' : 'sdk')
  const printer = new LogPrinter(home, options, terminal)
  const isWanted = (line: string) =>
    id === null ? isWantedEntry(line, query) : isLineOf(line, id, query.since)
  const found = await lines.last({
    isWanted,
    sinceDay: query.since?.slice(0, 10) ?? null,
    count: query.count,
  })
  for (const line of found) printer.print(line)
  if (!isRunning) printer.note('The daemon is not running. This is what it logged.', found.length > 0)
  if (found.length === 0 && query.count > 0) terminal.note(hint(nothingText(folder, id, options)))
  if (!options.follow) return EXIT.done
  return follow(folder, lines, (line) => {
    if (isWanted(line)) printer.print(line)
  })
}

function nothingText(folder: string, id: string | null, { since, level }: LogsOptions): string {
  const where = since === undefined && level === undefined ? '' : ' that matches'
  return id === null
    ? `Nothing${where} is logged in ${folder}. The daemon logs its starts, stops and faults there.`
    : `No message${where} of ${id} is logged in ${folder}. Sessions in terminals have no SDK log.`
}

/** Until Ctrl-C; over the end of the day, and over restarts of the daemon. */
async function follow(folder: string, lines: DayLines, print: (line: string) => void): Promise<number> {
  const next = () => {
    for (const line of lines.next(() => true)) print(line)
  }
  const watch = new StreamWatch({
    folder,
    isWanted: (name) => lines.isOwn(name),
    clock: systemClock,
    pollMs: POLL_MS,
    onWake: next,
  })
  // Written while the last lines were printed.
  next()
  await new Promise<void>((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve))
  watch.close()
  return EXIT.interrupted
}
