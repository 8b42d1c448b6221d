/** The ways in: a link in an open tab, a link in the field, a code, and what is wrong. */

import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

describe.skipIf(chromiumPath === null)('logging in', () => {
  const shared = share(() => openDashboard())

  async function openLogin() {
    const { newPage, daemon } = shared()
    const page = await newPage()
    await page.goto(daemon.url)
    const field = page.getByLabel('Code or token')
    await field.waitFor()
    const link = async () => (await daemon.client.createLoginCode({ body: {} })).url
    return { page, field, link }
  }

  test('works with a link that is opened in a tab with the login page', async () => {
    const { page, link } = await openLogin()

    await page.evaluate(`location.href = ${JSON.stringify(await link())}`)

    await page.locator('.rail').waitFor()
    expect(page.url()).not.toContain('code')
    // A login that has ended: the command is the one that works here.
    await page.context().clearCookies()
    await page.reload()
    await page.getByText(/signalbox\.cjs open$/).waitFor()
    await page.close()
  })

  test('works with the whole link, and with the code alone, in the field', async () => {
    for (const read of [(url: string) => ` ${url}\n`, (url: string) => url.split('code=')[1] ?? '']) {
      const { page, field, link } = await openLogin()
      await field.fill(read(await link()))
      await page.getByRole('button', { name: 'Log in' }).click()
      await page.locator('.rail').waitFor()
      await page.close()
    }
  })

  test('says what is wrong with a link that was used already', async () => {
    const { page, field } = await openLogin()

    await page.evaluate('location.hash = "#code=used-already"')
    await page.getByRole('alert').waitFor()
    expect(await field.isVisible()).toBe(true)
    expect(page.url()).not.toContain('code')
    await page.close()
  })
})
