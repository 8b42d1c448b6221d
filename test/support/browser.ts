/** A real Chromium. Whatever a page complains about fails its test. */

import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { expect } from 'vitest'
import { findCommand } from './find-command.js'
import { temporaryFolder } from './temporary-folder.js'
import { whenDone } from './when-done.js'

export const chromiumPath = findCommand('chromium', 'chromium-browser', 'google-chrome')

const ARGUMENTS = [
  // In a container there is no sandbox to be had; the pages are our own.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

export async function launchBrowser({ args = [] }: { args?: string[] } = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath ?? '',
    args: [...ARGUMENTS, ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: await temporaryFolder() },
  })
}

export async function openBrowser(): Promise<{ newPage(options?: BrowserContextOptions): Promise<Page> }> {
  const browser = await launchBrowser()
  const complaints: string[] = []
  whenDone(async () => {
    await browser.close()
    expect(complaints.join('\n')).toBe('')
  })
  return {
    async newPage(options) {
      const page = await (await browser.newContext(options)).newPage()
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        const isExpected =
          /ERR_CONNECTION_(?:REFUSED|RESET|CLOSED)|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|401 \(Unauthorized\)/.test(
            message.text(),
          )
        // A test that opens a session that does not exist.
        const isUnknown = message.location().url.includes('/sessions/ses_0000000000')
        if (message.type() === 'error' && !isExpected && !isUnknown) complaints.push(message.text())
      })
      return page
    },
  }
}
