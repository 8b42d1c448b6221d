/** `signalbox runner`: drives the agents of a home, beside the daemon that serves it. */

import { readConfig } from '../../config.js'
import { homePath } from '../../home.js'
import { createSecretSet } from '../../lib/redact/secret-set.js'
import { secretsIn } from '../../lib/redact/secret-value.js'
import { killProcesses } from '../../runtime/kill-processes.js'
import { openRunner } from '../../runtime/open-runner.js'
import { readVersion } from '../../version.js'
import { closeInTime } from '../close-in-time.js'
import { EXIT } from '../exit-code.js'
import { openDaemonLog } from '../log/daemon-log.js'

export interface RunnerCommandOptions {
  home?: string
  scripted?: string | true
}

export async function runner({ home: given, scripted }: RunnerCommandOptions): Promise<number> {
  const { env } = process
  const home = homePath(given, env)
  const secrets = createSecretSet(secretsIn(env))
  const { log, record, recordFailure } = openDaemonLog(home, secrets)
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end)
  try {
    const onFault = (error: unknown, fields?: Record<string, unknown>) => log.error('fault', error, fields)
    const config = readConfig(home, {}, env)
    const opening = openRunner({
      home,
      version: readVersion(),
      config,
      scripted: scripted ?? null,
      env,
      secrets,
      log,
      onEnd: end,
      onFault,
    })
    if (await Promise.race([opening, ended.then(() => null)]))
      record.info('runner_started', { pid: process.pid })
    await ended
    const force = () => process.kill(process.pid, 'SIGKILL')
    // It may still wait for a hub.
    const close = async () => (await opening).close()
    await closeInTime({ close, killProcesses: () => killProcesses(home) }, force)
    record.info('runner_stopped', { pid: process.pid })
    return EXIT.done
  } catch (error) {
    recordFailure(error)
    throw error
  }
}
