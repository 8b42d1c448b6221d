/** Every judge has cases beside it, and the policy gives each of them the expected verdict. */

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { bashCall } from '../../../test/support/bash-call.js'
import { evaluate } from '../evaluate.js'
import { JUDGE_CASES } from './judge-cases.js'

function verdictOf(command: string): string {
  return evaluate(bashCall(command)).verdict
}

/** The files that the table imports its judges from. */
function judgeFiles(): string[] {
  const table = readFileSync(new URL('table.ts', import.meta.url), 'utf8')
  const files = [...table.matchAll(/ from '\.\/([^']+)\.js'/g)].map(([, file = '']) => file)
  return files.filter((file) => file !== 'handler' && file !== 'spec')
}

test('a judge without cases is refused', () => {
  const judges = judgeFiles()

  expect(judges.length).toBeGreaterThan(20)
  expect(judges.filter((file) => JUDGE_CASES[file] === undefined)).toEqual([])
})

test('no case stands in two tables', () => {
  const all = Object.values(JUDGE_CASES).flatMap(({ deny = [], ask = [], allow = [] }) => [
    ...deny,
    ...ask,
    ...allow,
  ])

  expect(all.filter((command, index) => all.indexOf(command) !== index)).toEqual([])
})

describe.each(Object.entries(JUDGE_CASES))('%s', (_, cases) => {
  test.each(Object.entries<readonly string[]>({ ...cases }))('%s', (expected, commands) => {
    const wrong = commands
      .map((command) => [verdictOf(command), command])
      .filter(([verdict]) => verdict !== expected)

    expect(wrong).toEqual([])
  })
})
