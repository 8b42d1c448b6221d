/** The tab of changes: review by call, comment by keyboard, undo a call and a turn, redo; on a phone, too. */

import { access, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { sessionWhen } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'

describe.skipIf(chromiumPath === null)('the tab of changes', () => {
  test('shows what each call changed, takes comments, undoes and redoes', async () => {
    const { at, daemon, page } = await openDashboard({
      script: (cwd) => ({
        rules: [
          {
            when: { user: 'do everything' },
            reply: [
              {
                tool: 'Edit',
                input: { file_path: join(cwd, 'edited.txt'), old_string: 'one', new_string: 'two' },
              },
              { tool: 'Bash', input: { command: 'mv moved.txt there.txt; rm gone.txt' } },
              {
                tool: 'Agent',
                input: {
                  description: 'writes',
                  prompt: 'write as a helper',
                  subagent_type: 'general-purpose',
                  run_in_background: false,
                },
              },
            ],
          },
          {
            when: { agent: '/write as a helper/', user: 'write as a helper' },
            reply: [{ tool: 'Write', input: { file_path: join(cwd, 'helper.txt'), content: 'helped\n' } }],
          },
          { when: { toolResult: '*' }, reply: [{ text: 'Done.' }] },
          { reply: [{ text: 'Understood.' }] },
        ],
      }),
    })
    const file = (name: string) => join(at.cwd, name)
    const isThere = (name: string) =>
      access(file(name)).then(
        () => true,
        () => false,
      )
    await writeFile(file('edited.txt'), 'one\nlast\n')
    await writeFile(file('moved.txt'), 'moved\n')
    await writeFile(file('gone.txt'), 'gone\n')
    const { client } = daemon
    const { session } = await client.createSession({
      body: { cwd: at.cwd, permissionMode: 'bypassPermissions', prompt: 'do everything' },
    })
    const whenIdle = (turns: number) =>
      sessionWhen(client, session.id, (now) => now.turns === turns && now.turn === null)
    await whenIdle(1)
    await logIn(page, daemon, `/sessions/${session.id}/changes`)
    const tab = page.getByRole('region', { name: 'Changes' })
    const names = () => tab.locator('.file-diff > summary code').allTextContents()

    await expect.poll(names).toEqual(['edited.txt', 'gone.txt', 'helper.txt', 'moved.txt → there.txt'])
    await tab.getByRole('button', { name: /^Bash/ }).click()
    await expect.poll(names).toEqual(['gone.txt', 'moved.txt → there.txt'])
    await tab.getByRole('button', { name: /^Agent / }).click()
    await expect.poll(names).toEqual(['helper.txt'])
    await tab.getByRole('button', { name: 'Whole session' }).click()
    await expect.poll(names).toHaveLength(4)

    // Beside the list of sessions there is no room for a list of calls, too: the lines come first, one height for each row.
    await page.setViewportSize({ width: 768, height: 900 })
    await tab.getByRole('combobox', { name: 'What to show' }).waitFor()
    const row = await tab.locator('.diff tr').first().boundingBox()
    expect(row?.width).toBeGreaterThan(330)
    expect(row?.height).toBeLessThan(24)
    await page.setViewportSize({ width: 1280, height: 800 })

    // By keyboard: the first file, side by side and back, and a comment on the changed line.
    await page.keyboard.press(']')
    await expect
      .poll(() => page.evaluate<string>('document.activeElement?.textContent ?? ""'))
      .toContain('edited.txt')
    await page.keyboard.press('v')
    await tab.locator('table.split').first().waitFor()
    await page.keyboard.press('v')
    await tab.locator('table:not(.split)').first().waitFor()
    const line = tab.locator('.file-diff').first().getByRole('button', { name: 'Comment on line 1' }).last()
    await line.press('Enter')
    await tab.getByRole('textbox', { name: 'Comment' }).fill('Say three.')
    await page.keyboard.press('Control+Enter')
    await tab.getByText('1 comment not sent').waitFor()
    await tab.getByRole('button', { name: 'Send to the agent' }).click()
    await whenIdle(2)
    expect((await client.listComments({ params: { id: session.id } })).comments).toMatchObject([
      { path: 'edited.txt', startLine: 1, quote: 'two', text: 'Say three.', isResolved: false },
    ])
    await tab.locator('.comment-note.open').waitFor()

    // One call, and again; then the whole turn by keyboard.
    await tab.getByRole('button', { name: /^Undo: Bash/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('3 files').or(dialog.getByText('2 files')).first().waitFor()
    await dialog.getByRole('button', { name: 'Undo' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect([await isThere('gone.txt'), await isThere('moved.txt'), await isThere('there.txt')]).toEqual([
      true,
      true,
      false,
    ])
    await tab.getByRole('button', { name: 'Redo', exact: true }).click()
    await dialog.getByRole('button', { name: 'Redo' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect([await isThere('gone.txt'), await isThere('there.txt')]).toEqual([false, true])
    await tab.getByRole('button', { name: 'Turn 1', exact: true }).click()
    await expect.poll(names).toHaveLength(4)
    await page.keyboard.press('u')
    const confirm = dialog.getByRole('button', { name: 'Undo' })
    await expect.poll(() => confirm.isEnabled()).toBe(true)
    await confirm.press('Enter')
    await dialog.waitFor({ state: 'hidden' })
    expect(await readFile(file('edited.txt'), 'utf8')).toBe('one\nlast\n')
    expect([await isThere('gone.txt'), await isThere('helper.txt')]).toEqual([true, false])

    // A conflict is shown, and nothing can be written.
    await writeFile(file('edited.txt'), 'four\nlast\n')
    await tab.getByRole('button', { name: 'Redo', exact: true }).click()
    await dialog.getByRole('alert').getByText('edited.txt').waitFor()
    expect(await dialog.getByRole('button', { name: 'Redo' }).isDisabled()).toBe(true)
    await page.keyboard.press('Escape')

    // On a phone the scopes are a choice, and nothing is wider than the screen.
    await page.setViewportSize({ width: 390, height: 800 })
    await tab.getByRole('combobox', { name: 'What to show' }).selectOption({ label: 'Turn 1' })
    await expect.poll(names).toHaveLength(4)
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await client.stopSession({ params: { id: session.id }, body: {} })
    await daemon.stop()
  })
})
