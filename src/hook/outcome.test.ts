import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { judgeProgram } from './outcome.js'
import type { ProgramEnd } from './program.js'
import type { CommandHook, HookEvent } from './settings.js'
import { combineOutcomes, sdkOutputOf } from './verdict.js'

const exited = (code: number): ProgramEnd => ({ kind: 'exited', code })

/**
 * The outcome of a call in one line: how the hook ended, whether the tool runs, the messages for the agent
 * and for the user.
 */
function told(
  event: HookEvent,
  end: ProgramEnd,
  output: { stdout?: string; stderr?: string } = {},
  onFailure: CommandHook['onFailure'] = 'continue',
): string {
  const judged = judgeProgram(event, { end, stdout: '', stderr: '', ...output }, onFailure)
  const { decision, reason, context } = combineOutcomes([judged])
  return [
    judged.outcome,
    decision ?? '-',
    `agent: ${reason ?? context ?? '-'}`,
    `people: ${judged.message ?? '-'}`,
  ].join(' | ')
}

const ENDS: Record<string, [ProgramEnd, string]> = {
  '1': [exited(1), 'it ended with exit code 1: went wrong'],
  '3': [exited(3), 'it ended with exit code 3: went wrong'],
  '126': [exited(126), 'it ended with exit code 126, as its program is not executable: went wrong'],
  '127': [exited(127), 'it ended with exit code 127, as its program was not found: went wrong'],
  signal: [{ kind: 'signalled', signal: 'SIGSEGV' }, 'it was ended by SIGSEGV'],
  timeout: [{ kind: 'timed_out', timeoutMs: 10_000 }, 'it took longer than 10 seconds'],
  'not executable': [
    { kind: 'not_started', reason: '/x is not executable' },
    'it could not be started, as /x is not executable',
  ],
  missing: [
    { kind: 'not_started', reason: 'there is no program /x' },
    'it could not be started, as there is no program /x',
  ],
  aborted: [{ kind: 'aborted' }, 'it was interrupted'],
}

describe.each(['PreToolUse', 'PostToolUse', 'PostToolUseFailure'] as const)('%s', (event) => {
  const isPre = event === 'PreToolUse'

  test('exit 0 passes, and what was printed reaches the agent', () => {
    expect(told(event, exited(0))).toBe('passed | - | agent: - | people: -')
    expect(told(event, exited(0), { stdout: ' noted \n', stderr: 'ignored' })).toBe(
      'passed | - | agent: noted | people: noted',
    )
  })

  test(isPre ? 'exit 2 blocks' : 'exit 2 cannot block any more; the agent gets the reason', () => {
    const start = isPre ? 'blocked | deny' : 'passed | -'
    expect(told(event, exited(2), { stderr: 'not this one\n', stdout: 'out' })).toBe(
      `${start} | agent: not this one | people: not this one`,
    )
    expect(told(event, exited(2), { stdout: 'out' })).toBe(`${start} | agent: out | people: out`)
    expect(told(event, exited(2))).toBe(`${start} | agent: A hook blocks this. | people: A hook blocks this.`)
  })

  test.each(Object.entries(ENDS))('%s is broken: the call goes on and people are told', (_, [end, words]) => {
    expect(told(event, end, { stdout: 'out', stderr: 'went wrong\n' })).toBe(
      `broken | - | agent: - | people: The hook is broken: ${words}.`,
    )
  })

  test.each(Object.entries(ENDS))('%s with onFailure block', (_, [end, words]) => {
    const message = `The hook is broken: ${words}. It is set to block when it fails.`
    expect(told(event, end, { stderr: 'went wrong\n' }, 'block')).toBe(
      isPre
        ? `blocked | deny | agent: ${message} | people: ${message}`
        : `broken | - | agent: - | people: The hook is broken: ${words}.`,
    )
  })
})

test('a hook that is broken does not keep a turn from ending', () => {
  expect(told('Stop', exited(1), {}, 'block')).toMatch(/^broken \| -/)
  expect(told('Stop', exited(2), { stderr: 'go on' })).toBe('blocked | deny | agent: go on | people: go on')
  expect(told('UserPromptSubmit', exited(1), {}, 'block')).toMatch(/^blocked \| deny/)
})

describe('an answer in JSON', () => {
  const answer = (value: unknown, code = 0, event: HookEvent = 'PreToolUse') =>
    sdkOutputOf(
      event,
      combineOutcomes([
        judgeProgram(event, { end: exited(code), stdout: JSON.stringify(value), stderr: '' }, 'continue'),
      ]),
    )
  const specific = (output: Record<string, unknown>, hookEventName: HookEvent = 'PreToolUse') => ({
    hookSpecificOutput: { hookEventName, ...output },
  })

  test.each(['allow', 'deny', 'ask'])('decides: %s', (permissionDecision) => {
    const output = specific({ permissionDecision, permissionDecisionReason: 'because' })
    expect(answer(output)).toEqual(output)
  })

  test('in the older words decides as well', () => {
    expect(answer({ decision: 'approve', reason: 'fine' })).toEqual(
      specific({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }),
    )
    expect(answer({ decision: 'block', reason: 'no' })).toEqual(
      specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    )
  })

  test('changes the input, adds context, speaks to people, ends the turn', () => {
    expect(
      answer({
        ...specific({ updatedInput: { a: 1 }, additionalContext: 'know this', unknown: 1 }),
        systemMessage: 'people',
        continue: false,
        stopReason: 'enough',
      }),
    ).toEqual({
      ...specific({ updatedInput: { a: 1 }, additionalContext: 'know this' }),
      systemMessage: 'people',
      continue: false,
      stopReason: 'enough',
    })
  })

  test('of a broken hook is believed only where it is careful', () => {
    expect(answer(specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }), 1)).toEqual(
      specific({ permissionDecision: 'deny', permissionDecisionReason: 'no' }),
    )
    expect(answer(specific({ permissionDecision: 'ask', permissionDecisionReason: 'hm' }), 1)).toEqual(
      specific({ permissionDecision: 'ask', permissionDecisionReason: 'hm' }),
    )
    expect(answer(specific({ permissionDecision: 'allow', updatedInput: {} }), 1)).toEqual({})
  })

  test('does not weaken exit 2', () => {
    expect(answer(specific({ permissionDecision: 'allow', permissionDecisionReason: 'fine' }), 2)).toEqual(
      specific({ permissionDecision: 'deny', permissionDecisionReason: 'fine' }),
    )
  })

  test('that means nothing is a broken hook', () => {
    const end = { end: exited(0), stderr: '' }
    const stdout = JSON.stringify(specific({ permissionDecision: 'perhaps' }))
    expect(judgeProgram('PreToolUse', { ...end, stdout }, 'continue')).toMatchObject({
      outcome: 'broken',
      message: 'The hook is broken: it decided "perhaps", which means nothing.',
    })
    expect(judgeProgram('PreToolUse', { ...end, stdout }, 'block')).toMatchObject({ outcome: 'blocked' })
  })

  test('after the tool tells the agent, and may replace what it sees', () => {
    expect(answer({ decision: 'block', reason: 'look again' }, 0, 'PostToolUse')).toEqual(
      specific({ additionalContext: 'look again' }, 'PostToolUse'),
    )
    expect(answer(specific({ updatedToolOutput: 'x' }, 'PostToolUse'), 0, 'PostToolUse')).toEqual(
      specific({ updatedToolOutput: 'x' }, 'PostToolUse'),
    )
  })

  test('blocks a prompt, and answers a permission request', () => {
    expect(answer({ decision: 'block', reason: 'no' }, 0, 'UserPromptSubmit')).toEqual({
      decision: 'block',
      reason: 'no',
    })
    const decision = { behavior: 'deny', message: 'no' }
    expect(answer(specific({ decision }, 'PermissionRequest'), 0, 'PermissionRequest')).toEqual(
      specific({ decision }, 'PermissionRequest'),
    )
    expect(answer(specific({ additionalContext: 'x' }, 'SessionEnd'), 0, 'SessionEnd')).toEqual({})
  })

  test.each(['{', '{"a":', '[1]', '"x"', '{not json}'])('that is none is text: %s', (stdout) => {
    expect(told('PreToolUse', exited(0), { stdout })).toBe(
      `passed | - | agent: ${stdout} | people: ${stdout}`,
    )
  })
})

test('whatever a hook prints, there is an outcome, and only deny and ask come from a failed one', () => {
  const json = fc.json().map((text) => text)
  const answers = fc
    .record(
      {
        decision: fc.anything(),
        continue: fc.anything(),
        hookSpecificOutput: fc.oneof(
          fc.anything(),
          fc.record({
            permissionDecision: fc.constantFrom('allow', 'deny', 'ask', 'x', 1),
            updatedInput: fc.anything(),
          }),
        ),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value))
  fc.assert(
    fc.property(fc.oneof(json, answers, fc.string()), fc.integer({ min: 0, max: 255 }), (stdout, code) => {
      const judged = judgeProgram('PreToolUse', { end: exited(code), stdout, stderr: '' }, 'continue')
      const { decision } = judged.answer
      expect(judged.outcome === 'blocked').toBe(decision === 'deny')
      if (code === 2) expect(decision).toBe('deny')
      if (code !== 0) expect([null, 'deny', 'ask']).toContain(decision)
    }),
  )
})

test('of several hooks deny beats ask, ask beats allow, whatever their order', () => {
  const outcomes = (['allow', 'deny', 'ask'] as const).map((permissionDecision) => {
    const output = {
      permissionDecision,
      permissionDecisionReason: permissionDecision,
      updatedInput: { by: permissionDecision },
    }
    const stdout = JSON.stringify({ hookSpecificOutput: output })
    return judgeProgram('PreToolUse', { end: exited(0), stdout, stderr: '' }, 'continue')
  })
  const [allow, deny, ask] = outcomes
  if (!allow || !deny || !ask) throw new Error('three hooks')
  for (const order of [
    [allow, deny, ask],
    [ask, allow, deny],
    [deny, ask, allow],
  ]) {
    expect(combineOutcomes(order)).toMatchObject({ decision: 'deny', reason: 'deny', updatedInput: null })
  }
  expect(combineOutcomes([ask, allow])).toMatchObject({
    decision: 'ask',
    reason: 'ask',
    updatedInput: { by: 'allow' },
  })
  expect(combineOutcomes([])).toMatchObject({ decision: null, reason: null, context: null })
})
