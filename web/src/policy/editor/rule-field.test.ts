import fc from 'fast-check'
import { expect, test } from 'vitest'
import { PolicyFile, PolicyRule } from '../../../../src/protocol/index.js'
import {
  CHOICES,
  fileOf,
  fromLocalTime,
  isPlain,
  listText,
  localTime,
  PATTERN_FIELDS,
  readList,
  withCondition,
  withEnd,
  withReason,
} from './rule-field.js'

const text = (maxLength: number) => fc.string({ minLength: 1, maxLength, unit: 'grapheme' })
const patterns = fc.array(text(40), { minLength: 1, maxLength: 4 })
const chosen = <Value extends string>(values: readonly Value[]) => fc.subarray([...values], { minLength: 1 })
const rules: fc.Arbitrary<PolicyRule> = fc.record(
  {
    name: text(100),
    verdict: fc.constantFrom('allow' as const, 'deny' as const, 'ask' as const),
    reason: text(80),
    when: fc.record(
      {
        tools: patterns,
        commands: patterns,
        paths: patterns,
        access: chosen(CHOICES.access),
        servers: patterns,
        sources: chosen(CHOICES.sources),
        workspaces: patterns,
        agents: patterns,
        modes: chosen(CHOICES.modes),
      },
      { requiredKeys: [] },
    ),
    until: fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString()),
  },
  { requiredKeys: ['name', 'verdict', 'when'] },
)

test('a rule keeps everything that a form does not change, whatever it contains', () => {
  fc.assert(
    fc.property(rules, fc.constantFrom(...PATTERN_FIELDS), (rule, field) => {
      expect(PolicyRule.parse(rule)).toEqual(rule)
      const edited = withCondition(rule, field, ['new'])
      expect(PolicyRule.parse(edited)).toEqual({ ...rule, when: { ...rule.when, [field]: ['new'] } })
      const back = withCondition(edited, field, rule.when[field] ?? [])
      expect(back).toEqual(rule)
      expect(withEnd(withReason(rule, rule.reason ?? ''), rule.until ?? null)).toEqual(rule)
    }),
  )
})

test('lines of text hold a list unchanged, or say that they cannot', () => {
  fc.assert(
    fc.property(patterns, (list) => {
      const isKept = JSON.stringify(readList(listText(list))) === JSON.stringify(list)
      expect(isPlain(list)).toBe(isKept)
    }),
  )
  expect(isPlain(['git push **', 'a b'])).toBe(true)
  expect(isPlain(['a\nb'])).toBe(false)
  expect(isPlain([' a'])).toBe(false)
  expect(isPlain(undefined)).toBe(true)
})

test('a time is shown in local time and comes back to the minute', () => {
  const until = '2026-11-20T08:30:00.000Z'
  expect(fromLocalTime(localTime(until))).toBe(until)
  expect(fromLocalTime('soon')).toBeNull()
})

test('the file says denyFirst only where it decides something, and keeps all else', () => {
  const rule: PolicyRule = { name: 'x', verdict: 'deny', when: {} }
  const file = { preset: 'careful', denyFirst: false, autoAllowTools: ['Read'], rules: [rule] } as const
  expect(fileOf(PolicyFile.parse(file))).toEqual({
    preset: 'careful',
    autoAllowTools: ['Read'],
    rules: [rule],
  })
  expect(fileOf({ ...PolicyFile.parse(file), preset: 'classic' })).toMatchObject({ denyFirst: false })
  expect(fileOf({ preset: 'classic', denyFirst: true, rules: [] })).toEqual({
    preset: 'classic',
    denyFirst: true,
    rules: [],
  })
})
