/** A daemon in this process, with its log: starts, stops, crashes and faults are recorded in the home. */

import { readConfig } from '../../config.js'
import { type Daemon, startDaemon } from '../../daemon.js'
import { readAddress } from '../../home.js'
import type { Log } from '../../lib/log.js'
import { createSecretSet } from '../../lib/redact/secret-set.js'
import { secretsIn } from '../../lib/redact/secret-value.js'
import { readVersion } from '../../version.js'
import { ownCommandAnywhere } from '../own-command.js'
import { openDaemonLog } from './daemon-log.js'

export interface LoggedDaemon {
  daemon: Daemon
  record: Log
}

export async function startLoggedDaemon(options: {
  home: string
  settings: Readonly<Record<string, unknown>>
  scripted: string | true | null
  /** Starts the runner as a process of its own. */
  spawnRunner?: (() => void) | undefined
}): Promise<LoggedDaemon> {
  const { home, settings, scripted, spawnRunner } = options
  const { env } = process
  const secrets = createSecretSet(secretsIn(env))
  const { log, record, recordFailure } = openDaemonLog(home, secrets)
  const before = readAddress(home)
  const version = readVersion()
  try {
    const command = ownCommandAnywhere(home, env)
    const config = readConfig(home, settings, env)
    const daemon = await startDaemon({
      home,
      config,
      scripted,
      env,
      secrets,
      command,
      log,
      ...(spawnRunner && { spawnRunner }),
    })
    // A daemon that stops removes its address.
    if (before) record.info('previous_run_did_not_stop_cleanly', { pid: before.pid })
    const { url, model } = daemon
    record.info('started', { version, url, model, pid: process.pid, node: process.versions.node })
    process.on('uncaughtExceptionMonitor', (error) => record.error('crashed', error, { version }))
    const close = async () => {
      await daemon.close()
      record.info('stopped', { pid: process.pid })
    }
    return { daemon: { ...daemon, close }, record }
  } catch (error) {
    recordFailure(error)
    throw error
  }
}
