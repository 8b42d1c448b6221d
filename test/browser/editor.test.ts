/** One session in an editor and in the dashboard at the same time. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { chromiumPath } from '../support/browser.js'
import { expectOrderly } from '../support/daemon-process.js'
import { logIn, openDashboard } from '../support/dashboard.js'
import { openEditor } from '../support/editor.js'

test.skipIf(chromiumPath === null)(
  'what an editor starts is allowed on the page, and both show the diff',
  async () => {
    const { at, daemon, page } = await openDashboard()
    const editor = await openEditor(at)
    const { sessionId } = await editor.agent.request(methods.agent.session.new, {
      cwd: at.cwd,
      mcpServers: [],
    })
    const turn = editor.agent.request(methods.agent.session.prompt, {
      sessionId,
      prompt: [{ type: 'text', text: 'write a file' }],
    })
    const dialog = await editor.dialog()
    const diff = { type: 'diff', path: join(at.cwd, 'a.txt'), oldText: null, newText: 'written' }
    expect(dialog.params.toolCall.content?.[0]).toEqual(diff)

    await logIn(page, daemon, `/sessions/${sessionId}`)
    const card = page.getByRole('article', { name: /^Write: / })
    await card.getByRole('group', { name: 'Changes' }).getByText('written').waitFor()
    await card.getByRole('button', { name: 'Allow', exact: true }).click()

    expect(await turn).toEqual({ stopReason: 'end_turn' })
    await expect.poll(() => dialog.isWithdrawn).toBe(true)
    expect(editor.ofKind('tool_call_update').at(-1)).toMatchObject({ status: 'completed', content: [diff] })
    expect(await readFile(join(at.cwd, 'a.txt'), 'utf8')).toBe('written')
    await page.locator('main').getByText('Result: File created').waitFor()
    expect(await editor.leave()).toBe(0)
    await expectOrderly(daemon.client)
    await daemon.stop()
  },
  120_000,
)
