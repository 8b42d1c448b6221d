/** Verdicts of the policy `careful` on shell commands, grouped by rule. No command is run. */

import { describe, expect, test } from 'vitest'
import { ALLOWED, ASKED, DENIED } from '../../test/support/shell-command.js'
import { evaluate } from './evaluate.js'
import { emptyFileSystem } from './file/file-system.js'

function verdictOf(command: string): string {
  const { verdict } = evaluate({
    tool: 'Bash',
    input: { command },
    mode: 'default',
    cwd: '/home/dev/project',
    home: '/home/dev',
    fs: emptyFileSystem,
  })
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
