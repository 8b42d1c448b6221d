/** The list of sessions in a real browser: names that stay, conditions, and what is done to several at once. */

import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

describe.skipIf(chromiumPath === null)('the list', () => {
  const shared = share(() => openDashboard())

  async function open(path = '/') {
    const { newPage, daemon, at } = shared()
    const page = await newPage()
    await logIn(page, daemon, path)
    return { page, client: daemon.client, cwd: at.cwd }
  }

  test('a session keeps the name of its first prompt, with the last message below it', async () => {
    const { page, client, cwd } = await open()
    const { session } = await client.createSession({ body: { cwd, prompt: '# Fix the **login** page' } })
    const params = { id: session.id }
    await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    const row = page.locator(`#row-${session.id}`)
    await row.getByText('Fix the login page', { exact: true }).waitFor()

    await client.sendMessage({ params, body: { text: 'use tabs please' } })
    await sessionWhen(client, session.id, ({ state, turns }) => state === 'idle' && turns === 2)

    await row.locator('.last-message', { hasText: 'use tabs please' }).waitFor()
    expect(await row.locator('.title').innerText()).toBe('Fix the login page')
    await row.click()
    const heading = page.locator('.heading')
    await heading.getByText('use tabs please').waitFor()
    expect(await heading.getByRole('heading').innerText()).toBe('Fix the login page')
    await page.close()
  })
})
