/**
 * Disguised commands get no better verdict, and no input crashes the policy. `npm run policy:score` runs the same at
 * length.
 */

import { expect, test } from 'vitest'
import { randomCall } from '../../bench/policy-fuzz.js'
import { rewrite, seeded } from '../../bench/policy-rewrite.js'
import { DENIED } from '../../test/support/shell-command.js'
import type { PermissionMode } from '../protocol/value.js'
import { evaluate } from './evaluate.js'
import { emptyFileSystem } from './file/file-system.js'
import { casesWith } from './program/judge-cases.js'

function judge(tool: string, input: unknown, mode: PermissionMode = 'default') {
  const environment = { cwd: '/home/dev/project', home: '/home/dev', fs: emptyFileSystem }
  return evaluate({ tool, input, mode, ...environment })
}

test('what is denied stays denied however it is written: quotes, escapes, wrappers, places in a list', () => {
  const random = seeded(1)
  const verdicts = [...Object.values(DENIED).flat(), ...casesWith('deny')]
    .flatMap((command) => Array.from({ length: 10 }, () => rewrite(command, random)))
    .map((command) => ({ command, verdict: judge('Bash', { command }).verdict }))

  expect(verdicts.filter(({ verdict }) => verdict === 'allow')).toEqual([])
  const denied = verdicts.filter(({ verdict }) => verdict === 'deny').length
  expect(denied / verdicts.length).toBeGreaterThanOrEqual(0.995)
})

test('rewriting does rewrite', () => {
  const random = seeded(1)
  const written = new Set(Array.from({ length: 50 }, () => rewrite('rm -rf /tmp/x', random)))
  expect(written.size).toBeGreaterThan(30)
})

test('random input is judged, in every mode, and never breaks the judge', () => {
  const random = seeded(7)
  for (let round = 0; round < 5_000; round++) {
    const { tool, input } = randomCall(random)
    const { verdict, reason } = judge(tool, input)
    expect(['allow', 'deny', 'ask']).toContain(verdict)
    expect(reason).not.toBe('')
    // A denial is a denial in every mode.
    if (verdict === 'deny') expect(judge(tool, input, 'bypassPermissions').verdict).toBe('deny')
  }
})
