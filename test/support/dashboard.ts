/** The dashboard in a real browser, on a real daemon, with the real CLI: what its tests begin with. */

import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { ScriptInput } from '../../src/scripted/script.js'
import type { Dictionary } from '../../web/src/i18n/dictionary.js'
import { en } from '../../web/src/i18n/en.js'
import { openBrowser } from './browser.js'
import { type DaemonProcess, makePlace, startDaemonProcess } from './daemon-process.js'

const dashboardScript = (cwd: string): ScriptInput => ({
  rules: [
    { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
    {
      // An agent that resumes a turn does what it was about to do.
      when: { user: '/write|Continue from where you left off/' },
      reply: [
        { thinking: 'A file, then.' },
        { text: 'I will **write** it.' },
        { tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' }, chunk: 400 },
      ],
    },
    {
      when: { user: 'ask' },
      reply: [
        {
          tool: 'AskUserQuestion',
          input: {
            questions: [
              {
                question: 'Which one?',
                header: 'One',
                multiSelect: false,
                options: [
                  { label: 'Left', description: 'this way' },
                  { label: 'Right', description: 'that way' },
                ],
              },
              {
                question: 'What else?',
                header: 'Else',
                multiSelect: true,
                options: [
                  { label: 'Salt', description: 'white' },
                  { label: 'Pepper', description: 'black' },
                ],
              },
            ],
          },
          chunk: 900,
        },
      ],
    },
    { when: { user: 'run' }, reply: [{ tool: 'Bash', input: { command: 'mkdir made' }, chunk: 400 }] },
    { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(3_000), delayMs: 10 }] },
    { reply: [{ text: 'You said: {{user}}' }] },
  ],
})

interface SetupOptions {
  context?: BrowserContextOptions
  script?: (cwd: string) => ScriptInput
}

export async function openDashboard({ context, script = dashboardScript }: SetupOptions = {}) {
  const at = await makePlace(script)
  const daemon = await startDaemonProcess(at)
  const browser = await openBrowser()
  const viewport = { width: 1200, height: 800 }
  const newPage = async (more: BrowserContextOptions = {}) =>
    browser.newPage({ viewport, ...context, ...more })
  const page = await newPage()
  return { at, daemon, browser, newPage, page, logIn: () => logIn(page, daemon) }
}

export async function logIn(page: Page, daemon: DaemonProcess, path = '/new'): Promise<void> {
  const { url } = await daemon.client.createLoginCode({ body: {} })
  await page.goto(url)
  await page.locator('.rail').waitFor()
  if (path !== '/') await page.goto(new URL(path, daemon.url).href)
}

/** Starts a session from the page, as a user does. In English, unless other words are given. */
export async function begin(
  page: Page,
  cwd: string,
  prompt: string,
  words: Pick<Dictionary, 'new.folder' | 'new.prompt' | 'new.start'> = en,
): Promise<void> {
  await page.getByLabel(words['new.folder'], { exact: true }).fill(cwd)
  await page.getByLabel(words['new.prompt'], { exact: true }).fill(prompt)
  await page.getByRole('button', { name: words['new.start'], exact: true }).click()
}
