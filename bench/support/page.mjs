/** A real Chromium on the dashboard of a served journal. */

import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { onClose, temporaryFolder } from './place.mjs'

export const WEB = fileURLToPath(new URL('../../dist/web/', import.meta.url))

export async function openBrowser() {
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  if (!executablePath) throw new Error('There is no Chromium on this machine.')
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    env: { PATH: process.env.PATH, HOME: temporaryFolder() },
  })
  onClose(() => browser.close())
  return browser
}

/** A page of a browser that has never been here, but is logged in. */
export async function openPage(browser, { url, newLogin }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  const reply = await context.request.post(`${url}/api/v1/login`, {
    data: { code: await newLogin() },
    headers: { origin: url },
  })
  if (!reply.ok()) throw new Error(`The login did not work: ${await reply.text()}`)
  return context.newPage()
}

/** Resolves in the page with the milliseconds since `start` when something is seen, looked for before every picture. */
export const UNTIL_SEEN = `(isSeen, start) => new Promise((resolve, reject) => {
  const look = () => {
    if (isSeen()) resolve(performance.now() - start)
    else if (performance.now() - start > 20_000) reject(new Error('It is not seen.'))
    else requestAnimationFrame(look)
  }
  look()
})`
