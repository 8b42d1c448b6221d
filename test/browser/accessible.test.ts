/** Every view can be used without a mouse and without sight, and none asks for more than it may. */

import { describe, expect, test } from 'vitest'
import { complaints } from '../support/axe.js'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'

describe.skipIf(chromiumPath === null)('every view', () => {
  test('has names, contrast and order, in light and in dark, in every language', {
    timeout: 300_000,
  }, async () => {
    const { at, daemon, newPage } = await openDashboard()
    const ids: string[] = []
    for (const prompt of ['write a file', 'ask me', 'run it', 'hello']) {
      const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt } })
      ids.push(session.id)
      if (prompt !== 'hello') await pendingRequest(daemon.client, session.id)
    }
    const [write = '', , , hello = ''] = ids
    const views: [path: string, ready: string][] = [
      ['/', '.session-row'],
      ['/new', 'form.panel'],
      ['/inbox', '.request'],
      [`/sessions/${write}`, '.request .diff'],
      [`/sessions/${hello}`, '.content.text'],
      [`/sessions/${write}/timeline`, '.bar-row'],
      [`/sessions/${write}/agents`, '.agent'],
      ['/search', '.page input'],
      ['/usage', '.table'],
      ['/policy', '.panel .chips'],
      ['/policy/tools', '.tools article'],
      ['/policy/audit', '.audit tbody tr'],
      ['/terminals', '.page .copy'],
      ['/settings', '.panel'],
    ]
    // Dark, the page is the same but for its colours.
    const looks = [
      [{ colorScheme: 'light', locale: 'en' }, []],
      [{ colorScheme: 'dark', locale: 'ko' }, ['color-contrast']],
      [{ colorScheme: 'light', locale: 'ja', viewport: { width: 390, height: 800 } }, []],
    ] as const

    const found: string[] = []
    for (const [look, rules] of looks) {
      const page = await newPage(look)
      await logIn(page, daemon, '/')
      for (const [path, ready] of views) {
        await page.goto(new URL(path, daemon.url).href)
        await page.locator(ready).first().waitFor()
        found.push(...(await complaints(page, rules)).map((text) => `${look.locale} ${path} ${text}`))
      }
      expect(await page.evaluate('document.documentElement.lang')).toBe(look.locale)
    }
    const page = await newPage()
    await page.goto(daemon.url)
    await page.getByLabel('Code or token').waitFor()
    found.push(...(await complaints(page)))
    for (const id of ids) await daemon.client.stopSession({ params: { id }, body: {} })
    await daemon.stop()
    expect(found).toEqual([])
  })
})
