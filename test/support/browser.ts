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

interface LaunchOptions {
  args?: string[]
  executablePath?: string | null
}

export async function launchBrowser({
  args = [],
  executablePath = chromiumPath,
}: LaunchOptions = {}): Promise<Browser> {
  return chromium.launch({
    executablePath: executablePath ?? '',
    args: [...ARGUMENTS, ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: await temporaryFolder() },
  })
}

/**
 * Network errors of a server that was stopped, and a login that has ended. Which one comes depends on when the socket was
 * closed: before it was taken from the pool (SOCKET_NOT_CONNECTED), before a byte came, or in the middle of a stream.
 */
const EXPECTED =
  /ERR_CONNECTION_(?:REFUSED|RESET|CLOSED)|ERR_INTERNET_DISCONNECTED|ERR_SOCKET_NOT_CONNECTED|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE_CHUNKED|401 \(Unauthorized\)/

export async function openBrowser(
  options: LaunchOptions = {},
): Promise<{ newPage(options?: BrowserContextOptions): Promise<Page> }> {
  const browser = await launchBrowser(options)
  const complaints: string[] = []
  whenDone(async () => {
    await browser.close()
    expect(complaints.join('\n')).toBe('')
  })
  return {
    async newPage(given) {
      const context = await browser.newContext(given)
      // A step of one second may take half a minute on a machine that is busy with other tests.
      context.setDefaultTimeout(60_000)
      const page = await context.newPage()
      page.on('pageerror', (error) => complaints.push(error.message))
      page.on('console', (message) => {
        // A test that opens a session that does not exist.
        const isUnknown = message.location().url.includes('/sessions/ses_0000000000')
        // A test that asks for names of files without the right to see them.
        const isRefused =
          /403 .*$/.test(message.text()) && message.location().url.includes('/api/v1/workspaces/')
        if (message.type() === 'error' && !EXPECTED.test(message.text()) && !isUnknown && !isRefused)
          complaints.push(`${message.text()} (${message.location().url})`)
      })
      return page
    },
  }
}
