/** Verdicts of the policy `careful` on shell commands, grouped by rule. No command is run. */

import { describe, expect, test } from 'vitest'
import { bashCall } from '../../test/support/bash-call.js'
import { ALLOWED, ASKED, DENIED } from '../../test/support/shell-command.js'
import { evaluate } from './evaluate.js'

function verdictOf(command: string): string {
  const { verdict } = evaluate(bashCall(command))
  return verdict
}

describe.each([
  ['deny', DENIED],
  ['ask', ASKED],
  ['allow', ALLOWED],
])('%s', (expected, rules) => {
  test.each(Object.entries(rules))('%s', (_, commands) => {
    const wrong = commands
      .map((command) => [verdictOf(command), command])
      .filter(([verdict]) => verdict !== expected)
    expect(wrong).toEqual([])
  })
})
