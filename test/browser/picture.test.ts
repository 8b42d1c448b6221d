/** Images that tools return are seen, not read as base64. */

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'

/** One red point. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
)

describe.skipIf(chromiumPath === null)('a picture', () => {
  test('that the agent reads is shown in its call, and opens in full size', async () => {
    const { at, daemon, page } = await openDashboard({
      script: (cwd) => ({
        rules: [
          { when: { toolResult: '*' }, reply: [{ text: 'A red point.' }] },
          { reply: [{ tool: 'Read', input: { file_path: join(cwd, 'point.png') } }] },
        ],
      }),
    })
    await writeFile(join(at.cwd, 'point.png'), PICTURE)
    const { session } = await daemon.client.createSession({ body: { cwd: at.cwd, prompt: 'look' } })
    await sessionWhen(daemon.client, session.id, ({ state, turns }) => state === 'idle' && turns === 1)
    await logIn(page, daemon, `/sessions/${session.id}`)

    const picture = page.getByRole('button', { name: 'Image from the tool: Enlarge' })
    await picture.waitFor()
    const width = 'document.querySelector(".tool-body img").naturalWidth'
    await expect.poll(() => page.evaluate(width)).toBeGreaterThan(0)
    expect(await page.locator('main').innerText()).not.toContain('iVBOR')
    await picture.click()
    const dialog = page.getByRole('dialog', { name: 'Image from the tool' })
    await dialog.getByRole('img').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await daemon.stop()
  })
})
