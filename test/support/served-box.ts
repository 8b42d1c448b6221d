/** A box with its server: everything but the process and the CLI. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { createAccess } from '../../src/server/auth/credentials.js'
import { readyStore } from '../../src/server/ready-store.js'
import { type Reach, startServer } from '../../src/server/server.js'
import { createBox, type RuntimeOptions } from './box.js'
import { ids } from './build.js'

type Asked = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

export const TOKEN = 'the-token-of-this-test'

interface ServedOptions extends RuntimeOptions {
  reach?: Partial<Reach>
  /** The files of a real dashboard instead of a stand-in. */
  webFolder?: string
}

export async function createServedBox(options: ServedOptions = {}) {
  const box = await createBox(options)
  const { hub, clock, store, folder, secrets } = box
  secrets.learn([TOKEN])
  const access = createAccess({ store, clock, ids, token: TOKEN })
  const webFolder = join(folder, 'web')
  await mkdir(join(webFolder, 'assets'), { recursive: true })
  await writeFile(join(webFolder, 'index.html'), '<!doctype html><title>Signalbox</title>')
  await writeFile(join(webFolder, 'assets', 'app-1.js'), 'export {}')
  await writeFile(join(folder, 'secret.js'), 'not served')
  const server = await startServer(
    {
      hub,
      access,
      clock,
      ids,
      billing: 'api',
      secrets,
      about: ({ name, role }) => ({
        name: 'signalbox',
        version: '0.0.0',
        model: 'scripted',
        startedAt: new Date(clock.now()).toISOString(),
        pid: 1,
        home: folder,
        jail: { state: 'off', kind: null, reason: 'There is none.' },
        sampleWorkspace: null,
        storage: store.storage.problem,
        you: { name, role },
      }),
      isReady: () => readyStore(store),
      webFolder: options.webFolder ?? webFolder,
      onFault: (error) => box.faults.push(error),
    },
    { host: '127.0.0.1', port: 0, ...options.reach },
  )
  onTestFinished(() => server.close())
  return {
    ...box,
    access,
    server,
    url: server.url,
    client: createClient({ url: server.url, token: TOKEN }),
    ask: (path: string, { headers, ...init }: Asked = {}) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      }),
  }
}
