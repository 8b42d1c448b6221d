/**
 * Takes the pictures of the dashboard for the documents: on a daemon of its own, with the real CLI on a script.
 * `node scripts/screenshots.mjs all`, or names of views, takes more of them; SCREENSHOTS says where to.
 */

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { createClient } from '../dist/client/index.js'
import { FILES, PROMPTS, pictureScript } from './screenshots-scene.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUT = process.env.SCREENSHOTS ?? join(ROOT, 'docs', 'images')
const only = process.argv.slice(2)

const folder = join(tmpdir(), 'signalbox-pictures')
const workspace = join(folder, 'garden')
await rm(folder, { recursive: true, force: true })
for (const [name, text] of Object.entries(FILES)) {
  await mkdir(join(workspace, name, '..'), { recursive: true })
  await writeFile(join(workspace, name), text)
}
const script = join(folder, 'script.json')
await writeFile(script, JSON.stringify(pictureScript(workspace)))
const home = join(folder, 'home')
const daemon = spawn(
  process.execPath,
  [join(ROOT, 'dist/cli/main.js'), 'start', '--json', '--port', '0', '--scripted', script, '--home', home],
  {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, SIGNALBOX_WARM: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
)
try {
  const line = await new Promise((resolve) => createInterface({ input: daemon.stdout }).once('line', resolve))
  const { url } = JSON.parse(line)
  const token = (await readFile(join(home, 'token'), 'utf8')).trim()
  const client = createClient({ url, token })
  const ids = await playScene(client)
  await takePictures(client, ids)
} finally {
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  await ended
  await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
}

/** Starts the sessions and answers what must be answered for each to be where its picture wants it. */
async function playScene(client) {
  const ids = {}
  for (const [name, { prompt, title, mode, plan, allow = [] }] of Object.entries(PROMPTS)) {
    const { session } = await client.createSession({
      body: { cwd: workspace, prompt, ...(title && { title }), ...(mode && { permissionMode: mode }) },
    })
    ids[name] = session.id
    for (const tool of allow) await answerNext(client, session.id, tool)
    if (plan) await writePlan(client, session.id, plan)
  }
  await until(async () => {
    const { sessions } = await client.listSessions({ query: {} })
    const waiting = sessions.filter(({ state }) => state === 'permission' || state === 'question')
    return waiting.length >= Object.values(PROMPTS).filter(({ waits }) => waits).length
  })
  await client.stopSession({ params: { id: ids.done }, body: { reason: 'finished' } })
  return ids
}

/** The CLI names the file that a plan belongs in; what the agent writes is sent there. */
async function writePlan(client, sessionId, content) {
  await until(async () => {
    const { requests } = await client.listRequests({ query: { state: 'pending', sessionId } })
    const request = requests.find(({ toolName }) => toolName === 'Write')
    if (!request) return false
    const projects = join(home, 'claude', 'projects')
    const names = (await readdir(projects, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
    const texts = await Promise.all(names.map((name) => readFile(join(projects, name), 'utf8')))
    const path = /create your plan at (\S+\.md)/.exec(texts.join('\n'))?.[1]
    const updatedInput = { file_path: path, content }
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow', updatedInput } })
    return true
  })
}

async function answerNext(client, sessionId, tool) {
  await until(async () => {
    const { requests } = await client.listRequests({ query: { state: 'pending', sessionId } })
    const request = requests.find(({ toolName }) => toolName === tool)
    if (!request) return false
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow' } })
    return true
  })
}

async function until(isReached) {
  for (let tries = 0; tries < 300; tries += 1) {
    if (await isReached()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error('The scene did not come together.')
}

async function takePictures(client, ids) {
  await mkdir(OUT, { recursive: true })
  const executablePath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path))
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  })
  const session = `/sessions/${ids.checkout}`
  const view = (name, path, look = {}) => ({ name, path, dark: false, phone: false, language: 'en', ...look })
  const views = [
    view('dashboard', session),
    view('dashboard-dark', session, { dark: true }),
    view('inbox', '/inbox'),
    view('inbox-ko', '/inbox', { language: 'ko', dark: true }),
    view('timeline', `${session}/timeline`),
    view('agents', `/sessions/${ids.research}/agents`, { dark: true }),
    view('policy', '/policy'),
    view('phone-sessions', '/', { phone: true }),
    view('phone-session', session, { phone: true, dark: true }),
    view('phone-inbox', '/inbox', { phone: true, language: 'ko' }),
  ]
  // To look at, too many to keep.
  if (only.length > 0)
    views.push(
      view('dashboard-ja', session, { language: 'ja' }),
      view('inbox-dark', '/inbox', { dark: true }),
      view('new', '/new'),
      view('new-dark', '/new', { dark: true }),
      view('search', '/search?q=checkout'),
      view('search-phone', '/search?q=checkout', { phone: true }),
      view('usage', '/usage'),
      view('usage-phone', '/usage', { phone: true, dark: true }),
      view('terminals', '/terminals'),
      view('settings', '/settings'),
      view('settings-phone', '/settings', { phone: true }),
      view('policy-phone', '/policy', { phone: true }),
      view('timeline-phone', `${session}/timeline`, { phone: true }),
      view('new-phone', '/new', { phone: true }),
    )
  try {
    for (const { name, path, dark, phone, language } of views) {
      if (only.length > 0 && !only.includes(name) && !only.includes('all')) continue
      const context = await browser.newContext({
        viewport: phone ? { width: 390, height: 780 } : { width: 1280, height: 800 },
        deviceScaleFactor: phone ? 1.5 : 1.25,
        colorScheme: dark ? 'dark' : 'light',
        hasTouch: phone,
        locale: language,
      })
      const page = await context.newPage()
      const { url } = await client.createLoginCode({ body: {} })
      await page.goto(url)
      await page.locator('.rail').waitFor()
      await page.goto(new URL(path, url).href)
      await page.locator('.lost').waitFor({ state: 'detached' })
      await page.waitForTimeout(1_500)
      await page.screenshot({ path: join(OUT, `${name}.png`) })
      await context.close()
    }
  } finally {
    await browser.close()
  }
}
