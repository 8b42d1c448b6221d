import { expect, test } from 'vitest'
import { readConfig } from '../config.js'
import { evaluate } from '../policy/evaluate.js'
import { nodeFileSystem } from '../policy/file/node-file-system.js'
import { createPolicyResolver } from '../policy/source/effective-policy.js'
import { demoScript } from './demo-script.js'

/** Tool calls of the demo whose prompts promise a question. */
const calls = demoScript.rules.flatMap(({ reply }) =>
  reply.flatMap((part) => ('tool' in part && ['Bash', 'Write'].includes(part.tool) ? [part] : [])),
)

test('the calls that the demo promises to ask for are asked for', () => {
  expect(calls.map(({ tool }) => tool)).toEqual(['Bash', 'Write'])
  const config = readConfig('/nowhere', {}, {})
  const policy = createPolicyResolver('/nowhere', config).at({
    workspace: '/work',
    isTrusted: false,
    preset: 'careful',
  })
  for (const { tool, input } of calls)
    for (const jail of [true, false]) {
      const call = {
        tool,
        input: JSON.parse(JSON.stringify(input).replaceAll('{{cwd}}', '/work')) as unknown,
        mode: 'default' as const,
        cwd: '/work',
        home: '/home/user',
        jail,
        fs: nodeFileSystem(),
      }
      expect([tool, jail, evaluate(call, policy).verdict]).toEqual([tool, jail, 'ask'])
    }
})
