/** `signalbox service logs`: what the service manager kept, printed as `signalbox logs` prints the log of the daemon. */

import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { homePath } from '../../home.js'
import { EXIT } from '../exit-code.js'
import { LogPrinter } from '../log/log-printer.js'
import { isWantedEntry, readLogQuery } from '../log/log-query.js'
import type { Terminal } from '../output/terminal.js'
import { hint } from '../own-command.js'
import { realPath } from '../service/service-manager.js'
import type { LogsOptions } from './logs.js'
import { managerFor } from './service.js'

export async function serviceLogs(options: LogsOptions, terminal: Terminal): Promise<number> {
  const home = realPath(homePath(options.home, process.env))
  const query = readLogQuery(options)
  const { program, words, read } = managerFor(home).logReader({
    lines: query.count,
    follow: options.follow ?? false,
    since: query.since === null ? null : Date.parse(query.since),
  })
  const printer = new LogPrinter(home, options, terminal)
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const failed = new Promise<Error>((resolve) => child.on('error', resolve))
  let isLeft = false
  const leave = () => {
    isLeft = true
    child.kill()
  }
  process.once('SIGINT', leave).once('SIGTERM', leave)
  let count = 0
  const reading = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      const found = read(line)
      if (!found || !isWantedEntry(found.text, query)) continue
      count += 1
      printer.print(found.text, found.from ?? undefined)
    }
    return ended
  })()
  const code = await Promise.race([reading, failed])
  process.off('SIGINT', leave).off('SIGTERM', leave)
  if (isLeft) return EXIT.interrupted
  if (code instanceof Error) {
    const fix = 'Use "signalbox logs", which reads the log file of the daemon.'
    terminal.note(hint(`${program} does not run: ${code.message}. ${fix}`))
    return EXIT.failed
  }
  if (count === 0)
    terminal.note(hint('The service manager has no entries. The log file of the daemon: signalbox logs'))
  return code === 0 ? EXIT.done : EXIT.failed
}
