/**
 * Calls that are allowed without asking: by proof, by rules and grants with a proof of the rest, and inside the jail.
 */

import { describe, expect, test } from 'vitest'
import { bashCall } from '../../../test/support/bash-call.js'
import { HOSTILE } from '../../../test/support/proof-sample.js'
import { Policy, type PolicyInput, type PolicyRule, type Verdict } from '../../protocol/policy/policy.js'
import type { PolicyCall } from '../call.js'
import { CAREFUL, evaluate } from '../evaluate.js'
import { evaluatePolicy } from '../evaluate-policy.js'

function judge(command: string, call: Partial<PolicyCall> = {}, policy?: PolicyInput): Verdict {
  return evaluate({ ...bashCall(command), ...call }, policy === undefined ? CAREFUL : Policy.parse(policy))
}

/** A command without findings, with an expansion that the proof does not support. */
const UNPROVEN = 'echo "${HOME/o/a}" | wc -c'

test('what is proven is allowed; what is not is asked, and the reason names the place', () => {
  expect(judge('ls -la src | head')).toMatchObject({ verdict: 'allow', rule: 'read-only' })
  const asked = judge('echo $((7 + $?))')
  expect(asked.verdict).toBe('ask')
  expect(judge('shuf -n 1 --random-source=a.txt b.txt').verdict).toBe('ask')
})

test('no command that did harm in an attack is allowed, in either preset and with the jail', () => {
  const allowed = HOSTILE.filter((command) => judge(command).verdict === 'allow')
  expect(allowed).toEqual([])
  expect(HOSTILE.filter((command) => judge(command, {}, { preset: 'classic' }).verdict === 'allow')).toEqual(
    [],
  )
  const unjailed = HOSTILE.map((command) => judge(command, { jail: true })).filter(
    ({ verdict, jail }) => verdict === 'allow' && jail !== true,
  )
  expect(unjailed).toEqual([])
})

describe('the jail', () => {
  const unproven = ['cat /proc/version | wc -l', UNPROVEN].find(
    (command) => judge(command).rule === 'unproven',
  )

  test('takes what nothing speaks against and what is not proven', () => {
    expect(unproven).toBeDefined()
    expect(judge(unproven ?? '', { jail: true })).toMatchObject({
      verdict: 'allow',
      rule: 'jail',
      jail: true,
    })
    expect(judge(unproven ?? '')).toMatchObject({ verdict: 'ask', rule: 'unproven' })
    expect(judge(unproven ?? '').reason).toMatch(/^Cannot prove that this only reads: /)
  })

  test('takes nothing in the background, nothing that leaves the sandbox, no other shell and nothing that is malformed', () => {
    const command = unproven ?? ''
    const verdicts = [
      judge(command, { jail: true, input: { command, run_in_background: true } }),
      judge(command, { jail: true, input: { command, dangerouslyDisableSandbox: true } }),
      judge(command, { jail: true, tool: 'Monitor' }),
      judge(command, { jail: true, tool: 'mcp__shell__run' }),
      judge('if true', { jail: true }),
      judge('touch a', { jail: true }),
      judge('curl example.org', { jail: true }),
    ]
    expect(verdicts.map(({ verdict }) => verdict)).toEqual(Array(7).fill('ask'))
  })

  test('is not used for what is proven, and evaluatePolicy takes it', async () => {
    expect(judge('ls', { jail: true })).not.toHaveProperty('jail')
    const request = { tool: 'Bash', cwd: '/home/dev/project', home: '/home/dev' }
    const input = { command: unproven ?? '' }
    expect(await evaluatePolicy({ ...request, input, jail: true })).toMatchObject({
      verdict: 'allow',
      jail: true,
    })
    expect(await evaluatePolicy({ ...request, input })).toMatchObject({ verdict: 'ask' })
  })
})

describe('a rule for commands', () => {
  const policy: PolicyInput = {
    rules: [{ name: 'mine', verdict: 'allow', when: { commands: ['npm run *', 'make'] } }],
  }
  const ruled = (command: string) => judge(command, {}, policy).verdict

  test('covers commands whose words are known, beside others that are proven', () => {
    expect(
      ['npm run build', 'cd web && npm run build 2>&1 | tail -5', 'F=lint; npm run "$F" && make'].map(ruled),
    ).toContain('allow')
    expect(ruled('npm run build')).toBe('allow')
    expect(ruled('cd web && npm run build 2>&1 | tail -5')).toBe('allow')
  })

  test('does not cover a word that is not known, nor what stands beside it', () => {
    const commands = [
      'npm run $(id)',
      'npm run "$(id)"',
      'npm run $X',
      'npm run [$(id)]*',
      'npm run {1..$(id)}',
      'npm run a && rm b',
    ]
    expect(commands.map(ruled)).not.toContain('allow')
  })
})

test('classic allows only what fits a rule, also where nothing speaks against it', () => {
  const conversation = {
    name: 'conversation',
    verdict: 'allow',
    when: { tools: ['Task'] },
  } satisfies PolicyRule
  const listing = { name: 'listing', verdict: 'allow', when: { commands: ['ls **'] } } satisfies PolicyRule
  const classic = (command: string, rules: PolicyInput['rules']) =>
    judge(command, {}, { preset: 'classic', rules })

  expect(classic('ls', [conversation]).verdict).toBe('ask')
  expect(classic('git status', [conversation, listing]).verdict).toBe('ask')
  expect(classic('ls [$(touch pwned)]*', [conversation, listing]).verdict).toBe('ask')
  expect(classic('ls -la', [conversation, listing])).toMatchObject({ verdict: 'allow', rule: 'listing' })
})
