/** A box with its server: what people and programs reach over HTTP. */

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BoxOptions, openBox } from './box.js'
import { type Home, readToken, writeAddress } from './home.js'
import { Closers } from './lib/closers.js'
import { createAccess, newSecret } from './server/access.js'
import { startServer } from './server/server.js'
import { readVersion } from './version.js'

export type DaemonOptions = BoxOptions

export interface Daemon {
  readonly url: string
  /** Opens the dashboard in one browser, once. */
  readonly loginUrl: string
  readonly home: string
  readonly model: 'scripted' | 'account'
  readonly token: string
  /** Ends every process that it has started. May be called twice. */
  close(): Promise<void>
}

export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const onFault = (error: unknown) => options.log.error('fault', error)
  const closers = new Closers(onFault)
  const box = closers.add(await openBox(options), (it) => it.close())
  try {
    const { hub, store, clock, ids, home, model } = box
    const startedAt = new Date(clock.now()).toISOString()
    const version = readVersion()
    const sampleWorkspace = model === 'scripted' ? makeSampleWorkspace(home) : null
    const token = readToken(home, () => newSecret(32))
    const access = createAccess({ store, clock, ids, token })
    const server = closers.add(
      await startServer(
        {
          hub,
          access,
          ids,
          about: ({ name, role }) => ({
            name: 'signalbox',
            version,
            model,
            startedAt,
            pid: process.pid,
            home: home.path,
            sampleWorkspace,
            you: { name, role },
          }),
          isReady: () => store.lastPosition(),
          webFolder: fileURLToPath(new URL('./web/', import.meta.url)),
          onFault,
        },
        options.config,
      ),
      (it) => it.close(),
    )
    writeAddress(home, { url: server.url, pid: process.pid })
    const loginUrl = `${server.url}/#code=${access.createLoginCode().code}`
    return { url: server.url, loginUrl, home: home.path, model, token, close: () => closers.close() }
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** A folder to try things in, so that nobody has to point an agent at real work first. */
function makeSampleWorkspace({ path }: Home): string {
  const folder = join(path, 'sample-workspace')
  mkdirSync(folder, { recursive: true })
  return folder
}
