/** A test runtime with its server: everything but the process and the CLI. */

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { NotificationSettings } from '../../src/protocol/notification/settings.js'
import { type ServedHub, serveHub } from '../../src/server/serve-hub.js'
import type { Reach } from '../../src/server/server.js'
import { ids } from './build.js'
import { createTestRuntime, type TestRuntimeOptions } from './test-runtime.js'

type AuthorizedInit = Omit<RequestInit, 'headers'> & { headers?: Record<string, string> }

export const TOKEN = 'the-token-of-this-test'

interface ServedOptions extends TestRuntimeOptions {
  reach?: Partial<Reach>
  /** The files of a real dashboard instead of a stand-in. */
  webFolder?: string
  notifications?: Partial<ServedHub['notifications']>
}

export async function createServedRuntime(options: ServedOptions = {}) {
  const runtime = await createTestRuntime(options)
  const { folder } = runtime
  const webFolder = join(folder, 'web')
  await mkdir(join(webFolder, 'assets'), { recursive: true })
  await writeFile(join(webFolder, 'index.html'), '<!doctype html><title>Signalbox</title>')
  await writeFile(join(webFolder, 'assets', 'app-1.js'), 'export {}')
  await writeFile(join(folder, 'secret.js'), 'not served')
  const { server, access, notifications } = await serveHub(
    {
      ...runtime,
      ids,
      token: TOKEN,
      billing: 'api',
      about: { version: '0.0.0', model: 'scripted', pid: 1, home: folder, sampleWorkspace: null },
      webFolder: options.webFolder ?? webFolder,
      notifications: {
        settings: NotificationSettings.parse({}),
        users: {},
        channels: {},
        home: folder,
        platform: 'linux',
        env: {},
        ...options.notifications,
      },
      onFault: (error) => runtime.faults.push(error),
    },
    { host: '127.0.0.1', port: 0, ...options.reach },
  )
  onTestFinished(async () => {
    await server.close()
    await notifications.close()
  })
  return {
    ...runtime,
    access,
    notifications,
    server,
    url: server.url,
    client: createClient({ url: server.url, token: TOKEN }),
    ask: (path: string, { headers, ...init }: AuthorizedInit = {}) =>
      fetch(`${server.url}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${TOKEN}`, ...headers },
      }),
  }
}
