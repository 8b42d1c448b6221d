/** The log of a daemon: faults go to standard error and to the log file of the home, starts and stops to the file alone. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createLogFile } from '../../lib/file/log-file.js'
import { createLog, type Log, type LogEntry } from '../../lib/log.js'
import { redactJson } from '../../lib/redact/redact-json.js'
import type { SecretSet } from '../../lib/redact/secret-set.js'
import { HubError } from '../../protocol/error.js'
import { readVersion } from '../../version.js'
import { entryText } from './log-text.js'

export interface DaemonLog {
  readonly log: Log
  /** Only in the file: the terminal that started the daemon shows it already. */
  readonly record: Log
  /** A start that failed. A home that cannot be used is not written to. */
  recordFailure(error: unknown): void
}

export function openDaemonLog(
  home: string,
  secrets: SecretSet,
  stderr: { isTTY?: boolean; write(text: string): unknown } = process.stderr,
): DaemonLog {
  const show = (entry: LogEntry) =>
    stderr.write(stderr.isTTY ? `${entryText(entry)}\n` : `${JSON.stringify(entry)}\n`)
  const stderrLog = createLog(show, Date.now)
  const file = createLogFile({
    folder: join(home, 'logs'),
    kind: 'daemon',
    now: Date.now,
    onFault: (error) => stderrLog.error('log_not_written', error),
  })
  const keep = (entry: LogEntry) => file.write(JSON.stringify(entry))
  const redacted = (entry: LogEntry) => redactJson(entry, (text) => secrets.redact(text))
  const record = createLog((entry) => keep(redacted(entry)), Date.now)
  return {
    log: createLog((entry) => {
      const safe = redacted(entry)
      show(safe)
      keep(safe)
    }, Date.now),
    record,
    recordFailure(error) {
      if (error instanceof HubError && error.code === 'home_unusable') return
      if (existsSync(home)) record.error('start_failed', error, { version: readVersion(), pid: process.pid })
    },
  }
}
