/** The dashboard in a real browser, on a real daemon, with the real CLI. */

import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { allEvents, expectOrderly, sessionWhen, startDaemonProcess } from '../support/daemon-process.js'
import { begin, logIn, openDashboard } from '../support/dashboard.js'

const WRITE = /^Write: /

describe.skipIf(chromiumPath === null)('the dashboard', () => {
  test('from the one-time link to a finished session: start, stream, allow, follow up', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    expect(page.url()).not.toContain('code')
    await begin(page, at.cwd, 'write a file')

    const card = page.getByRole('article', { name: WRITE })
    expect(await card.locator('.why, .findings').first().innerText()).not.toBe('')
    await card.getByRole('group', { name: 'Changes' }).getByText('written').waitFor()
    await expect.poll(() => page.title()).toBe('(1) Signalbox')
    expect(await page.locator('link[rel=icon]').getAttribute('href')).toMatch(/^data:image\/svg/)
    await card.getByRole('button', { name: 'Allow', exact: true }).click()

    await page.locator('main').getByText('Result: File created').waitFor()
    await page.locator('.markdown strong', { hasText: 'write' }).waitFor()
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
    await expect.poll(() => page.title()).toBe('Signalbox')
    await page.getByLabel('Message', { exact: true }).fill('and now?')
    await page.keyboard.press('Enter')
    await page.locator('main').getByText('You said: and now?').waitFor()
    await expectOrderly(daemon.client)
    await daemon.stop()
  })

  test('a page that is reloaded in the middle shows what waits, and what was said before', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'write a file')
    await page.getByRole('article', { name: WRITE }).waitFor()

    await page.reload()
    const card = page.getByRole('article', { name: WRITE })
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.getByLabel('Reason (sent to the agent)').fill('not this one')
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.waitFor({ state: 'detached' })

    await page.locator('main').getByText('Result: not this one').waitFor()
    await page.getByText('I will write it.').waitFor()
    await expect(access(join(at.cwd, 'a.txt'))).rejects.toThrow()
    await daemon.stop()
  })

  test('what is edited before it is allowed runs as it was edited', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'write a file')
    await page.getByRole('link', { name: /Inbox/ }).click()
    const card = page.getByRole('article', { name: WRITE })

    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByLabel('content').fill('better')
    await card.getByRole('button', { name: 'Allow edited call' }).click()

    await page.locator('.request.resolved').getByText('Allowed · admin (dashboard)').waitFor()
    await expect.poll(() => readFile(join(at.cwd, 'a.txt'), 'utf8').catch(() => '')).toBe('better')
    await daemon.stop()
  })

  test('what one page answers, the other sees at once: who, and from where', async () => {
    const { at, daemon, newPage, page, logIn: enter } = await openDashboard()
    await enter()
    const other = await newPage()
    await logIn(other, daemon, '/inbox')
    await begin(page, at.cwd, 'ask me')
    await other.getByRole('group', { name: 'Which one?' }).getByLabel('Right').check()
    const more = other.getByRole('group', { name: 'What else?' })
    await more.getByLabel('Salt').check()
    await more.getByLabel('Or type your own answer').fill('sugar')
    await page.getByRole('group', { name: 'Which one?' }).waitFor()

    await other.getByRole('button', { name: 'Answer', exact: true }).click()

    await page.locator('main').getByText('"Which one?"="Right"').waitFor()
    await page.getByText('sugar').first().waitFor()
    await page.getByRole('group', { name: 'Which one?' }).waitFor({ state: 'detached' })
    await other.getByText('Answered · admin (dashboard)').waitFor()
    await daemon.stop()
  })

  test('text is shown while it is written, can be interrupted with the keyboard, and a late page joins in the middle', async () => {
    const { at, daemon, newPage, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'talk')
    await page.getByText('word word word').first().waitFor()

    const late = await newPage()
    await logIn(late, daemon, '/')
    await late.getByRole('link', { name: /talk/ }).click()
    await late.getByText('word word word').first().waitFor()
    await page.getByLabel('Message', { exact: true }).focus()
    // The first leaves the field, the second asks for a third.
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')

    for (const shown of [page, late]) await shown.getByText('Interrupted', { exact: true }).waitFor()
    const [written, seen] = await Promise.all(
      [page, late].map((shown) => shown.locator('.content.text').innerText()),
    )
    expect(seen).toBe(written)
    await daemon.stop()
  })

  test('a message to an agent that works waits in the queue, where it can be changed and taken back', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'talk')
    await page.getByText('word word word').first().waitFor()
    await page.getByLabel('Delivery while the agent works').selectOption('queue')
    await page.getByLabel('Message', { exact: true }).fill('first')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Edit message' }).click()
    await page.getByRole('textbox', { name: 'Edit message' }).fill('changed')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('.queue').getByText('changed').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('second')
    await page.keyboard.press('Enter')
    await page
      .locator('.queue li', { hasText: 'second' })
      .getByRole('button', { name: 'Cancel message' })
      .click()
    await page.locator('.queue').getByText('second').waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Interrupt' }).click()

    await page.locator('main').getByText('You said: changed').waitFor()
    await expectOrderly(daemon.client)
    await daemon.stop()
  })

  test('when the daemon is restarted the page says so, keeps what was answered, and comes back by itself', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'write a file')
    const card = page.getByRole('article', { name: WRITE })
    await card.waitFor()
    const { port } = new URL(daemon.url)
    await daemon.kill()
    await page.locator('.banner').waitFor()
    await card.getByRole('button', { name: 'Allow', exact: true }).click()
    await card.getByText('Your answer is stored in this browser').waitFor()
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8').catch(() => null)).toBe(null)

    const next = await startDaemonProcess(at, port)

    await page.locator('.connection').getByText('Connected').waitFor()
    await card.waitFor({ state: 'detached' })
    await page.locator('main').getByText('Result: File created').waitFor()
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
    await page.getByLabel('Message', { exact: true }).fill('thanks')
    await page.keyboard.press('Enter')
    await page.locator('main').getByText('You said: thanks').waitFor()
    await expectOrderly(next.client)
    await next.stop()
  })

  test('a session that is opened while the daemon cannot be reached appears when it can', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'hello' } })
    await sessionWhen(daemon.client, session.id, ({ state, turns }) => state === 'idle' && turns > 0)
    let refused = 0
    await page.route(`**/sessions/${session.id}`, (route) =>
      refused++ < 2 && route.request().resourceType() === 'fetch'
        ? route.abort('connectionrefused')
        : route.continue(),
    )

    await page.goto(new URL(`/sessions/${session.id}`, daemon.url).href)

    await page.locator('main').getByText('You said: hello').waitFor()
    expect(refused).toBeGreaterThan(2)
    await daemon.stop()
  })

  test('what could not be sent is kept while the page is closed, and sent once by the next one', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'write a file')
    const card = page.getByRole('article', { name: WRITE })
    await card.waitFor()
    const { port } = new URL(daemon.url)
    const session = page.url()
    await daemon.kill()
    await page.locator('.banner').waitFor()
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.getByLabel('Reason (sent to the agent)').fill('not while I was away')
    await card.getByRole('button', { name: 'Deny' }).click()
    await card.getByText('even if you close the page').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('and later this')
    await page.keyboard.press('Enter')
    await page.locator('.queue').getByText('Waiting for connection').waitFor()
    const context = page.context()
    await page.close()

    const next = await startDaemonProcess(at, port)
    const again = await context.newPage()
    await again.goto(session)

    await again.locator('main').getByText('Result: not while I was away').waitFor()
    await again.locator('.entry.of-message', { hasText: 'and later this' }).waitFor()
    await expect(access(join(at.cwd, 'a.txt'))).rejects.toThrow()
    await again.reload()
    await again.locator('.entry.of-message', { hasText: 'and later this' }).waitFor()
    const { sessions } = await next.client.listSessions({ query: {} })
    const events = await allEvents(next.client, sessions[0]?.id ?? '')
    expect(events.filter(({ type }) => type === 'message.queued')).toHaveLength(2)
    expect(events.filter(({ type }) => type === 'permission.resolved')).toHaveLength(1)
    await expectOrderly(next.client)
    await next.stop()
  })

  test('a plan is read, approved, and carried out in the mode that was chosen', async () => {
    const {
      at,
      daemon,
      page,
      logIn: enter,
    } = await openDashboard({
      script: (cwd) => ({
        rules: [
          { when: { user: 'go' }, reply: [{ tool: 'EnterPlanMode', input: {} }] },
          {
            when: { toolResult: 'EnterPlanMode' },
            reply: [
              { tool: 'Write', input: { file_path: join(cwd, 'plan'), content: 'a plan' }, chunk: 400 },
            ],
          },
          { when: { toolResult: 'Write' }, reply: [{ tool: 'ExitPlanMode', input: {} }] },
          { reply: [{ text: 'As planned.' }] },
        ],
      }),
    })
    await enter()
    await begin(page, at.cwd, 'go')
    const writing = page.getByRole('article', { name: WRITE })
    await writing.getByRole('button', { name: 'Edit' }).click()
    await writing.getByLabel('file_path').fill(await planFile(at.home))
    await writing.getByLabel('content').fill('# Build it\n\n1. first\n2. *then*')
    await writing.getByRole('button', { name: 'Allow edited call' }).click()

    const plan = page.locator('.request', { hasText: 'Plan ready for review' })
    await plan.getByRole('heading', { name: 'Build it' }).waitFor()
    await plan.getByRole('listitem').getByText('first').waitFor()
    await plan.getByLabel('After approval').selectOption('acceptEdits')
    await plan.getByRole('button', { name: 'Approve plan' }).click()

    await page.locator('main').getByText('As planned.').waitFor()
    await expect.poll(() => page.getByLabel('Permission mode').innerText()).toBe('Accept edits')
    await expectOrderly(daemon.client)
    await daemon.stop()
  })

  test('on a phone nothing sticks out, and everything can be reached with a thumb', async () => {
    const {
      at,
      daemon,
      page,
      logIn: enter,
    } = await openDashboard({
      context: { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true },
    })
    await enter()
    await begin(page, at.cwd, 'write a file')
    await page.getByRole('article', { name: WRITE }).waitFor()

    const overflow = () => page.evaluate('document.documentElement.scrollWidth - window.innerWidth')
    expect(await overflow()).toBe(0)
    await page.getByRole('link', { name: 'Back to all sessions' }).tap()
    expect(await overflow()).toBe(0)
    const bar = page.getByRole('navigation', { name: 'Views' })
    const box = await bar.boundingBox()
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(800)
    await bar.getByRole('link', { name: /Inbox/ }).tap()
    expect(await overflow()).toBe(0)
    const allow = page
      .getByRole('article', { name: WRITE })
      .getByRole('button', { name: 'Allow', exact: true })
    expect((await allow.boundingBox())?.height).toBeGreaterThanOrEqual(42)
    await allow.tap()
    await page.locator('.request.resolved').waitFor()
    await page.getByRole('link', { name: 'write a file' }).tap()
    await page.locator('main').getByText('Result: File created').waitFor()
    expect(await overflow()).toBe(0)
    await daemon.stop()
  })

  test('with the keyboard alone: start, find, answer once, read', async () => {
    const { at, daemon, page, logIn: enter } = await openDashboard()
    await enter()
    await begin(page, at.cwd, 'write a file')
    await begin2(page, at.cwd, 'run a command')
    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page.locator('.request').nth(1).waitFor()
    const current = page.locator('.request.current')
    await current.getByRole('button', { name: 'Allow', exact: true, disabled: false }).waitFor()

    await page.keyboard.press('a')
    await page.locator('.request.resolved').waitFor()
    await page.keyboard.press('a')
    expect(await page.locator('.request.resolved').count()).toBe(1)

    await page.keyboard.press('j')
    await page.keyboard.press('d')
    await page.keyboard.type('no commands')
    await page.keyboard.press('Enter')
    await page.locator('.request.resolved').nth(1).waitFor()
    await page.keyboard.press('Enter')
    await page.locator('main').getByText('Result: no commands').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    // Which of the two has ended last, and is first in the list, is not known.
    const focused = () =>
      page.evaluate<string>("document.activeElement.closest('.session-row')?.textContent ?? ''")
    for (let step = 0; step < 2 && !(await focused()).includes('write a file'); step += 1) {
      const before = await focused()
      await page.keyboard.press('j')
      await expect.poll(focused).not.toBe(before)
    }
    await page.keyboard.press('Enter')
    await page.locator('main').getByText('Result: File created').waitFor()
    await expectOrderly(daemon.client)
    await daemon.stop()
  })

  test('who has no valid code is shown how to get one', async () => {
    const { daemon, page } = await openDashboard()
    await page.goto(`${daemon.url}/#code=wrong`)
    await page
      .getByRole('alert')
      .getByText(/wrong, used or expired/)
      .waitFor()
    await page.getByText('signalbox open', { exact: true }).waitFor()
    await page.getByLabel('Code or token').fill('nonsense')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page
      .getByRole('alert')
      .getByText(/wrong, used or expired/)
      .waitFor()

    const { code } = await daemon.client.createLoginCode({ body: {} })
    await page.getByLabel('Code or token').fill(code)
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('heading', { name: 'Start a session' }).waitFor()
    await daemon.stop()
  })
})

/** The CLI names the file that a plan belongs in. */
async function planFile(home: string): Promise<string> {
  const folder = join(home, 'claude', 'projects')
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.jsonl'))
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
  return /create your plan at (\S+\.md)/.exec(texts.join('\n'))?.[1] ?? ''
}

/** From inside a session to the next one, by keys. */
async function begin2(page: Parameters<typeof begin>[0], cwd: string, prompt: string): Promise<void> {
  await page.getByRole('article').waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('n')
  await page.getByLabel('Prompt', { exact: true }).focus()
  await page.keyboard.type(prompt)
  await page.getByLabel('Folder', { exact: true }).fill(cwd)
  await page.keyboard.press('Enter')
  await page.getByRole('article', { name: /^Bash: / }).waitFor()
}
