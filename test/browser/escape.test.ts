/** Escape closes one thing at a time, and interrupts an agent only on purpose. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { share } from '../support/when-done.js'

const HINT = 'Press Esc again to interrupt'

describe.skipIf(chromiumPath === null)('Escape', () => {
  const shared = share(() => openDashboard())

  /** A session that works or waits, and the interrupts that its page sends. */
  async function open(prompt: string) {
    const { newPage, daemon, at } = shared()
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt } })
    if (prompt !== 'talk') await pendingRequest(daemon.client, session.id)
    const page = await newPage()
    await logIn(page, daemon, `/sessions/${session.id}`)
    await page.getByRole('button', { name: 'Interrupt' }).waitFor()
    const interrupts: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/interrupt')) interrupts.push(request.url())
    })
    const close = async () => {
      await daemon.client.stopSession({ params: { id: session.id }, body: {} })
      await page.close()
    }
    return { page, interrupts, close, message: page.getByLabel('Message', { exact: true }) }
  }

  const activeLabel = (page: Page) =>
    page.evaluate('document.activeElement.getAttribute("aria-label") ?? document.activeElement.textContent')

  test('beside an open edit form it closes the form, and the request stays', async () => {
    const { page, interrupts, close } = await open('write a file')
    const card = page.getByRole('article', { name: /^Write: / })
    await card.getByRole('button', { name: 'Edit' }).click()
    await card.getByLabel('content').fill('half')
    await page.locator('main h1').click()

    await page.keyboard.press('Escape')

    await card.getByLabel('content').waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.locator('main').getByText('Result: File created').waitFor()
    expect(await readFile(join(shared().at.cwd, 'a.txt'), 'utf8')).toBe('written')
    expect(interrupts).toEqual([])
    await close()
  })

  test('in the field of a denial it closes the form, and the focus returns to the button', async () => {
    const { page, interrupts, close } = await open('run it')
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.getByLabel('Reason (sent to the agent)').fill('because')

    await page.keyboard.press('Escape')

    await page.getByLabel('Reason (sent to the agent)').waitFor({ state: 'detached' })
    expect(await activeLabel(page)).toContain('Deny')
    expect(interrupts).toEqual([])
    await close()
  })

  test('with the menu open it closes the menu, as a click outside does', async () => {
    const { page, interrupts, close } = await open('talk')
    const more = page.getByRole('button', { name: 'More' })
    const fork = page.getByRole('button', { name: 'Fork', exact: true })
    await more.click()
    await fork.waitFor()

    await page.keyboard.press('Escape')

    await fork.waitFor({ state: 'detached' })
    expect(await activeLabel(page)).toBe('More')
    await more.click()
    await fork.waitFor()
    await page.getByRole('region', { name: 'Conversation' }).click()
    await fork.waitFor({ state: 'detached' })
    expect(await page.getByText(HINT).count()).toBe(0)
    expect(interrupts).toEqual([])
    await close()
  })

  test('a dialog above a form goes first, then the form', async () => {
    const { page, interrupts, close } = await open('run it')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('dialog').waitFor()

    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Allow edited call' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Allow', exact: true }).waitFor()

    expect(interrupts).toEqual([])
    await close()
  })

  test('in a half-written message it leaves the field and keeps the text', async () => {
    const { page, interrupts, message, close } = await open('talk')
    await message.fill('half a thought')

    await page.keyboard.press('Escape')

    await expect.poll(() => activeLabel(page)).not.toBe('Message')
    expect(await message.inputValue()).toBe('half a thought')
    expect(await page.getByText(HINT).count()).toBe(0)
    expect(interrupts).toEqual([])
    await close()
  })

  test('with nothing open it asks for a second press, which interrupts; another key in between cancels', async () => {
    const { page, interrupts, close } = await open('talk')
    await page.locator('main').getByText('word word word').first().waitFor()

    await page.keyboard.press('Escape')
    await page.getByText(HINT).waitFor()
    await page.keyboard.press('Shift')
    await page.getByText(HINT).waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await page.getByText(HINT).waitFor()
    expect(interrupts).toEqual([])
    await page.keyboard.press('Escape')

    await page.getByText('Interrupted', { exact: true }).waitFor()
    expect(interrupts).toHaveLength(1)
    await close()
  })
})
