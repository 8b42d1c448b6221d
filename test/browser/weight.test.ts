/** How much the page weighs on the wire, and what is left of it while the daemon is down or after an upgrade. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { startDaemonProcess } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { createServedRuntime } from '../support/served-runtime.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { whenDone } from '../support/when-done.js'

const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))
const FIRST_LOAD_BYTES = 150 * 1024

/** Every byte that servers of this process send, headers, service worker and streams included. */
function countSentBytes(): () => number {
  const sockets = new Set<Socket>()
  const see = (message: unknown) => sockets.add((message as { socket: Socket }).socket)
  subscribe('http.server.request.start', see)
  whenDone(() => void unsubscribe('http.server.request.start', see))
  return () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0)
}

const WORKER_IS_READY = `navigator.serviceWorker.ready.then(() => caches.keys())`

async function shellNames(page: Page): Promise<string[]> {
  const names = (await page.evaluate(WORKER_IS_READY)) as string[]
  return names.filter((name) => name.startsWith('signalbox-shell'))
}

async function descriptionOf(page: Page): Promise<string | null> {
  return page.locator('meta[name="description"]').getAttribute('content')
}

describe.skipIf(chromiumPath === null)('the page', () => {
  test('is loaded for the first time, with the shell for offline use, in at most 150 KB', async () => {
    const sentBytes = countSentBytes()
    const { client } = await createServedRuntime({ webFolder: WEB })
    const page = await (await openBrowser()).newPage({ locale: 'en' })
    const login = await client.createLoginCode({ body: {} })
    const before = sentBytes()

    await page.goto(login.url)
    await page.getByRole('heading', { name: 'Start a session' }).waitFor()
    await page.evaluate(WORKER_IS_READY)
    await page.waitForLoadState('load')

    const received = sentBytes() - before
    expect(received).toBeGreaterThan(50 * 1024)
    expect(received).toBeLessThanOrEqual(FIRST_LOAD_BYTES)
  })

  test('asks for the data of the list while the script loads, and uses these replies', async () => {
    const { client, createSession, url } = await createServedRuntime({ webFolder: WEB })
    await createSession(undefined, { title: 'Listed' })
    const page = await (await openBrowser()).newPage()
    await page.goto((await client.createLoginCode({ body: {} })).url)
    await page.getByText('Listed').waitFor()
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url().slice(url.length)))
    // The list is complete without the stream, which would ask again.
    await page.route('**/api/v1/stream*', () => {})

    await page.reload()

    await page.getByText('Listed').waitFor()
    const script = asked.findIndex((path) => path.endsWith('.js'))
    const data = asked.filter((path) => /about|sessions[?]|requests[?]/.test(path))
    expect(script).toBeGreaterThan(0)
    expect(data).toEqual([
      '/api/v1/about',
      '/api/v1/sessions?limit=1000',
      '/api/v1/requests?state=pending&limit=1000',
    ])
    expect(asked.indexOf('/api/v1/about')).toBeLessThan(asked.findIndex((path) => path.includes('stream')))
  })

  test('opens while the daemon is down, says so, and connects when it is back', async () => {
    const { at, daemon, newPage } = await openDashboard()
    const page = await newPage({ locale: 'ko' })
    await logIn(page, daemon, '/')
    await page.evaluate(WORKER_IS_READY)
    // The language was loaded before there was a worker: the page hands it over.
    const kept = `caches.open('signalbox-assets').then((cache) => cache.keys()).then((keys) => keys.some(({ url }) => /[/]ko-/.test(url)))`
    await expect.poll(() => page.evaluate(kept)).toBe(true)
    await daemon.stop()

    await page.goto(new URL('/inbox', daemon.url).href)

    await page.getByText('Signalbox에 연결할 수 없습니다').waitFor()
    const again = await startDaemonProcess(at, new URL(daemon.url).port)
    await page.locator('.rail').waitFor()
    expect(page.url()).toBe(new URL('/inbox', daemon.url).href)
    await again.stop()
  })

  test('is the new one after an upgrade, online and offline, and the old shell is removed', async () => {
    const webFolder = await temporaryFolder()
    await cp(WEB, webFolder, { recursive: true })
    const runtime = await createServedRuntime({ webFolder })
    const { client, url, server } = runtime
    const page = await (await openBrowser()).newPage()
    await page.goto((await client.createLoginCode({ body: {} })).url)
    const [old = ''] = await shellNames(page)

    await upgrade(webFolder)
    await page.goto(url)

    await expect.poll(() => descriptionOf(page)).toMatch(/^Upgraded: /)
    await expect.poll(() => shellNames(page)).toEqual(['signalbox-shell-upgraded'])
    expect(old).toMatch(/^signalbox-shell-[0-9a-f]{16}$/)
    await server.close()
    await page.goto(`${url}/policy`)
    expect(await descriptionOf(page)).toMatch(/^Upgraded: /)
  })
})

/** The same files with another page and another version, as a new build has them. */
async function upgrade(webFolder: string): Promise<void> {
  const change = async (name: string, from: RegExp, to: string) => {
    const text = await readFile(join(webFolder, name), 'utf8')
    expect(text).toMatch(from)
    await writeFile(join(webFolder, name), text.replace(from, to))
    for (const variant of ['.br', '.gz']) await rm(join(webFolder, `${name}${variant}`), { force: true })
  }
  await change('index.html', /name="description" content="/, 'name="description" content="Upgraded: ')
  await change('service-worker.js', /VERSION = '[0-9a-f]{16}'/, "VERSION = 'upgraded'")
}
