/** A box with its server: the product as users and programs reach it over HTTP. */

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Config } from './config.js'
import { type Home, readToken, writeAddress } from './home.js'
import { Closers } from './lib/closers.js'
import type { Log } from './lib/log.js'
import { HubError } from './protocol/error.js'
import { openRuntime, type RuntimeOptions } from './runtime.js'
import { createAccess, newSecret } from './server/auth/credentials.js'
import { warmUp } from './server/prime-hold-route.js'
import { readyStore } from './server/ready-store.js'
import { type Reach, startServer } from './server/server.js'
import { startErrorOf } from './store/start-error.js'
import { readVersion } from './version.js'

export interface DaemonOptions extends Omit<RuntimeOptions, 'onFault' | 'followsTerminals' | 'log'> {
  log: Log
}

export interface Daemon {
  readonly url: string
  /** Opens the dashboard in one browser, once. */
  readonly loginUrl: string
  readonly home: string
  readonly model: 'scripted' | 'account'
  readonly token: string
  /** Ends every process that it has started. Idempotent. */
  close(): Promise<void>
}

export async function startDaemon({ log, ...options }: DaemonOptions): Promise<Daemon> {
  const onFault = (error: unknown, fields?: Record<string, unknown>) => log.error('fault', error, fields)
  const closers = new Closers(onFault)
  const box = closers.add(await openRuntime({ ...options, followsTerminals: true, log, onFault }), (it) =>
    it.close(),
  )
  try {
    const { hub, store, clock, ids, home, model, secrets, jail } = box
    const startedAt = new Date(clock.now()).toISOString()
    const version = readVersion()
    const sampleWorkspace = model === 'scripted' ? makeSampleWorkspace(home) : null
    const token = readToken(home, () => newSecret(32))
    secrets.learn([token])
    const access = createAccess({ store, clock, ids, token, onSecret: (secret) => secrets.learn([secret]) })
    const server = closers.add(
      await startServer(
        {
          hub,
          access,
          clock,
          ids,
          billing: options.config.billing,
          secrets,
          about: ({ name, role }) => ({
            name: 'signalbox',
            version,
            model,
            startedAt,
            pid: process.pid,
            home: home.path,
            jail: jail.status,
            sampleWorkspace,
            storage: store.storage.problem,
            you: { name, role },
          }),
          isReady: () => readyStore(store),
          webFolder: fileURLToPath(new URL('./web/', import.meta.url)),
          onFault,
        },
        reachOf(options.config),
      ),
      (it) => it.close(),
    )
    // Hooks in terminals give up after a tenth of a second, which the first requests of a process may take.
    await warmUp(server.localUrl, token)
    writeAddress(home, { url: server.localUrl, pid: process.pid })
    const { code } = await access.createLoginCode()
    const loginUrl = `${server.url}/#code=${code}`
    return { url: server.url, loginUrl, home: home.path, model, token, close: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw startErrorOf(error, box.home)
  }
}

function reachOf({ host, port, hosts, tlsCert, tlsKey, trustedProxies }: Config): Reach {
  const tls =
    tlsCert === undefined || tlsKey === undefined
      ? null
      : { cert: readPem(tlsCert, 'tlsCert'), key: readPem(tlsKey, 'tlsKey') }
  return { host, port, hosts, tls, trustedProxies }
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
