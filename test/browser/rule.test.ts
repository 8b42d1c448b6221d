/** A rule made from a request in the page: the narrowest first, with what a wider one would allow. */

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { pendingRequest, sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'

const COMMAND = 'rm -rf build'

describe.skipIf(chromiumPath === null)('a rule from a request', () => {
  test('covers this exact call, says what a wider one would delete, and ends when the user wants', async () => {
    const { at, daemon, page } = await openDashboard({
      script: () => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
          { reply: [{ tool: 'Bash', input: { command: COMMAND } }] },
        ],
      }),
    })
    await mkdir(join(at.cwd, 'build'))
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'clean' } })
    const request = await pendingRequest(daemon.client, session.id)
    expect(request.severity).toBe('destructive')
    await logIn(page, daemon, `/sessions/${session.id}`)
    await page.locator('.findings .destructive').first().waitFor()
    await page.getByRole('button', { name: 'Create rule' }).click()
    const dialog = page.getByRole('dialog')

    expect(await dialog.getByRole('radio', { name: 'This exact call' }).isChecked()).toBe(true)
    await expect.poll(() => dialog.getByLabel('Patterns, one per line').inputValue()).toBe(COMMAND)
    await dialog.getByText('Nothing close to this call.').waitFor()
    await dialog.getByRole('radio', { name: 'This exact call' }).press('ArrowDown')
    await dialog.locator('li.destructive', { hasText: 'rm -rf src' }).first().waitFor()
    await dialog.getByLabel('Patterns, one per line').fill('rm -rf dist')
    await dialog.getByText('The policy would still ask about this request').waitFor()
    expect(await dialog.getByRole('button', { name: 'Save rule and allow' }).isDisabled()).toBe(true)
    await dialog.getByRole('radio', { name: 'This exact call' }).check()
    await expect.poll(() => dialog.getByLabel('Patterns, one per line').inputValue()).toBe(COMMAND)

    // While the rule for the last choice is on its way, the one before cannot be saved.
    const save = dialog.getByRole('button', { name: 'Save rule and allow' })
    await expect.poll(() => save.isEnabled()).toBe(true)
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/proposal', async (route) => {
      await held
      await route.continue()
    })
    await dialog.getByLabel('Until').selectOption('1 week from now')
    expect(await save.isDisabled()).toBe(true)
    release()
    await save.click()

    await sessionWhen(daemon.client, session.id, ({ state }) => state === 'idle')
    const { policy } = await daemon.client.getPolicy()
    expect(policy.rules).toEqual([
      {
        name: `allow Bash: ${COMMAND}`,
        verdict: 'allow',
        when: { tools: ['Bash'], commands: [COMMAND], workspaces: [at.cwd] },
        until: expect.stringMatching(/Z$/),
      },
    ])
    await page.goto(new URL('/policy', daemon.url).href)
    await page
      .getByText(/until \w/)
      .first()
      .waitFor()
    await daemon.client.stopSession({ params: { id: session.id }, body: {} })
    await daemon.stop()
  })
})
