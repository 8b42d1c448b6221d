/** Which dialogs an editor is asked to show: only those that show what is allowed. */

import type { RequestPermissionRequest } from '@agentclientprotocol/sdk'
import { expect, test } from 'vitest'
import { REQUEST } from '../../protocol/example/value-example.js'
import { askEditor } from './dialog.js'

async function ask(toolName: string, input: unknown) {
  const shown: RequestPermissionRequest[] = []
  const answer = askEditor({ ...REQUEST, toolName, input }, '/work', {
    async permission(request) {
      shown.push(request)
      return { outcome: { outcome: 'selected', optionId: 'allow' } }
    },
    form: null,
  })
  return { shown, answer: await answer }
}

test.each([
  ['Bash', { command: `echo ${'x'.repeat(100_000)}; rm -rf ~` }],
  ['mcp__shop__order', { items: 'x'.repeat(100_001) }],
  ['Write', { file_path: '/work/a', content: 'x'.repeat(500_001) }],
])('a call of %s that cannot be shown whole cannot be allowed in an editor', async (tool, input) => {
  await expect(ask(tool, input)).rejects.toMatchObject({ code: 'answer_invalid' })
})

test('a long file is shown as a diff, and can be allowed', async () => {
  const { answer } = await ask('Write', { file_path: '/work/a', content: 'x'.repeat(200_000) })
  expect(answer).toEqual({ decision: 'allow' })
})

test('no row of backticks in a command ends its block', async () => {
  const command = `ls\n${'`'.repeat(2_000)}\n<!--\nrm -rf ~`
  const { shown } = await ask('Bash', { command })
  expect(JSON.stringify(shown[0]?.toolCall.content)).toContain(`${'`'.repeat(2_001)}sh`)
})
