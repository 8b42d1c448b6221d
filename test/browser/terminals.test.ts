/** Terminals on the page: how to see them, their activity, and problems with the hooks. */

import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chromiumPath, openBrowser } from '../support/browser.js'
import { startDaemonProcess } from '../support/daemon-process.js'
import { logIn } from '../support/dashboard.js'
import { makeTerminalHome } from '../support/terminal-home.js'

test.skipIf(chromiumPath === null)(
  'the page says how to install the hooks, shows terminals and skills, and what is wrong with the hooks',
  async () => {
    const at = await makeTerminalHome({
      rules: [
        {
          when: { user: 'snowflake' },
          times: 1,
          reply: [{ tool: 'Skill', input: { skill: 'snowflake', args: '1' } }],
        },
        { reply: [{ text: 'Done.' }] },
      ],
    })
    const daemon = await startDaemonProcess(at.place)
    const page = await (await openBrowser()).newPage({ viewport: { width: 1200, height: 800 } })
    await logIn(page, daemon, '/terminals')
    const hooks = page.getByRole('region', { name: 'Lifecycle hooks' })
    await hooks.getByText('Hooks are not installed').waitFor()
    await hooks.getByText(/signalbox\S* hooks install$/).waitFor()

    await at.signalbox('hooks', 'install')
    await at.shell('claude --dangerously-skip-permissions -p "make a snowflake"')
    await page.reload()
    await hooks.getByText('Hooks are installed').waitFor()
    await hooks.getByText(/Last event/).click()
    await hooks.getByText(join(at.claudeFolder, 'settings.json')).waitFor()
    const terminal = page.locator('.terminal', { hasText: 'make a snowflake' })
    await terminal.getByText('project').waitFor()
    const skill = page.getByRole('row', { name: /snowflake/ })
    await skill.getByText('done').waitFor()
    await terminal.getByRole('link').click()
    await page.locator('main').getByText('Done.').first().waitFor()
    expect(await page.getByLabel('Message', { exact: true }).count()).toBe(0)

    const settings = join(at.claudeFolder, 'settings.json')
    const kept = JSON.parse(await readFile(settings, 'utf8')) as Record<string, unknown>
    await writeFile(settings, JSON.stringify({ ...kept, disableAllHooks: true }))
    await page.goto(new URL('/terminals', daemon.url).href)
    await hooks.getByText('Hooks are not working').waitFor()
    await hooks.getByText(/disables all hooks/).waitFor()
    await daemon.stop()
  },
)
