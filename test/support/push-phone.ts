/** A daemon with the real CLI whose push messages go to a push service of the test, and a phone in a real browser. */

import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { createGuardedClient } from '../../src/lib/net/guarded-client.js'
import { createAuthority, createKeyPair, createLeaf } from '../../src/lib/x509/certificate.js'
import { NotificationSettings } from '../../src/protocol/notification/settings.js'
import type { ScriptInput } from '../../src/scripted/script.js'
import { serveHub } from '../../src/server/serve-hub.js'
import { openBrowser } from './browser.js'
import { type PushService, startPushService } from './push-service.js'
import { createRealRuntime, makeFolders } from './real-runtime.js'

const HOST = 'push.example.com'
const TOKEN = 'the-token-of-this-test'
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, permissions: ['notifications'] }

export type Phone = Awaited<ReturnType<typeof openPhone>>

export async function openPhone(script: (cwd: string) => ScriptInput) {
  const folders = await makeFolders()
  const { runtime, hub, cwd, faults } = await createRealRuntime(folders, script(folders.cwd))
  const { tls, authority } = certificateOf(HOST)
  const service = await startPushService({ host: HOST, tls })
  onTestFinished(() => service.close())
  const { server, notifications } = await serveHub(
    {
      ...runtime,
      token: TOKEN,
      billing: 'api',
      about: { version: '0.0.0', model: 'scripted', pid: 1, home: folders.home, sampleWorkspace: null },
      webFolder: fileURLToPath(new URL('../../dist/web/', import.meta.url)),
      notifications: {
        // At once, also to a user who is active.
        settings: NotificationSettings.parse({ afterMs: 0, deskMs: 0, presenceMs: 0, batchMs: 0 }),
        users: {},
        channels: {},
        home: folders.home,
        platform: 'linux',
        env: {},
        // Loopback counts as public here; the real list is tested with the client.
        client: createGuardedClient({
          resolve: async () => [{ address: '127.0.0.1', family: 4 }],
          isPublic: () => true,
          ca: authority,
        }),
      },
      onFault: (error) => faults.push(error),
    },
    { host: '127.0.0.1', port: 0 },
  )
  onTestFinished(async () => {
    await server.close()
    await notifications.close()
  })
  const browser = await openBrowser()
  return {
    hub,
    cwd,
    service,
    url: server.url,
    client: createClient({ url: server.url, token: TOKEN }),
    newPage: () => browser.newPage(PHONE),
  }
}

function certificateOf(host: string) {
  const validity = { from: Date.now() - 3_600_000, to: Date.now() + 86_400_000 }
  const authority = createAuthority('Test', [host], validity)
  const { privateKey, publicKey } = createKeyPair()
  const cert = createLeaf(authority, { name: host, hosts: [host], publicKey, validity })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  return { tls: { cert, key }, authority: authority.certificate }
}

/** The vendor's part, which needs the internet: the subscription that the browser would get. */
export async function stubSubscribe(page: Page, service: PushService): Promise<void> {
  const { endpoint, p256dh, auth } = service.subscribe()
  await page.addInitScript(
    `Object.assign(PushManager.prototype, {
       subscribe: async () => (globalThis.made = {
         endpoint: ${JSON.stringify(endpoint)},
         options: {},
         toJSON: () => ({ keys: ${JSON.stringify({ p256dh, auth })} }),
         unsubscribe: async () => true,
       }),
       getSubscription: async () => globalThis.made ?? null,
     })`,
  )
}

/** Hands messages to the service worker as the browser does, over the DevTools protocol. */
export async function openWorker(page: Page, origin: string) {
  const session = await page.context().newCDPSession(page)
  let registrationId = ''
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    registrationId = registrations.at(-1)?.registrationId ?? registrationId
  })
  await session.send('ServiceWorker.enable')
  await expect.poll(() => registrationId).not.toBe('')
  const worker = () => page.context().serviceWorkers()[0]
  await expect.poll(worker).toBeDefined()
  const push = (content: unknown) =>
    session.send('ServiceWorker.deliverPushMessage', {
      origin,
      registrationId,
      data: JSON.stringify(content),
    })
  const shown = async (): Promise<Shown[]> =>
    (await worker()?.evaluate<Shown[]>(
      `registration.getNotifications().then((list) => list.map(({ title, body, tag, actions }) =>
         ({ title, body, tag, actions: actions.map(({ action }) => action) })))`,
    )) ?? []
  return {
    push,
    shown,
    /** Resolves with what is shown. Nothing confirms a message of DevTools, so it is repeated; one tag is one notification. */
    async show(content: unknown): Promise<Shown[]> {
      await expect
        .poll(async () => {
          await push(content)
          return shown()
        })
        .toHaveLength(1)
      return shown()
    },
    /** Resolves when the worker has done what the press means. */
    press: (action: string) =>
      worker()?.evaluate(
        `registration.getNotifications().then(async ([notification]) => {
           const event = new NotificationEvent('notificationclick', { notification, action: ${JSON.stringify(action)} })
           let work
           Object.defineProperty(event, 'waitUntil', { value: (promise) => { work = promise } })
           dispatchEvent(event)
           await work
         })`,
      ),
  }
}

interface Shown {
  title: string
  body: string
  tag: string
  actions: string[]
}
