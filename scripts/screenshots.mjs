/**
 * Takes the pictures of the dashboard for the documents: every view wide and on a phone, light and dark, and in Korean, on
 * a daemon of its own with the real CLI on a script. Names of views take only those; SCREENSHOTS says where to.
 */

import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createClient } from '../dist/client/index.js'
import { playScene } from './screenshots-play.mjs'
import { FILES, pictureScript } from './screenshots-scene.mjs'
import { LOOKS, MORE_LOOKS, viewsOf } from './screenshots-view.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = process.env.SCREENSHOTS ?? join(ROOT, 'docs', 'images')
const MAIN = join(ROOT, 'dist', 'cli', 'main.js')
const only = process.argv.slice(2)

/** The best of them, for the README and the documents. */
const CHOSEN = {
  dashboard: 'session',
  'dashboard-dark': 'session-dark',
  inbox: 'inbox',
  timeline: 'timeline',
  agents: 'agents-dark',
  policy: 'policy',
  'phone-sessions': 'sessions-phone',
  'phone-session': 'session-phone',
  'inbox-ko': 'inbox-ko',
}

const folder = join(tmpdir(), 'signalbox-pictures')
const workspace = join(folder, 'garden')
const home = join(folder, '.signalbox')
const env = { PATH: process.env.PATH, HOME: folder, SIGNALBOX_WARM: '0' }
await rm(folder, { recursive: true, force: true })
for (const [name, text] of Object.entries(FILES)) {
  await mkdir(join(workspace, name, '..'), { recursive: true })
  await writeFile(join(workspace, name), text)
}
const script = join(folder, 'script.json')
await writeFile(script, JSON.stringify(pictureScript(workspace)))
spawnSync(process.execPath, [MAIN, 'hooks', 'install'], { cwd: folder, env, stdio: 'ignore' })
const daemon = spawn(
  process.execPath,
  [MAIN, 'start', '--json', '--port', '0', '--scripted', script, '--home', home],
  { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
)
try {
  const line = await new Promise((resolve) => createInterface({ input: daemon.stdout }).once('line', resolve))
  const { url } = JSON.parse(line)
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const client = createClient({ url, token })
  const ids = await playScene({ client, workspace, home, hook: join(folder, '.claude', 'hooks') })
  await takePictures(client, viewsOf(ids))
} finally {
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

async function takePictures(client, views) {
  const all = join(OUT, 'views')
  await mkdir(all, { recursive: true })
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const looks = { ...LOOKS, ...(process.env.SCREENSHOTS && MORE_LOOKS) }
    for (const [look, { phone = false, dark = false, language = 'en', width = 1280 }] of Object.entries(
      looks,
    )) {
      const context = await browser.newContext({
        viewport: phone ? { width: 390, height: 780 } : { width, height: width > 1280 ? 900 : 800 },
        colorScheme: dark ? 'dark' : 'light',
        hasTouch: phone,
        isMobile: phone,
        locale: language,
      })
      const page = await context.newPage()
      await logIn(client, page)
      for (const { name, path, ready, act, isOut = false } of views) {
        if (only.length > 0 && !only.includes(name)) continue
        if (isOut) await context.clearCookies()
        await page.goto(new URL(path, page.url()).href)
        await page.locator(ready).first().waitFor()
        await page.locator('.banner').waitFor({ state: 'detached' })
        await act?.(page)
        await page.waitForTimeout(400)
        await page.screenshot({ path: join(all, `${name}${look}.png`) })
      }
      await context.close()
    }
  } finally {
    await browser.close()
  }
  if (only.length > 0) return
  for (const [name, from] of Object.entries(CHOSEN))
    await copyFile(join(all, `${from}.png`), join(OUT, `${name}.png`))
}

async function logIn(client, page) {
  const { url } = await client.createLoginCode({ body: {} })
  await page.goto(url)
  await page.locator('.rail').waitFor()
}
