/** Takes the pictures of the dashboard for the documents: on a daemon of its own, with the demo script. */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createClient } from '../dist/client/index.js'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = join(ROOT, 'docs', 'images')

const folder = join(tmpdir(), 'signalbox-pictures')
const workspace = join(folder, 'garden')
await rm(folder, { recursive: true, force: true })
await mkdir(workspace, { recursive: true })
const home = join(folder, 'home')
const daemon = spawn(
  process.execPath,
  [join(ROOT, 'dist/cli/main.js'), 'start', '--json', '--port', '0', '--scripted', '--home', home],
  {
    env: { PATH: process.env.PATH, HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
try {
  const line = await new Promise((resolve) => createInterface({ input: daemon.stdout }).once('line', resolve))
  const { url } = JSON.parse(line)
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  await takePictures(createClient({ url, token }))
} finally {
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function takePictures(client) {
  await mkdir(OUT, { recursive: true })
  for (const prompt of ['Say hello', 'Ask me a question', 'Write a haiku into a file']) {
    await client.createSession({ body: { cwd: workspace, prompt } })
  }
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  try {
    const page = await (
      await browser.newContext({ viewport: { width: 1200, height: 760 }, deviceScaleFactor: 2 })
    ).newPage()
    await page.goto((await client.createLoginCode({ body: {} })).url)
    await page.getByRole('navigation').getByRole('button', { name: /haiku/ }).click()
    await page.getByRole('article', { name: /^Write/ }).waitFor()
    await page.getByRole('navigation').getByText('asks a question').waitFor()
    await page.screenshot({ path: join(OUT, 'dashboard.png') })
  } finally {
    await browser.close()
  }
}
