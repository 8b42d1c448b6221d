/** Tasks of users on the page besides talking to an agent: rules, tokens, forks, pictures, forms, other languages. */

import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { createClient } from '../../src/client/client.js'
import { chromiumPath } from '../support/browser.js'
import { allEvents, pendingRequest, sessionWhen } from '../support/daemon-process.js'
import { begin, logIn, openDashboard } from '../support/dashboard.js'
import { textsOf } from '../support/texts.js'
import { share } from '../support/when-done.js'

const MCP_SERVER = fileURLToPath(new URL('../support/mcp-server.mjs', import.meta.url))
const WRITE = /^Write: /
/** One red point. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

/** A visible page shows no notifications; in a headless browser every page is visible. */
const WATCH_NOTIFICATIONS = `
  globalThis.told = []
  const Real = Notification
  globalThis.Notification = class extends Real {
    constructor(title, options) {
      super(title, options)
      told.push(title + ': ' + options.body)
    }
  }
  Object.defineProperty(document, 'hidden', { get: () => true })
`

describe.skipIf(chromiumPath === null)('on the page', () => {
  const shared = share(() =>
    openDashboard({
      script: (cwd) => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: 'Result: {{toolResult}}' }] },
          {
            when: { user: 'write' },
            reply: [
              { text: 'I will **write** it.' },
              { tool: 'Write', input: { file_path: join(cwd, 'a.txt'), content: 'written' }, chunk: 400 },
            ],
          },
          {
            when: { user: '/make (\\w+)/' },
            reply: [{ tool: 'Bash', input: { command: 'mkdir {{match.1}}' }, chunk: 400 }],
          },
          { when: { user: 'register' }, reply: [{ tool: 'mcp__kit__register', input: {} }] },
          { when: { user: 'visit' }, reply: [{ tool: 'mcp__kit__visit', input: {} }] },
          { when: { user: 'talk' }, reply: [{ text: 'word '.repeat(3_000), delayMs: 10 }] },
          { reply: [{ text: 'You said: {{user}}' }] },
        ],
      }),
    }),
  )

  async function open(path = '/new', context: Parameters<ReturnType<typeof shared>['newPage']>[0] = {}) {
    const { newPage, daemon, at } = shared()
    const page = await newPage(context)
    await logIn(page, daemon, path)
    const goTo = (where: string) => page.goto(new URL(where, daemon.url).href)
    return { page, client: daemon.client, daemon, cwd: at.cwd, goTo }
  }

  async function createSession(prompt: string, options = {}): Promise<string> {
    const { daemon, at } = shared()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt, ...options } })
    return session.id
  }

  const isDone = (turns: number) => (session: { state: string; turns: number }) =>
    session.state === 'idle' && session.turns >= turns

  const lastOf = (page: Page) => page.locator('main .content.text').last()

  async function elicit(tool: 'register' | 'visit'): Promise<string> {
    const { client } = shared().daemon
    const options = { mcpServers: { kit: { command: process.execPath, args: [MCP_SERVER] } } }
    const { session } = await client.createSession({ body: { cwd: shared().at.cwd, options } })
    const { id } = session
    await expect
      .poll(async () => JSON.stringify(await client.inspectSession({ params: { id, what: 'mcp' } })), {
        timeout: 20_000,
      })
      .toContain('"connected"')
    await client.sendMessage({ params: { id }, body: { text: tool } })
    const call = await pendingRequest(client, id)
    await client.answerRequest({ params: { id: call.id }, body: { decision: 'allow' } })
    await sessionWhen(client, id, ({ pendingRequests: [first] }) => first?.startsWith('que_') === true)
    return id
  }

  test('the form of an MCP server is filled in, and says what does not fit before it is sent', async () => {
    const id = await elicit('register')
    const { page, client } = await open(`/sessions/${id}`)
    const card = page.getByRole('article', { name: 'Who are you?' })
    await card.getByText('Request from kit').waitFor()

    await card.getByLabel('Your name *').fill('K')
    await card.getByRole('button', { name: 'Answer' }).click()
    const name = card.getByLabel('Your name *')
    await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
    const problems = card.getByRole('alert')
    expect(await problems.allInnerTexts()).toEqual(['Number of characters: at least 2.', 'Required.'])
    expect(await name.getAttribute('aria-describedby')).toBe(await problems.first().getAttribute('id'))
    await card.getByLabel('Your name *').fill('Kim')
    await card.getByLabel('colour *').selectOption('blue')
    await card.getByLabel('age').fill('7')
    await card.getByLabel('news').check()
    await card.getByRole('button', { name: 'Answer' }).click()

    await card.waitFor({ state: 'detached' })
    const { lastText } = await sessionWhen(client, id, isDone(1))
    expect(lastText).toContain(
      '{"action":"accept","content":{"name":"Kim","colour":"blue","age":7,"news":true}}',
    )
    await page.close()
  })

  test('a page that an MCP server wants to be visited is a link, and can be declined', async () => {
    const id = await elicit('visit')
    const { page, client } = await open('/inbox')
    const card = page.getByRole('article', { name: 'Please log in.' })
    const link = card.getByRole('link', { name: 'https://example.com/login' })
    expect(await link.getAttribute('rel')).toContain('noopener')

    await card.getByRole('button', { name: 'Decline' }).click()

    expect((await sessionWhen(client, id, isDone(1))).lastText).toContain('visited {"action":"decline"')
    await page.close()
  })

  test('a rule is made from a request: it allows this one, and the next one is not asked', async () => {
    const { page, client, cwd, goTo } = await open()
    await begin(page, cwd, 'make lamps')
    const card = page.getByRole('article', { name: /^Bash: / })
    await card.getByRole('button', { name: 'Create rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Always allow this' })
    await dialog.getByText('Would also allow').waitFor()
    await dialog.getByLabel('Rule name').fill('lamps may be made')
    await dialog.getByRole('button', { name: 'Save rule and allow' }).click()
    await expect
      .poll(() =>
        stat(join(cwd, 'lamps')).then(
          (found) => found.isDirectory(),
          () => false,
        ),
      )
      .toBe(true)

    const again = await createSession('make lamps')
    const { pendingRequests } = await sessionWhen(client, again, isDone(1))
    expect(pendingRequests).toEqual([])
    expect((await allEvents(client, again)).map(({ type }) => type)).not.toContain('permission.requested')
    await goTo('/policy')
    await page.getByRole('region', { name: 'Rules', exact: true }).getByText('lamps may be made').waitFor()
    await client.setPolicy({ body: { rules: [] } })
    await page.close()
  })

  test('a policy is tried on what has happened, shows what it would have changed, and is kept', async () => {
    const id = await createSession('make signs')
    const { page, client, cwd } = await open('/policy')
    const request = await pendingRequest(client, id)
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow' } })
    await sessionWhen(client, id, isDone(1))
    const editor = page.getByRole('region', { name: 'Rules', exact: true })
    const save = editor.getByRole('button', { name: 'Save' })
    await editor.getByRole('button', { name: 'As JSON' }).click()

    const text = editor.getByLabel('Policy')
    await text.fill('{ "rules": [')
    expect(await save.isDisabled()).toBe(true)
    await editor.getByRole('button', { name: 'Test on the last 7 days' }).click()
    await editor.getByRole('alert').getByText('not valid JSON').waitFor()
    const rule = {
      name: 'no signs',
      verdict: 'deny',
      reason: 'Enough of them.',
      when: { commands: ['mkdir signs'] },
    }
    await text.fill(JSON.stringify({ rules: [rule] }))
    await editor.getByRole('button', { name: 'Test on the last 7 days' }).click()
    const changed = editor.getByRole('row', { name: /mkdir signs/ })
    await changed.getByText('deny').waitFor()
    await save.click()

    await editor.getByRole('button', { name: 'Form' }).click()
    await editor.getByText('no signs').waitFor()
    const { verdict } = await client.evaluatePolicy({
      body: { tool: 'Bash', input: { command: 'mkdir signs' }, cwd },
    })
    expect(verdict).toMatchObject({ verdict: 'deny', reason: 'Enough of them.' })
    await client.setPolicy({ body: { rules: [] } })
    await page.close()
  })

  test('what was decided is in the audit, and tools tell what they take and who has them', async () => {
    const id = await createSession('write it')
    const { page, client } = await open('/inbox')
    await page
      .getByRole('article', { name: WRITE })
      .getByRole('button', { name: 'Allow', exact: true })
      .click()
    await sessionWhen(client, id, isDone(1))

    await page.getByRole('link', { name: 'Policy' }).click()
    await page.getByRole('link', { name: 'Audit' }).click()
    const entry = page.getByRole('row', { name: /Request Write: a\.txt/ }).first()
    await entry.getByText('allowed').waitFor()
    await entry.getByText('admin').waitFor()
    await entry.getByText('dashboard').waitFor()
    await page.getByRole('link', { name: 'Tools' }).click()
    const tool = page.getByRole('article', { name: 'datetime' })
    await tool.getByText('mcp__signalbox__datetime').waitFor()
    await tool.getByText('Input', { exact: true }).click()
    await tool.getByText('"timezone"').waitFor()
    await tool.getByRole('link', { name: 'write it' }).first().waitFor()
    await page.close()
  })

  test('a token is made with a role, works until it is taken back, and its secret is shown once', async () => {
    const { page, daemon, goTo } = await open('/settings')
    const panel = page.getByRole('region', { name: 'Tokens and logins' })
    await panel.getByLabel('Name').fill('a pipeline')
    await panel.getByLabel('Role').selectOption('viewer')
    await panel.getByRole('button', { name: 'Create token' }).click()
    const secret = await panel.getByRole('status').locator('code').innerText()
    const pipeline = createClient({ url: daemon.url, token: secret })
    expect((await pipeline.about()).about.you).toEqual({ name: 'a pipeline', role: 'viewer' })

    await goTo('/settings')
    await panel.getByRole('button', { name: 'Revoke a pipeline' }).click()
    await panel.getByText('a pipeline').waitFor({ state: 'detached' })

    expect(await page.getByText(secret).count()).toBe(0)
    await expect(pipeline.about()).rejects.toMatchObject({ code: 'credential_invalid' })
    await page.close()
  })

  test('from a message one goes another way, and puts files back to before it', async () => {
    const { page, client, cwd } = await open()
    await writeFile(join(cwd, 'a.txt'), 'before')
    await begin(page, cwd, 'hello there')
    await lastOf(page).getByText('You said: hello there').waitFor()
    await page.getByLabel('Message', { exact: true }).fill('write it now')
    await page.keyboard.press('Enter')
    await page
      .getByRole('article', { name: WRITE })
      .getByRole('button', { name: 'Allow', exact: true })
      .click()
    await lastOf(page).getByText('Result: ').waitFor()
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('written')
    const original = page.url()

    const message = page.locator('.entry.of-message', { hasText: 'write it now' })
    await message.hover()
    await message.getByRole('button', { name: 'Restore files to before this message' }).click()
    const dialog = page.getByRole('dialog', { name: 'Restore files' })
    await dialog.getByRole('button', { name: 'Preview changes' }).click()
    await dialog.getByText('a.txt').waitFor()
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('written')
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
    await expect.poll(() => readFile(join(cwd, 'a.txt'), 'utf8')).toBe('before')
    await page.getByText('1 file restored').waitFor()

    await message.hover()
    await message.getByRole('button', { name: 'Fork from here' }).click()
    await expect.poll(() => page.url()).not.toBe(original)
    const copy = page.url().split('/').at(-1) ?? ''
    await page.getByLabel('Message', { exact: true }).fill('another way')
    await page.keyboard.press('Enter')
    await lastOf(page).getByText('You said: another way').waitFor()
    const { session } = await client.getSession({ params: { id: copy } })
    expect(session.conversation.kind).toBe('forked')
    await page.close()
  })

  test('a picture goes along with a message and is shown in it', async () => {
    const { page, client, cwd } = await open()
    await page
      .getByLabel('Attach files')
      .setInputFiles({ name: 'first.png', mimeType: 'image/png', buffer: PICTURE })
    await begin(page, cwd, 'look at this')
    await lastOf(page).getByText('You said: look at this').waitFor()
    await page
      .getByLabel('Attach files')
      .setInputFiles({ name: 'red.png', mimeType: 'image/png', buffer: PICTURE })
    await page.getByLabel('Message', { exact: true }).fill('and at this')
    await page.keyboard.press('Enter')
    await lastOf(page).getByText('You said: and at this').waitFor()

    const shown = page.locator('.entry.of-message img')
    await expect.poll(() => shown.count()).toBe(2)
    const widths =
      "[...document.querySelectorAll('.entry.of-message img')].map((image) => image.naturalWidth)"
    await expect.poll(() => page.evaluate(widths)).toEqual([1, 1])
    const id = page.url().split('/').at(-1) ?? ''
    const queued = (await allEvents(client, id)).flatMap((event) =>
      event.type === 'message.queued' ? [event.data] : [],
    )
    expect(queued.map(({ content }) => content?.map(({ type }) => type))).toEqual([
      ['image', 'text'],
      ['image', 'text'],
    ])
    await page.close()
  })

  test('who looks elsewhere is told by the browser that something waits, if that is allowed', async () => {
    const { page, goTo } = await open('/', { permissions: ['notifications'] })
    await page.addInitScript(WATCH_NOTIFICATIONS)
    await goTo('/settings')
    // The page checks the box only after the browser has granted the permission, which is too late for check().
    await page.getByLabel('Browser notifications').click()
    await expect.poll(() => page.getByLabel('Browser notifications').isChecked()).toBe(true)
    await page.getByLabel('Sound').check()
    const told = () => page.evaluate('globalThis.told') as Promise<string[]>
    expect(await told()).toEqual([])

    const id = await createSession('make noise')
    await pendingRequest(shared().daemon.client, id)

    await expect.poll(told).toEqual(['Permission needed: Bash: mkdir noise'])
    await page.getByLabel('Browser notifications').uncheck()
    const silent = await createSession('make silence')
    await pendingRequest(shared().daemon.client, silent)
    await page
      .getByText('2 requests waiting for you')
      .or(page.locator('.count', { hasText: '2' }))
      .first()
      .waitFor()
    expect(await told()).toHaveLength(1)
    for (const one of [id, silent])
      await shared().daemon.client.stopSession({ params: { id: one }, body: {} })
    await page.close()
  })

  test('the timeline goes closer and sideways, by keys, by wheel and by hand', async () => {
    const id = await createSession('write it')
    const { page, client } = await open(`/sessions/${id}/timeline`)
    const request = await pendingRequest(client, id)
    await client.answerRequest({ params: { id: request.id }, body: { decision: 'allow' } })
    await sessionWhen(client, id, isDone(1))
    const bar = page.locator('.bar-row .bar').first()
    await bar.waitFor()
    const width = async () => (await bar.boundingBox())?.width ?? 0
    const ticks = () =>
      page
        .locator('.tick')
        .evaluateAll((all) =>
          JSON.stringify(all.map((tick) => [tick.textContent, tick.getBoundingClientRect().x])),
        )
    const whole = await width()
    expect(await page.getByRole('button', { name: 'Earlier' }).isDisabled()).toBe(true)

    await page.getByRole('button', { name: /^Write a\.txt/ }).focus()
    await page.keyboard.press('+')
    await expect.poll(width).toBeGreaterThan(whole * 1.3)
    // Where the call lies decides to which side there is more; it may move out of sight.
    const isAtStart = await page.getByRole('button', { name: 'Earlier' }).isDisabled()
    const closer = await ticks()
    await page.keyboard.press(isAtStart ? 'ArrowRight' : 'ArrowLeft')
    await expect.poll(ticks).not.toBe(closer)
    await page.keyboard.press('0')
    await expect.poll(width).toBe(whole)

    const track = await page.locator('.bar-track').first().boundingBox()
    if (!track) throw new Error('no track')
    await page.mouse.move(track.x + track.width / 2, track.y + 5)
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -400)
    await page.keyboard.up('Control')
    await expect.poll(() => page.getByRole('button', { name: 'Earlier' }).isDisabled()).toBe(false)
    const tickAt = async () => (await page.locator('.tick').last().boundingBox())?.x ?? 0
    const before = await tickAt()
    await page.mouse.down()
    await page.mouse.move(track.x + track.width / 2 + 150, track.y + 5, { steps: 5 })
    await page.mouse.up()
    await expect.poll(tickAt).not.toBe(before)
    await page.getByRole('region', { name: 'Timeline' }).getByRole('button', { name: 'All' }).click()
    await expect.poll(width).toBe(whole)
    await page.close()
  })

  test.each(['ko', 'ja'] as const)('a whole session in %s: start, allow, read, follow up', async (locale) => {
    const words = await textsOf(locale)
    const { page, cwd } = await open('/new', { locale })
    await expect.poll(() => page.evaluate('document.documentElement.lang')).toBe(locale)
    await begin(page, cwd, 'write it', words)
    const card = page.getByRole('article', { name: WRITE })
    await card.getByText(words['permission.write']).waitFor()
    await card.getByRole('button', { name: words.allow, exact: true }).click()
    await page.locator('main').getByText('Result: ').waitFor()
    await page.getByText(words['turn.completed'], { exact: false }).first().waitFor()
    await page.getByLabel(words['composer.message'], { exact: true }).fill('and now?')
    await page.keyboard.press('Enter')
    await lastOf(page).getByText('You said: and now?').waitFor()

    await page.getByRole('link', { name: words['nav.inbox'] }).click()
    await page.getByText(words['inbox.empty']).waitFor()
    // English words would mean that some were left out.
    expect(await page.locator('.rail').innerText()).not.toMatch(/[A-Z][a-z]{3,}/)
    await page.close()
  })

  test('a prompt may have several lines, and starts with Control and Enter', async () => {
    const { page } = await open('/new')
    await page.getByLabel('Prompt', { exact: true }).fill('say')
    await page.keyboard.press('Enter')
    await page.keyboard.type('hello')
    await page.keyboard.press('Control+Enter')
    await expect.poll(() => page.url()).toContain('/sessions/')
    await page.close()
  })

  test('a whole session with the keyboard alone: start, allow, follow up, interrupt', async () => {
    const { page, client, cwd } = await open('/')
    const focused = () =>
      page.evaluate(
        '((element) => element.ariaLabel ?? element.labels?.[0]?.textContent ?? element.textContent)(document.activeElement)',
      )
    const tabTo = async (name: string) => {
      for (let step = 0; step < 60; step += 1) {
        if (
          String(await focused())
            .trim()
            .startsWith(name)
        )
          return
        await page.keyboard.press('Tab')
      }
      throw new Error(`${name} cannot be reached.`)
    }
    await page.locator('.session-row').first().waitFor()
    await page.keyboard.press('n')
    await page.getByRole('heading', { name: 'Start a session' }).waitFor()
    await tabTo('Prompt')
    await page.keyboard.type('write it')
    await tabTo('Folder')
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.type(cwd)
    await tabTo('Start')
    await page.keyboard.press('Enter')
    await page.getByRole('article', { name: WRITE }).waitFor()

    await page.keyboard.press('g')
    await page.keyboard.press('i')
    await page
      .locator('.request.current')
      .getByRole('button', { name: 'Allow', exact: true, disabled: false })
      .waitFor()
    await page.keyboard.press('a')
    await page.locator('.request.resolved').waitFor()
    await page.keyboard.press('Enter')
    await page.locator('main').getByText('Result: ').waitFor()
    for (let step = 0; step < 80; step += 1) {
      if ((await page.evaluate('document.activeElement.getAttribute("aria-label")')) === 'Message') break
      await page.keyboard.press('Tab')
    }
    await page.keyboard.type('talk')
    await page.keyboard.press('Enter')
    await page.getByText('word word word').first().waitFor()
    for (let press = 0; press < 3; press += 1) await page.keyboard.press('Escape')
    await page.getByText('Interrupted', { exact: true }).waitFor()
    const id = page.url().split('/').at(-1) ?? ''
    expect((await client.getSession({ params: { id } })).session.turns).toBe(2)
    await page.close()
  })
})
