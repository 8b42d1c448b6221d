/** The dashboard in a real browser, on a real daemon, with the real CLI. */

import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { expectOrderly, makePlace, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'

const place = () =>
  makePlace((cwd) => ({
    rules: [
      {
        when: { user: 'write' },
        reply: [
          { thinking: 'A file, then.' },
          { text: 'I will write it.' },
          { tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' } },
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
              ],
            },
          },
        ],
      },
      { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(3_000), delayMs: 10 }] },
      { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
      { reply: [{ text: 'You said: {{user}}' }] },
    ],
  }))

async function setup(viewport = { width: 1200, height: 800 }) {
  const at = await place()
  const daemon = await startDaemonProcess(at)
  const browser = await openBrowser()
  const page = await browser.newPage({ viewport })
  const logIn = async () => {
    const { url } = await daemon.client.createLoginCode({ body: {} })
    await page.goto(url)
    await page.getByRole('heading', { name: 'Start a session' }).waitFor()
  }
  const begin = async (prompt: string) => {
    await page.getByLabel('Folder').fill(at.cwd)
    await page.getByLabel('Prompt').fill(prompt)
    await page.getByRole('button', { name: 'Start', exact: true }).click()
  }
  return { at, daemon, browser, page, logIn, begin }
}

describe.skipIf(chromiumPath === null)('the dashboard', () => {
  test('from the one-time link to a finished session: start, stream, allow, follow up', async () => {
    const { at, daemon, page, logIn, begin } = await setup()
    await logIn()
    expect(page.url()).not.toContain('code')
    await begin('write a file')

    const card = page.getByRole('article', { name: /^Write: / })
    await card.getByText('No rule allows Write.').waitFor()
    expect(await page.title()).toBe('(1) Signalbox')
    await card.getByRole('button', { name: 'Allow', exact: true }).click()

    await page.getByText('Result: File created').waitFor()
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
    await expect.poll(() => page.title()).toBe('Signalbox')
    await page.getByLabel('Message').fill('and now?')
    await page.keyboard.press('Enter')
    await page.getByText('You said: and now?').waitFor()
    await expectOrderly(daemon.client)
    await daemon.stop()
  })

  test('a page that is reloaded in the middle shows what waits, and what was said before', async () => {
    const { at, daemon, page, logIn, begin } = await setup()
    await logIn()
    await begin('write a file')
    await page.getByRole('article', { name: /^Write: / }).waitFor()

    await page.reload()
    const card = page.getByRole('article', { name: /^Write: / })
    await card.getByLabel('Why not (the agent is told)').fill('not this one')
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.waitFor({ state: 'detached' })

    await page
      .getByRole('navigation')
      .getByRole('button', { name: /write a file/ })
      .click()
    await page.getByText('Result: not this one').waitFor()
    await page.getByText('I will write it.').waitFor()
    await expect(access(join(at.cwd, 'a.txt'))).rejects.toThrow()
    await daemon.stop()
  })

  test('what one page answers, the other sees at once', async () => {
    const { daemon, browser, page, logIn, begin } = await setup()
    await logIn()
    const other = await browser.newPage()
    await other.goto((await daemon.client.createLoginCode({ body: {} })).url)
    await begin('ask me')
    const question = other.getByRole('group', { name: 'Which one?' })
    await question.getByLabel('Right').check()
    await page.getByRole('group', { name: 'Which one?' }).waitFor()

    await other.getByRole('button', { name: 'Answer' }).click()

    await page.getByText('"Which one?"="Right"').waitFor()
    await page.getByRole('group', { name: 'Which one?' }).waitFor({ state: 'detached' })
    await daemon.stop()
  })

  test('text is shown while it is written, can be interrupted, and a late page joins in the middle', async () => {
    const { daemon, browser, page, logIn, begin } = await setup()
    await logIn()
    await begin('talk')
    await page.getByText('word word word').waitFor()

    const late = await browser.newPage()
    await late.goto((await daemon.client.createLoginCode({ body: {} })).url)
    await late.getByRole('navigation').getByRole('button', { name: /talk/ }).click()
    await late.getByText('word word word').waitFor()
    await page.getByRole('button', { name: 'Interrupt' }).click()

    for (const shown of [page, late]) await shown.getByText('Interrupted.').waitFor()
    const [written, seen] = await Promise.all([page, late].map((shown) => shown.locator('.text').innerText()))
    expect(seen).toBe(written)
    await daemon.stop()
  })

  test('when the daemon is restarted the page says so, comes back by itself and shows the truth', async () => {
    const { at, daemon, page, logIn, begin } = await setup()
    await logIn()
    await begin('write a file')
    await page.getByRole('article', { name: /^Write: / }).waitFor()
    const { port } = new URL(daemon.url)
    await daemon.kill()
    await page.getByRole('status').getByText('reconnecting').waitFor()

    const next = await startDaemonProcess(at, port)

    await page.getByRole('status').getByText('live').waitFor()
    await page.getByText(/Signalbox was stopped in the middle of this turn/).waitFor()
    await page.getByRole('article', { name: /^Write: / }).waitFor({ state: 'detached' })
    const { sessions } = await next.client.listSessions({ query: {} })
    await page.getByLabel('Message').fill('go on')
    await page.keyboard.press('Enter')
    await page.getByText('You said: go on').waitFor()
    await sessionWhen(next.client, sessions[0]?.id ?? '', ({ state }) => state === 'idle')
    await expectOrderly(next.client)
    await next.stop()
  })

  test('on a phone nothing sticks out, and everything can be reached', async () => {
    const { daemon, page, logIn, begin } = await setup({ width: 390, height: 800 })
    await logIn()
    await begin('write a file')
    await page.getByRole('article', { name: /^Write: / }).waitFor()

    const overflow = () => page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    expect(await overflow()).toBe(0)
    await page.getByRole('button', { name: 'Back to all sessions' }).click()
    await page
      .getByRole('article', { name: /^Write: / })
      .getByRole('button', { name: 'Allow', exact: true })
      .click()
    await page.getByRole('article').waitFor({ state: 'detached' })
    expect(await overflow()).toBe(0)
    await page.getByRole('button', { name: /write a file/ }).click()
    await page.getByText('Result: File created').waitFor()
    await daemon.stop()
  })

  test('who has no valid code is shown how to get one', async () => {
    const { daemon, page } = await setup()
    await page.goto(`${daemon.url}/#code=wrong`)
    await page
      .getByRole('alert')
      .getByText(/wrong, used up or too old/)
      .waitFor()
    await page.getByRole('code').waitFor()
    await page.getByLabel('Code or token').fill('nonsense')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page
      .getByRole('alert')
      .getByText(/wrong, used up or too old/)
      .waitFor()

    const { code } = await daemon.client.createLoginCode({ body: {} })
    await page.getByLabel('Code or token').fill(code)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Start a session' }).waitFor()
    await daemon.stop()
  })
})
