/** The command palette in a real browser, by keyboard. */

import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

describe.skipIf(chromiumPath === null)('the palette', () => {
  const shared = share(() => openDashboard())

  test('finds a session, an action, a setting and messages with Ctrl+K, also from a field', async () => {
    const { newPage, daemon, at } = shared()
    const { client } = daemon
    const start = async (prompt: string) => {
      const { session } = await client.createSession({ body: { cwd: at.cwd, prompt } })
      await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
      return session.id
    }
    const [lighthouse] = [await start('Paint the lighthouse'), await start('Count the gulls')]
    const page = await newPage()
    await logIn(page, daemon, '/new')
    const path = () => new URL(page.url()).pathname + new URL(page.url()).search
    const field = page.getByRole('combobox', { name: 'Find a session, an action or a message' })
    const choose = async (text: string, label: string) => {
      await page.keyboard.press('Control+k')
      await field.fill(text)
      await page.getByRole('option', { name: label, selected: true }).waitFor()
      await page.keyboard.press('Enter')
      await field.waitFor({ state: 'detached' })
    }
    await page.getByLabel('Prompt', { exact: true }).focus()

    await choose('lightho', 'Paint the lighthouse')
    expect(path()).toBe(`/sessions/${lighthouse}`)
    await choose('go usage', 'Go to Usage')
    expect(path()).toBe('/usage')
    await choose('theme dark', 'Theme: Dark')
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark')
    await choose('zebra crossing', 'Search messages for “zebra crossing”')
    expect(path()).toBe('/search?q=zebra+crossing')

    await page.keyboard.press('Control+k')
    await page.getByRole('option', { selected: true }).waitFor()
    const name = async () => (await page.getByRole('option', { selected: true }).innerText()).split('\n')[0]
    const first = await name()
    await page.keyboard.press('ArrowDown')
    await expect.poll(name).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    await expect.poll(name).toBe(first)
    await page.keyboard.press('Escape')
    await field.waitFor({ state: 'detached' })
    await page.close()
  })

  test('forks the session in view, and fits on a phone', async () => {
    const { newPage, daemon, at } = shared()
    const { client } = daemon
    const { session } = await client.createSession({ body: { cwd: at.cwd, prompt: 'Sweep the deck' } })
    await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    const page = await newPage({ viewport: { width: 390, height: 800 } })
    await logIn(page, daemon, `/sessions/${session.id}`)
    await page.getByRole('heading', { name: 'Sweep the deck' }).waitFor()

    await page.keyboard.press('Control+k')
    await page.locator('.palette input').fill('fork')
    const dialog = await page.locator('dialog[open]').boundingBox()
    expect((dialog?.x ?? -1) >= 0 && (dialog?.x ?? 0) + (dialog?.width ?? 999) <= 390).toBe(true)
    await page.getByRole('option', { name: /^Fork/ }).click()

    await expect
      .poll(async () => (await client.listSessions({ query: {} })).sessions.map(({ parentId }) => parentId))
      .toContain(session.id)
    await page.locator('dialog[open]').waitFor({ state: 'detached' })
    await page.close()
  })
})
