import { expect, test } from 'vitest'
import { temporaryFolder } from '../../test/support/temporary-folder.js'
import { type EvaluatePolicyInput, evaluatePolicy } from './evaluate-policy.js'

test('a program asks about one call', async () => {
  const cwd = await temporaryFolder()
  const ask = (input: unknown, more: Partial<EvaluatePolicyInput> = {}) =>
    evaluatePolicy({
      tool: 'Bash',
      input,
      cwd,
      home: '/home/dev',
      policy: 'careful',
      mode: 'default',
      ...more,
    })

  expect(await ask({ command: 'ls' })).toMatchObject({ verdict: 'allow', rule: 'read-only' })
  expect(await ask({ command: 'rm -rf ~' })).toEqual({
    verdict: 'deny',
    step: 'autoDeny',
    rule: 'destroy-tree',
    reason: 'Deletes all of /home/dev.',
    reasonParts: [{ code: 'file.delete-all', params: { path: '/home/dev' } }],
    part: { text: '~', start: 7, end: 8 },
  })
  expect(await ask({ command: 'rm -rf ~' }, { policy: 'classic', mode: 'bypassPermissions' })).toMatchObject({
    verdict: 'allow',
  })
  const rules = [{ name: 'no', verdict: 'deny' as const, when: { commands: ['ls'] } }]
  expect(await ask({ command: 'ls' }, { policy: { rules } })).toMatchObject({ verdict: 'deny', rule: 'no' })
})

test.each([
  undefined,
  null,
  {},
  { tool: 7, input: 7, cwd: 7, home: null, policy: 7, mode: 7 },
  { tool: 'Bash', input: { command: 'ls' }, cwd: '/x', home: '/h', policy: 'lenient' },
  { tool: 'Bash', input: { command: 'touch a' }, cwd: '/x', home: '/h', mode: 'whatever' },
])('whatever it is given, it answers and does not throw: %j', async (request) => {
  const answer = await evaluatePolicy(request as unknown as EvaluatePolicyInput)
  expect(['allow', 'deny', 'ask']).toContain(answer.verdict)
})

test('what it cannot read it does not allow', async () => {
  for (const request of [
    { tool: 'Read', input: { file_path: '/etc/hosts' } },
    undefined,
    null,
    {},
    { tool: 'Bash' },
    { tool: 'Bash', policy: 7, mode: 'bypassPermissions' },
  ]) {
    expect((await evaluatePolicy(request as unknown as EvaluatePolicyInput)).verdict).not.toBe('allow')
  }
})

test('input that breaks when it is looked at does not break it', async () => {
  const input = Object.defineProperty({}, 'command', {
    get: () => {
      throw new Error('no')
    },
  })
  const request = { tool: 'Bash', input, cwd: '/x', home: '/h' }
  expect((await evaluatePolicy(request)).verdict).toBe('ask')
})
