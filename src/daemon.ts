/** A runtime with its server: the product as users and programs reach it over HTTP. */

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.js'
import { type Home, readToken, writeAddress } from './home.js'
import { Closers } from './lib/closers.js'
import type { Log } from './lib/log.js'
import { tellingValues } from './lib/redact/secret-value.js'
import { HubError } from './protocol/error.js'
import { type HubRuntime, openHubRuntime } from './runtime/hub-runtime.js'
import { createSessionCheck } from './runtime/in-session.js'
import { killProcesses } from './runtime/kill-processes.js'
import { openRuntime, type RuntimeOptions } from './runtime/runtime.js'
import { newSecret } from './server/auth/credentials.js'
import { warmUp } from './server/prime-hold-route.js'
import { serveHub } from './server/serve-hub.js'
import type { Reach } from './server/server.js'
import { startErrorOf } from './store/start-error.js'
import { startTelemetry } from './telemetry/telemetry.js'
import { readAuthority, renewTls } from './tls/local-authority.js'
import { readVersion } from './version.js'

export interface DaemonOptions
  extends Omit<RuntimeOptions, 'onFault' | 'followsTerminals' | 'canKeepProcesses' | 'log'> {
  log: Log
  /** Starts the process of the runner, if that is to be one of its own. */
  spawnRunner?: () => void
  /** How users call the command line for this daemon; shown in the dashboard. */
  command?: string
}

export interface Daemon {
  readonly url: string
  /** Opens the dashboard in one browser, once. */
  readonly loginUrl: string
  readonly home: string
  readonly model: 'scripted' | 'account'
  readonly token: string
  /** Whether the conversations of terminals are kept. */
  readonly keepsTranscripts: boolean
  /** Ends every process that it has started, or with `keepsProcesses` leaves those of sessions to the next daemon. Idempotent. */
  close(options?: { keepsProcesses?: boolean }): Promise<void>
  /** Kills the processes of its sessions at once, for a `close` that takes too long. */
  killProcesses(): void
}

export async function startDaemon({ log, command, spawnRunner, ...options }: DaemonOptions): Promise<Daemon> {
  const onFault = (error: unknown, fields?: Record<string, unknown>) => log.error('fault', error, fields)
  const closers = new Closers(onFault)
  const closing: { keepsProcesses?: boolean } = {}
  const parts = { ...options, followsTerminals: true, canKeepProcesses: true, log, onFault }
  const runtime: HubRuntime = spawnRunner
    ? await openHubRuntime({ ...parts, spawnRunner, version: readVersion() })
    : await openRuntime(parts)
  closers.add(runtime, (it) => it.close(closing))
  try {
    const { home, model } = runtime
    const token = readToken(home, () => newSecret(32))
    renewOwnCertificate(home, log)
    const { server, access, notifications } = await serveHub(
      {
        ...runtime,
        token,
        billing: options.config.billing,
        about: {
          version: readVersion(),
          model,
          pid: process.pid,
          home: home.path,
          ...(command !== undefined && { command }),
          sampleWorkspace: model === 'scripted' ? makeSampleWorkspace(home) : null,
        },
        webFolder: fileURLToPath(new URL('./web/', import.meta.url)),
        authority: () => readAuthority(home.path),
        isInSession: createSessionCheck(home.path, () => runtime.hub.terminalSessions()),
        notifications: {
          settings: options.config.notifications,
          users: options.config.users,
          channels: options.config.channels,
          home: home.path,
          platform: process.platform,
          env: options.env,
        },
        onFault,
      },
      reachOf(options.config),
    )
    closers.add(notifications, (it) => it.close())
    runtime.secrets.learn(tellingValues(Object.values(options.config.telemetry.headers)))
    const telemetry = await startTelemetry({
      settings: options.config.telemetry,
      journal: runtime.hub.journal,
      store: runtime.store,
      clock: runtime.clock,
      version: readVersion(),
      redact: (text) => runtime.secrets.redactInSlices(text),
      onFault,
    })
    if (telemetry) closers.add(telemetry, (it) => it.close())
    closers.add(server, (it) => it.close())
    // Hooks in terminals give up after a tenth of a second, which the first requests of a process may take.
    await warmUp(server.localUrl, token)
    writeAddress(home, { url: server.localUrl, pid: process.pid })
    const { code } = await access.createLoginCode()
    const loginUrl = `${server.url}/#code=${code}`
    return {
      url: server.url,
      loginUrl,
      home: home.path,
      model,
      token,
      keepsTranscripts: options.config.transcripts.keep,
      close: (how = {}) => {
        Object.assign(closing, how)
        return closers.close()
      },
      killProcesses: () => killProcesses(home.path),
    }
  } catch (error) {
    await closers.close()
    throw startErrorOf(error, runtime.home)
  }
}

function reachOf({ host, port, hosts, tlsCert, tlsKey, trustedProxies }: Config): Reach {
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { cert: readPem(tlsCert, 'tlsCert'), key: readPem(tlsKey, 'tlsKey') }
  return { host, port, hosts, tls, trustedProxies }
}

/** Before it is read: a certificate of our own that ends soon is replaced. */
function renewOwnCertificate({ path }: Home, log: Log): void {
  try {
    if (renewTls(path, Date.now())) log.info('certificate_renewed', {})
  } catch (error) {
    log.error('certificate_not_renewed', error)
  }
}

function readPem(path: string, setting: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new HubError(
      'config_invalid',
      `Cannot read ${path}, the file of ${setting}. Check the path and its permissions.`,
      {},
      { cause },
    )
  }
}

/** A folder to try things in, so that a new user need not point an agent at real work first. */
function makeSampleWorkspace({ path }: Home): string {
  const folder = join(path, 'sample-workspace')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}
