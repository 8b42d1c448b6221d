/** The composer and the form of a new session in a real browser, by keyboard, with the real CLI. */

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BrowserContextOptions, Page, Route } from 'playwright-core'
import { describe, expect, test, vi } from 'vitest'
import { complaints } from '../support/axe.js'
import { chromiumPath } from '../support/browser.js'
import { allEvents } from '../support/daemon-process.js'
import { openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

const HOSTILE = "<img src=x onerror='document.title=1'>.md"

/** Drops or pastes a file. False if the page has taken it, so that the browser does not open it. */
const GIVE = `(kind, name, text, type) => {
  const data = new DataTransfer()
  data.items.add(new File([text], name, { type }))
  const options = { bubbles: true, cancelable: true }
  return kind === 'drop'
    ? document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: data, ...options }))
    : document.querySelector('.composer textarea').dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, ...options }))
}`

async function setUp() {
  const dashboard = await openDashboard()
  const { at, daemon } = dashboard
  const { cwd, folder } = at
  for (const path of ['src/login', '문서', '.claude/commands', '.claude/skills/own', '.ssh'])
    await mkdir(join(cwd, path), { recursive: true })
  const names = ['src/login/form.tsx', 'src/index.ts', '문서/계획 초안.md', HOSTILE]
  for (const name of [...names, 'README.md', '.env', '.ssh/id_rsa'])
    await writeFile(join(cwd, name), `canary of ${name}`)
  await mkdir(join(folder, 'elsewhere/deep'), { recursive: true })
  await writeFile(join(folder, 'elsewhere/secret.txt'), 'canary of elsewhere')
  await symlink('../elsewhere', join(cwd, 'escape'))
  await writeFile(
    join(cwd, '.claude/commands/deploy.md'),
    '---\ndescription: Deploys it\nargument-hint: <place>\n---\nDeploy to $ARGUMENTS now\n',
  )
  await writeFile(
    join(cwd, '.claude/skills/own/SKILL.md'),
    '---\nname: own\ndescription: My own skill\n---\nDo it.\n',
  )
  await daemon.client.trustWorkspace({ body: { path: cwd } })
  const { session } = await daemon.client.createSession({ body: { cwd, prompt: 'hello' } })
  await vi.waitFor(
    async () => {
      const { commands } = await daemon.client.listCommands({ query: { folder: cwd } })
      expect(commands).not.toEqual([])
      expect((await daemon.client.getSession({ params: { id: session.id } })).session.turns).toBe(1)
    },
    { timeout: 30_000 },
  )
  return { ...dashboard, sessionId: session.id }
}

describe.skipIf(chromiumPath === null)('the composer', () => {
  const shared = share(setUp)

  async function open(
    path: string,
    { role, ...look }: BrowserContextOptions & { role?: 'operator' | 'viewer' } = {},
  ) {
    const { newPage, daemon } = shared()
    const page = await newPage(look)
    const { url } = await daemon.client.createLoginCode({ body: role ? { role } : {} })
    await page.goto(url)
    await page.locator('.rail').waitFor()
    await page.goto(new URL(path, daemon.url).href)
    return page
  }

  async function openSession(look: Parameters<typeof open>[1] = {}) {
    const page = await open(`/sessions/${shared().sessionId}`, look)
    const message = page.getByLabel('Message', { exact: true })
    await message.waitFor()
    return { page, message, chosen: page.locator('.popup').getByRole('option', { selected: true }) }
  }

  const lastReply = (page: Page) => page.locator('.entry.of-text').last()

  test('a folder that is being typed is not changed by a default that arrives late', async () => {
    const page = await open('/search')
    const held = new Promise<Route>((resolve) => {
      void page.route('**/api/v1/workspaces/recent?*', resolve)
    })
    await page.getByRole('link', { name: 'New' }).click()
    const folder = page.getByLabel('Folder', { exact: true })
    await folder.focus()
    const before = await folder.inputValue()

    await (await held).continue()
    await expect
      .poll(async () => {
        await page.keyboard.press('ArrowDown')
        return page.getByRole('option', { name: shared().at.cwd }).count()
      })
      .toBe(1)

    expect(await folder.inputValue()).toBe(before)
    expect(before).not.toBe(shared().at.cwd)
    await page.close()
  })

  test('offers commands, skills and saved prompts with descriptions behind a slash', async () => {
    const { client } = shared().daemon
    await client.savePrompt({ params: { name: 'greet' }, body: { text: 'Say hello\nin two lines' } })
    const { page, message, chosen } = await openSession()

    await message.fill('/')
    await page.getByRole('option', { name: /^\/own.+My own skill/s }).waitFor()
    await page.keyboard.type('depl')
    await page.getByRole('option', { name: /^\/deploy <place>.+Deploys it/s, selected: true }).waitFor()
    await page.keyboard.press('Tab')
    expect(await message.inputValue()).toBe('/deploy ')
    expect(await page.getByRole('listbox').count()).toBe(0)
    await page.keyboard.type('Mars')
    await page.keyboard.press('Enter')
    await lastReply(page).getByText('Deploy to Mars now').waitFor()

    await message.fill('/gre')
    await chosen.getByText('/greet').waitFor()
    await chosen.click()
    expect(await message.inputValue()).toBe('Say hello\nin two lines')
    // A command that is typed whole is sent, not completed again.
    await message.fill('/own')
    await chosen.getByText('/own').waitFor()
    await page.keyboard.press('Enter')
    await lastReply(page).getByText('Do it.').waitFor()
    await page.close()
  })

  test('offers files of the workspace behind an @, as text, by arrows, Enter and Escape', async () => {
    const { page, message, chosen } = await openSession()
    const options = () => page.getByRole('option').allInnerTexts()

    await message.fill('see @')
    await page.getByRole('option', { name: 'README.md' }).waitFor()
    const top = (await options()).join('\n')
    expect(top).toContain(HOSTILE)
    for (const hidden of ['.env', '.ssh', 'escape', 'id_rsa']) expect(top).not.toContain(hidden)
    expect(await page.locator('.popup img').count()).toBe(0)

    await page.keyboard.type('x')
    await page.getByRole('option', { name: 'form.tsx' }).waitFor()
    const first = await chosen.innerText()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => chosen.innerText()).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Escape')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    expect(await message.inputValue()).toBe('see @x')
    const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")')
    expect(await focused()).toBe('Message')
    await page.keyboard.press('Escape')
    expect(await focused()).not.toBe('Message')

    await message.fill('read @sl')
    await page.getByRole('option', { name: 'login/ src/' }).click()
    await expect.poll(() => message.inputValue()).toBe('read @src/login/')
    await chosen.getByText('form.tsx').waitFor()
    await page.keyboard.press('Enter')
    expect(await message.inputValue()).toBe('read @src/login/form.tsx ')
    await page.keyboard.type('and @초안')
    await chosen.getByText('계획 초안.md').waitFor()
    await page.keyboard.press('Enter')
    expect(await message.inputValue()).toBe('read @src/login/form.tsx and @"문서/계획 초안.md" ')
    await page.keyboard.press('Enter')
    await lastReply(page).getByText('You said: read @src/login/form.tsx').waitFor()

    await writeFile(join(shared().at.cwd, 'src/brand-new.ts'), '')
    await message.fill('@brandnew')
    await page.getByRole('option', { name: 'brand-new.ts' }).waitFor()
    await page.close()
  })

  test('a Korean composition neither picks nor sends', async () => {
    const { page, message, chosen } = await openSession()
    const sent: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/messages')) sent.push(request.url())
    })
    const input = await page.context().newCDPSession(page)
    const compose = (text: string) =>
      input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    await message.fill('@')
    await page.getByRole('option', { name: 'README.md' }).waitFor()
    await compose('초')
    await compose('초아')
    await chosen
      .getByText('계획 초안.md')
      .waitFor({ timeout: 1_000 })
      .catch(() => {})
    for (const key of ['Enter', 'Tab', 'ArrowDown'])
      await message.dispatchEvent('keydown', { key, keyCode: 229, isComposing: true, bubbles: true })

    expect(await message.inputValue()).toBe('@초아')
    await input.send('Input.insertText', { text: '초안' })
    await chosen.getByText('계획 초안.md').waitFor()
    // Safari reports the key that ends a composition only by its number.
    await message.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true })
    expect(await message.inputValue()).toBe('@초안')
    await page.keyboard.press('Enter')
    expect(await message.inputValue()).toBe('@"문서/계획 초안.md" ')
    expect(sent).toEqual([])
    await page.close()
  })

  test('the up arrow brings own prompts back, of this session first, also after a reload', async () => {
    const { daemon, at } = shared()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd } })
    const page = await open(`/sessions/${session.id}`)
    const message = page.getByLabel('Message', { exact: true })
    for (const text of ['first of all', 'second thoughts']) {
      await message.fill(text)
      await page.keyboard.press('Enter')
      await lastReply(page).getByText(`You said: ${text}`).waitFor()
    }
    await page.reload()
    await message.waitFor()
    await message.focus()

    await page.keyboard.press('ArrowUp')
    expect(await message.inputValue()).toBe('second thoughts')
    await page.keyboard.press('ArrowUp')
    expect(await message.inputValue()).toBe('first of all')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    expect(await message.inputValue()).toBe('')
    await message.fill('half a draft')
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowUp')
    expect(await message.inputValue()).toBe('second thoughts')
    await page.keyboard.press('ArrowDown')
    expect(await message.inputValue()).toBe('half a draft')
    await page.reload()
    await expect.poll(() => message.inputValue()).toBe('half a draft')
    // Prompts of other sessions follow.
    await page.goto(new URL(`/sessions/${shared().sessionId}`, daemon.url).href)
    await message.waitFor()
    await message.focus()
    const seen: string[] = []
    while (seen.at(-1) !== seen.at(-2) || seen.length === 0) {
      await page.keyboard.press('ArrowUp')
      seen.push(await message.inputValue())
    }
    expect(seen).toEqual(expect.arrayContaining(['hello', 'second thoughts']))
    expect(seen.indexOf('hello')).toBeLessThan(seen.indexOf('second thoughts'))
    await page.close()
  })

  test('takes dropped and pasted files of every kind, and says why it does not take others', async () => {
    const { daemon, sessionId } = shared()
    const { page, message } = await openSession()
    const give = (event: 'drop' | 'paste', name: string, content: string, type: string) =>
      page.evaluate(`(${GIVE})(${[event, name, content, type].map((text) => JSON.stringify(text)).join()})`)
    // The browser would open the file in place of the page.
    expect(await give('drop', 'notes.md', '# Notes\nSee @README.md <script>1</script>', '')).toBe(false)
    await page.locator('.file-chip', { hasText: 'notes.md' }).waitFor()
    await give('paste', 'plan.pdf', '%PDF-1.4\n%%EOF', 'application/pdf')
    await page.locator('.file-chip', { hasText: 'plan.pdf' }).waitFor()
    await give('drop', 'app.zip', 'PK\u0003\u0004\u0000', 'application/zip')
    await page.getByRole('alert').getByText('app.zip cannot be attached: only images, PDF').waitFor()
    await give('drop', 'evil\u202egnp.txt', 'text', 'text/plain')
    await page.getByRole('button', { name: 'Remove evil_gnp.txt' }).click()
    await message.fill('with files')
    await page.keyboard.press('Enter')

    await lastReply(page).getByText('You said: with files').waitFor()
    const last = page.locator('.entry.of-message').last()
    await last.getByText('plan.pdf').waitFor()
    await last.getByRole('button', { name: 'Show notes.md' }).click()
    const dialog = page.getByRole('dialog', { name: 'notes.md' })
    await dialog.getByText('<script>1</script>').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    const content = (await allEvents(daemon.client, sessionId)).flatMap((event) =>
      event.type === 'message.queued' && event.data.text === 'with files' ? (event.data.content ?? []) : [],
    )
    expect(content.map(({ type }) => type)).toEqual(['document', 'document', 'text'])
    await page.close()
  })

  test('saved prompts are created, changed, inserted and deleted; those of an admin are not for operators', async () => {
    const { client } = shared().daemon
    await client.savePrompt({ params: { name: 'of-admin' }, body: { text: 'Only for admins to change' } })
    const { page, message } = await openSession({ role: 'operator' })
    const dialog = page.getByRole('dialog', { name: 'Saved prompts' })
    const openPrompts = () => page.getByRole('button', { name: 'Saved prompts' }).click()
    await message.fill('Check the <b>tests</b>')
    await openPrompts()
    await dialog.getByRole('button', { name: 'Save this message' }).click()
    await dialog.getByLabel('Name').fill('a b')
    expect(await dialog.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    await dialog.getByLabel('Name').fill('check')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Check the <b>tests</b>').waitFor()

    expect(await dialog.getByRole('button', { name: 'Edit of-admin' }).count()).toBe(0)
    expect(await dialog.getByRole('button', { name: 'Delete of-admin' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Edit check' }).click()
    await dialog.getByLabel('Name').fill('check-2')
    await dialog.getByLabel('Prompt').fill('Check again')
    // Escape leaves the form first, then the dialog.
    await page.keyboard.press('Escape')
    await dialog.getByRole('button', { name: 'Edit check' }).click()
    await dialog.getByLabel('Name').fill('check-2')
    await dialog.getByLabel('Prompt').fill('Check again')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Edit check-2' }).waitFor()
    await dialog.getByRole('button', { name: /^check-2/ }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await message.inputValue()).toBe('Check the <b>tests</b>\n\nCheck again')

    await openPrompts()
    const remove = dialog.getByRole('button', { name: 'Delete check-2' })
    await remove.click()
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain('check-2')
    await remove.click()
    await remove.waitFor({ state: 'detached' })
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).not.toContain('check-2')
    await page.close()
  })

  test('model, effort and mode are chosen by keyboard, each with a line of explanation', async () => {
    const { daemon, at } = shared()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd } })
    const page = await open(`/sessions/${session.id}`, { role: 'operator' })
    const mode = page.getByLabel('Permission mode')
    const now = async () => (await daemon.client.getSession({ params: { id: session.id } })).session
    await mode.focus()
    await page.keyboard.press('ArrowDown')
    const options = page.getByRole('listbox', { name: 'Permission mode' }).getByRole('option')
    const texts = await options.allInnerTexts()
    expect(texts.length).toBe(6)
    for (const text of texts) expect(text.split('\n')[1]).toMatch(/\w{3}.*\.$/)
    expect(await options.last().getAttribute('aria-disabled')).toBe('true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await expect.poll(async () => (await now()).permissionMode).toBe('acceptEdits')
    await expect.poll(() => mode.innerText()).toBe('Accept edits')
    // Escape closes the list, and only the list.
    await mode.click()
    await page.keyboard.press('Escape')
    expect(await page.getByRole('listbox').count()).toBe(0)

    await page.getByLabel('Effort').click()
    await page.getByRole('option', { name: /^High effort/ }).click()
    await expect.poll(async () => (await now()).effort).toBe('high')
    await page.getByLabel('Model').click()
    await page.getByRole('option', { name: /^Sonnet.+routine/s }).click()
    await expect.poll(async () => (await now()).model).toMatch(/sonnet/)
    await page.close()
  })

  test('a session starts with folder, model, effort, mode and limits from the form', async () => {
    const { daemon, at } = shared()
    const { client } = daemon
    const page = await open('/new')
    await page.getByRole('button', { name: 'Browse' }).click()
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' })
    await dialog.getByRole('button', { name: 'src' }).waitFor()
    for (const hidden of ['.ssh', '.git'])
      expect(await dialog.getByText(hidden, { exact: true }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Folder above' }).click()
    await dialog.getByRole('button', { name: 'elsewhere' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'signalbox' }).count()).toBe(0)
    await dialog.getByLabel('Filter').fill('else')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'deep' }).waitFor()
    await dialog.getByRole('button', { name: 'Use this folder' }).click()
    const folder = page.getByLabel('Folder', { exact: true })
    expect(await folder.inputValue()).toBe(join(at.folder, 'elsewhere'))
    // The one before is offered among the recent ones.
    await folder.click()
    await page.getByRole('option', { name: at.cwd }).click()
    expect(await folder.inputValue()).toBe(at.cwd)

    await page.getByLabel('Model').click()
    await page.getByRole('option', { name: 'Other model…' }).click()
    await page.getByLabel('Model').fill('claude-haiku-5-5')
    await page.keyboard.press('Enter')
    await page.getByLabel('Effort').click()
    await page.getByRole('option', { name: /^Low effort/ }).click()
    await page.getByLabel('Permission mode').click()
    await page.getByRole('option', { name: /^Plan only/ }).click()
    await page.getByText('Reads and makes a plan.').waitFor()
    await page.getByLabel('Budget (USD)').fill('1.5')
    await page.getByLabel('Steps').fill('7')
    await page.getByLabel('Prompt', { exact: true }).fill('Plan with @READ')
    await page.getByRole('option', { name: 'README.md' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Control+Enter')

    await lastReply(page).getByText('You said: Plan with @README.md').waitFor()
    const { session } = await client.getSession({ params: { id: page.url().split('/').at(-1) ?? '' } })
    expect(session).toMatchObject({
      cwd: at.cwd,
      model: 'claude-haiku-5-5',
      permissionMode: 'plan',
      options: { effort: 'low', maxBudgetUsd: 1.5, maxTurns: 7 },
    })
    await page.close()
  })

  test('an operator browses used and trusted folders only, and a viewer gets neither form nor composer', async () => {
    const { at } = shared()
    const page = await open('/new', { role: 'operator' })
    const folder = page.getByLabel('Folder', { exact: true })
    await folder.fill(join(at.folder, 'elsewhere'))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Browse' }).click()
    const dialog = page.getByRole('dialog', { name: 'Choose a folder' })
    await dialog.getByText('Recent folders').waitFor()
    await dialog.getByRole('button', { name: at.cwd, exact: true }).click()
    await dialog.getByRole('button', { name: 'src' }).waitFor()
    expect(await dialog.getByRole('button', { name: 'escape' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Folder above' }).click()
    await dialog.getByText('Recent folders').waitFor()
    await page.keyboard.press('Escape')
    await page.getByLabel('Prompt', { exact: true }).fill('@sec')
    await page.locator('.popup').getByText('requires the role admin').waitFor()
    await page.close()

    const viewer = await open(`/sessions/${shared().sessionId}`, { role: 'viewer' })
    await lastReply(viewer).waitFor()
    expect(await viewer.getByLabel('Message', { exact: true }).count()).toBe(0)
    expect(await viewer.getByLabel('Permission mode').count()).toBe(0)
    await viewer.close()
  })

  test('lists and dialogs have names and contrast, in dark too', async () => {
    const found: string[] = []
    // Dark, the page is the same but for its colours.
    const looks = [
      [{}, []],
      [{ colorScheme: 'dark', viewport: { width: 390, height: 800 } }, ['color-contrast']],
    ] as const
    for (const [look, rules] of looks) {
      const { page, message } = await openSession(look)
      await message.fill('/')
      await page.getByRole('option').first().waitFor()
      found.push(...(await complaints(page, rules)))
      await message.fill('')
      await page.getByLabel('Permission mode').click()
      await page.getByRole('option').first().waitFor()
      found.push(...(await complaints(page, rules)))
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Saved prompts' }).click()
      await page.getByRole('dialog').waitFor()
      found.push(...(await complaints(page, rules)))
      await page.goto(new URL('/new', shared().daemon.url).href)
      await page.getByLabel('Folder', { exact: true }).click()
      await page.getByRole('option').first().waitFor()
      found.push(...(await complaints(page, rules)))
      await page.getByRole('button', { name: 'Browse' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'src' }).waitFor()
      found.push(...(await complaints(page, rules)))
      await page.close()
    }
    expect(found).toEqual([])
  })

  test('on a phone with its keyboard open the list is above the field and inside the screen', async () => {
    const { page, message } = await openSession({ viewport: { width: 390, height: 420 }, hasTouch: true })
    await message.fill('/')
    await page.getByRole('option').first().waitFor()
    const [list, field] = [await page.locator('.popup').boundingBox(), await message.boundingBox()]
    if (!list || !field) throw new Error('unreachable')
    expect(list.y).toBeGreaterThanOrEqual(0)
    expect(list.y + list.height).toBeLessThanOrEqual(field.y + 1)
    expect(list.x >= 0 && list.x + list.width <= 390).toBe(true)
    expect(list.height).toBeGreaterThan(80)
    await page.getByRole('option', { name: /^\/deploy/ }).tap()
    expect(await message.inputValue()).toBe('/deploy ')
    await page.close()
  })
})
