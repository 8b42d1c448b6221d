import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitByFindings } from './command.js'

const finding = (start: number | null, end: number | null, reason = 'It writes.') => ({
  verdict: 'ask' as const,
  rule: 'rule',
  reason,
  part: { text: '', start, end },
})

test('the range of a finding is marked', () => {
  expect(splitByFindings('git add . && git push', [finding(13, 21, 'It sends.')])).toEqual([
    { text: 'git add . && ', reason: null },
    { text: 'git push', reason: 'It sends.' },
  ])
})

test('a finding without a range marks nothing', () => {
  expect(splitByFindings('ls', [finding(null, null), { ...finding(0, 1), part: null }])).toEqual([
    { text: 'ls', reason: null },
  ])
})

test('the whole command is shown for any findings', () => {
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
