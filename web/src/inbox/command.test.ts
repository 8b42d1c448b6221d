import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitByFindings } from './command.js'

const finding = (start: number | null, end: number | null, reason = 'It writes.') => ({
  verdict: 'ask' as const,
  rule: 'rule',
  reason,
  part: { text: '', start, end },
})

test('what a finding is about is marked in its place', () => {
  expect(splitByFindings('git add . && git push', [finding(13, 21, 'It sends.')])).toEqual([
    { text: 'git add . && ', reason: null },
    { text: 'git push', reason: 'It sends.' },
  ])
})

test('a finding without a place marks nothing', () => {
  expect(splitByFindings('ls', [finding(null, null), { ...finding(0, 1), part: null }])).toEqual([
    { text: 'ls', reason: null },
  ])
})

test('whatever the findings say, the command is shown whole', () => {
  const offset = fc.option(fc.integer({ min: -5, max: 60 }))
  const findings = fc.array(fc.tuple(offset, offset).map(([start, end]) => finding(start, end)))
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), findings, (command, found) => {
      expect(
        splitByFindings(command, found)
          .map(({ text }) => text)
          .join(''),
      ).toBe(command)
    }),
  )
})
